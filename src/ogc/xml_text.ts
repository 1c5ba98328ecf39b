/** Characters that are escaped in XML, and control characters and noncharacters, which XML 1.0 forbids. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const special = /[&<>"\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

/**
 * Escapes a string for XML, as text or attribute value. Characters that XML cannot represent become U+FFFD.
 *
 * @see https://www.w3.org/TR/xml/#charsets
 */
export function escapeXml(text: string): string {
  return text.replace(special, (character) => escapes[character] ?? '\ufffd')
}

/** Attributes of an element; undefined ones are omitted. */
export type XmlAttributes = Readonly<Record<string, string | number | undefined>>

/** Returns the start tag of an element. */
export function startTag(name: string, attributes: XmlAttributes = {}): string {
  return `<${name}${attributeText(attributes)}>`
}

/** Returns an element; the content is XML. */
export function element(name: string, attributes: XmlAttributes, ...content: readonly string[]): string {
  const inner = content.join('')
  return inner === ''
    ? `<${name}${attributeText(attributes)}/>`
    : `${startTag(name, attributes)}${inner}</${name}>`
}

/** Returns an element with a string as its content. */
export function textElement(name: string, text: string | number, attributes: XmlAttributes = {}): string {
  return `${startTag(name, attributes)}${escapeXml(String(text))}</${name}>`
}

/** Returns an element with a string as its content; nothing for an absent string. */
export function optionalElement(name: string, text: string | undefined): string {
  return text === undefined ? '' : textElement(name, text)
}

function attributeText(attributes: XmlAttributes): string {
  let text = ''
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) text += ` ${name}="${escapeXml(String(value)).replaceAll('\n', '&#10;')}"`
  return text
}

/** Start of every XML document. */
export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

const forbiddenStart = /[^A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff]/
const forbidden = /[^-.0-9A-Z_a-z\u00b7\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u1fff]/g

/**
 * Returns a name without a prefix that XML accepts: the text, with underscores for all characters that names cannot
 * have, and before a first character that names cannot start with. Scripts beyond U+1FFF are replaced, because parsers
 * differ in them.
 *
 * @see https://www.w3.org/TR/xml-names/#NT-NCName
 */
export function xmlNameOf(text: string): string {
  const name = text.replaceAll(forbidden, '_')
  return name === '' || forbiddenStart.test(name.charAt(0)) ? `_${name}` : name
}
