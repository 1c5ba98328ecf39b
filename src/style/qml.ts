import type { Issue } from '../core/issue.ts'
import { readXml, type XmlElement } from './xml.ts'

/** Characters of a QML file, in which pictures may be packed; longer ones are refused. */
export const longestQml = 4 * 1024 * 1024

/** What reading a file as QML gives: its root element, or why it is none. */
export interface QmlReading {
  readonly root?: XmlElement
  readonly issues: readonly Issue[]
}

/**
 * Reads a style file of desktop GIS as far as every such file is the same: well-formed XML whose root is `<qgis>`. Its
 * document type is taken and never looked up; entities of its own are refused.
 *
 * @param file what positions name as their file
 */
export function parseQml(text: string, file = 'qml'): QmlReading {
  const { root, issues } = readXml(text.replace(/^\uFEFF/, ''), file, {
    longest: longestQml,
    takesDoctype: true,
  })
  if (root === undefined || root.name === 'qgis') return root === undefined ? { issues } : { root, issues }
  const message = `the root element has to be <qgis>, not <${root.name}>`
  return { issues: [{ code: 'style/bad-value', message, severity: 'error', span: root.span }] }
}
