import { shown } from '../ows_fault.ts'

/**
 * Codes of exceptions. Parameters that are missing or invalid have no code of WMS; those of OWS are used, as other
 * servers do.
 *
 * @see OGC 06-042 annex E.1, OGC 01-068r3 annex A.3
 */
export type WmsCode =
  | 'InvalidFormat'
  | 'InvalidCRS'
  | 'LayerNotDefined'
  | 'StyleNotDefined'
  | 'LayerNotQueryable'
  | 'InvalidPoint'
  | 'OperationNotSupported'
  | 'MissingParameterValue'
  | 'InvalidParameterValue'

/** A request that a service refuses. */
export class WmsFault extends Error {
  readonly code: WmsCode
  /** The parameter of the fault. */
  readonly locator: string | undefined

  constructor(code: WmsCode, message: string, locator?: string) {
    super(message)
    this.code = code
    this.locator = locator
  }
}

/** Creates the fault of a missing parameter. */
export function missingParameter(name: string): WmsFault {
  return new WmsFault('MissingParameterValue', `The parameter ${name} is missing.`, name)
}

/** Creates the fault of a parameter with an invalid value. */
export function invalidValue(name: string, text: string, expected: string): WmsFault {
  return new WmsFault('InvalidParameterValue', `${name} is ${shown(text)}, expected ${expected}.`, name)
}
