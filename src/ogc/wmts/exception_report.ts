import type { OwsFault } from '../ows_fault.ts'
import { element, textElement, xmlDeclaration } from '../xml_text.ts'

/** Writes a fault as an exception report of OWS. @see OGC 06-121r3 clause 8, OGC 07-057r7 clause 7.2.4 */
export function wmtsExceptionReport({
  code,
  locator,
  message,
}: Pick<OwsFault, 'code' | 'locator' | 'message'>): string {
  const root = {
    'xmlns:ows': 'http://www.opengis.net/ows/1.1',
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xsi:schemaLocation':
      'http://www.opengis.net/ows/1.1 http://schemas.opengis.net/ows/1.1.0/owsExceptionReport.xsd',
    version: '1.1.0',
    'xml:lang': 'en',
  }
  const text = textElement('ows:ExceptionText', message)
  const exception = element('ows:Exception', { exceptionCode: code, locator }, text)
  return `${xmlDeclaration}${element('ows:ExceptionReport', root, exception)}`
}
