import { escapeXml } from './xml_escape.ts'
import { readXml, type XmlElement } from './xml_read.ts'

/**
 * Returns the canonical form of style XML: independent of comments, the declaration, white space between elements and
 * around values, attribute order, quote style, empty tags, and whether a value is text or an attribute `value`. Returns
 * text that is not XML unchanged.
 */
export function canonicalXml(xml: string): string {
  const { root } = readXml(xml, 'xml')
  return root === undefined ? xml : canonicalElement(root)
}

/** Reports whether two XML texts describe the same style. */
export function isSameXml(one: string, other: string): boolean {
  return one === other || canonicalXml(one) === canonicalXml(other)
}

function canonicalElement({ name, attributes, text, children }: XmlElement): string {
  const value = attributes.find((attribute) => attribute.name === 'value')
  const isValueAttribute =
    value !== undefined && text === '' && children.length === 0 && value.value.trim() !== ''
  const written = attributes
    .filter((attribute) => !(isValueAttribute && attribute === value))
    .map((attribute) => ` ${attribute.name}="${escapeXml(attribute.value.trim())}"`)
    .sort()
  const inner =
    escapeXml(isValueAttribute ? value.value.trim() : text) + children.map(canonicalElement).join('')
  return `<${name}${written.join('')}>${inner}</${name}>`
}
