import type { Issue } from '../../core/issue.ts'
import { readXml, type XmlElement } from '../xml/xml_read.ts'

/** Maximum length of a QML file, in characters; it may embed images. */
export const maxQmlLength = 4 * 1024 * 1024

/** Result of parsing a file as QML: its root element, or issues. */
export interface QmlResult {
  readonly root?: XmlElement
  readonly issues: readonly Issue[]
}

/**
 * Parses a QGIS style file: well-formed XML whose root is `<qgis>`. Its document type is accepted but never fetched;
 * entity declarations are refused.
 *
 * @param file file name in issue positions
 */
export function parseQml(text: string, file = 'qml'): QmlResult {
  const { root, issues } = readXml(text.replace(/^\uFEFF/, ''), file, {
    maxLength: maxQmlLength,
    allowDoctype: true,
  })
  if (root === undefined || root.name === 'qgis') return root === undefined ? { issues } : { root, issues }
  const message = `the root element must be <qgis>, got <${root.name}>`
  return { issues: [{ code: 'style/bad-value', message, severity: 'error', span: root.span }] }
}
