/** Codes of exceptions. @see OGC 06-121r3 table 25, OGC 09-025r2 table 3, OGC 07-057r7 tables 24 and 31 */
export type OwsCode =
  | 'OperationNotSupported'
  | 'MissingParameterValue'
  | 'InvalidParameterValue'
  | 'VersionNegotiationFailed'
  | 'OptionNotSupported'
  | 'OperationParsingFailed'
  | 'OperationProcessingFailed'
  | 'InvalidValue'
  | 'NotFound'
  | 'TileOutOfRange'
  | 'PointIJOutOfRange'
  | 'NoApplicableCode'

/** A request that a service refuses. */
export class OwsFault extends Error {
  readonly code: OwsCode
  /** The parameter, element or operation of the fault. */
  readonly locator: string | undefined

  constructor(code: OwsCode, message: string, locator?: string) {
    super(message)
    this.code = code
    this.locator = locator
  }
}

/** Creates the fault of a parameter with an invalid value. */
export function invalidParameter(locator: string, message: string): OwsFault {
  return new OwsFault('InvalidParameterValue', message, locator)
}

/** HTTP status of each code. @see OGC 09-025r2 table D.2, OGC 06-121r3 clause 8.6 */
export const owsStatuses: Readonly<Record<OwsCode, number>> = {
  OperationNotSupported: 501,
  OptionNotSupported: 501,
  MissingParameterValue: 400,
  InvalidParameterValue: 400,
  VersionNegotiationFailed: 400,
  OperationParsingFailed: 400,
  OperationProcessingFailed: 403,
  InvalidValue: 400,
  NotFound: 404,
  TileOutOfRange: 400,
  PointIJOutOfRange: 400,
  NoApplicableCode: 500,
}

/** Maximum length of a value in a message, in characters. */
const shownLength = 80

/** Returns a value for a message: quoted, and not too long. */
export function shown(text: string): string {
  return JSON.stringify(text.length > shownLength ? `${text.slice(0, shownLength)}…` : text)
}
