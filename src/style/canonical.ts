import { readXml, type XmlElement } from './xml.ts'
import { escapeXml } from './xml_text.ts'

/**
 * Gives one text for all XML texts that mean the same style: comments, the declaration, white space between elements
 * and around values, the order of attributes, the kind of quotes and empty tags make no difference, nor does
 * whether a value stands as text or in an attribute `value`. A text that is not XML is given as it is.
 */
export function canonicalXml(xml: string): string {
  const { root } = readXml(xml, 'xml')
  return root === undefined ? xml : canonicalElement(root)
}

/** Tells whether two XML texts mean the same style. */
export function isSameXml(one: string, other: string): boolean {
  return one === other || canonicalXml(one) === canonicalXml(other)
}

function canonicalElement({ name, attributes, text, children }: XmlElement): string {
  const value = attributes.find((attribute) => attribute.name === 'value')
  const asText = value !== undefined && text === '' && children.length === 0 && value.value.trim() !== ''
  const written = attributes
    .filter((attribute) => !(asText && attribute === value))
    .map((attribute) => ` ${attribute.name}="${escapeXml(attribute.value.trim())}"`)
    .sort()
  const inner = escapeXml(asText ? value.value.trim() : text) + children.map(canonicalElement).join('')
  return `<${name}${written.join('')}>${inner}</${name}>`
}
