import type { OwsCode, OwsFault } from '../ows_fault.ts'
import { element, textElement, xmlDeclaration } from '../xml_text.ts'
import type { WfsProtocol } from './wfs_protocol.ts'

/** Codes that version 1.1 has. @see OGC 05-008 table 20 */
const codes11: readonly OwsCode[] = [
  'OperationNotSupported',
  'MissingParameterValue',
  'InvalidParameterValue',
  'VersionNegotiationFailed',
  'NoApplicableCode',
]

/**
 * Writes a fault in the form of a version: a service exception report of 1.0, else an exception report of OWS.
 *
 * @see OGC 02-058 annex A.3, OGC 05-008 clause 8, OGC 06-121r3 clause 8
 */
export function exceptionReport(
  { code, locator, message }: Pick<OwsFault, 'code' | 'locator' | 'message'>,
  { edition, namespaces }: WfsProtocol,
): string {
  if (edition === '1.0')
    return `${xmlDeclaration}${element(
      'ServiceExceptionReport',
      { version: '1.2.0', xmlns: namespaces.filter },
      textElement('ServiceException', message, { code, locator }),
    )}`
  const known = edition === '2.0' || codes11.includes(code) ? code : 'NoApplicableCode'
  return `${xmlDeclaration}${element(
    'ows:ExceptionReport',
    { 'xmlns:ows': namespaces.ows, version: edition === '2.0' ? '2.0.0' : '1.0.0' },
    element('ows:Exception', { exceptionCode: known, locator }, textElement('ows:ExceptionText', message)),
  )}`
}
