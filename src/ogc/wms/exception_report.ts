import { element, textElement, xmlDeclaration } from '../xml_text.ts'
import type { WmsFault } from './wms_fault.ts'
import type { WmsProtocol } from './wms_protocol.ts'

/**
 * Writes a fault as a service exception report.
 *
 * @see OGC 01-068r3 annex A.3, OGC 06-042 annex E.2
 */
export function wmsExceptionReport(
  { code, locator, message }: Pick<WmsFault, 'locator' | 'message'> & { readonly code: string | undefined },
  { version }: WmsProtocol,
): string {
  const isOld = version === '1.1.1'
  const root = isOld
    ? { version }
    : {
        version,
        xmlns: 'http://www.opengis.net/ogc',
        'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
        'xsi:schemaLocation':
          'http://www.opengis.net/ogc http://schemas.opengis.net/wms/1.3.0/exceptions_1_3_0.xsd',
      }
  const type = isOld
    ? '<!DOCTYPE ServiceExceptionReport SYSTEM "http://schemas.opengis.net/wms/1.1.1/WMS_exception_1_1_1.dtd">\n'
    : ''
  // The document type of 1.1.1 has no locator.
  const attributes = isOld ? { code: oldCode(code) } : { code, locator }
  return `${xmlDeclaration}${type}${element(
    'ServiceExceptionReport',
    root,
    textElement('ServiceException', message, attributes),
  )}`
}

const oldCode = (code: string | undefined) => (code === 'InvalidCRS' ? 'InvalidSRS' : code)
