import { SaxesParser } from 'saxes'

/** The document is not the capabilities of the service; the message gives the reason. */
export class CapabilitiesFault extends Error {}

/** An element, by names without prefixes. */
export interface CapabilitiesElement {
  readonly name: string
  /** Name of the element that contains it; empty for the root. */
  readonly parent: string
}

/** Receives the elements of a document. */
export interface CapabilitiesReader {
  open?(element: CapabilitiesElement, attributes: Readonly<Record<string, string>>): void
  /** @param text the text since the last tag, without surrounding white space */
  close(element: CapabilitiesElement, text: string): void
}

/** Parses a document that arrives in pieces. */
export interface CapabilitiesParser {
  write(xml: string): void
  end(): void
}

const maxDepth = 256

/**
 * Creates a parser of capabilities. `write` and `end` throw CapabilitiesFault for documents that are not well-formed,
 * that have another root or are exception reports, and for elements nested too deeply. Document types, which WMS 1.1.1
 * has, are accepted and never fetched; they must not declare entities.
 *
 * @param roots names of the root element
 */
export function createCapabilitiesParser(
  roots: readonly string[],
  reader: CapabilitiesReader,
): CapabilitiesParser {
  const parser = new SaxesParser()
  const path: string[] = []
  let text = ''
  const addText = (part: string) => {
    text += part
  }
  const here = () => ({ name: path.at(-1) ?? '', parent: path.at(-2) ?? '' })
  parser.on('error', ({ message }) => {
    throw new CapabilitiesFault(`it is not well-formed: ${message.replace(/^\d+:\d+: |\.$/g, '')}`)
  })
  parser.on('doctype', (type) => {
    if (/<!ENTITY/i.test(type)) throw new CapabilitiesFault('its document type declares entities')
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('opentag', ({ name, attributes }) => {
    const local = localName(name)
    if (path.length === 0) checkRoot(local, roots)
    if (path.length >= maxDepth) throw new CapabilitiesFault('its elements are nested too deeply')
    path.push(local)
    text = ''
    reader.open?.(here(), attributes)
  })
  parser.on('closetag', () => {
    const element = here()
    if (exceptionNames.includes(element.name)) throw new CapabilitiesFault(exception(text))
    reader.close(element, text.trim())
    path.pop()
    text = ''
  })
  return { write: (xml) => parser.write(xml), end: () => parser.close() }
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

function checkRoot(name: string, roots: readonly string[]): void {
  if (roots.includes(name) || /Exception(Report)?$/.test(name)) return
  throw new CapabilitiesFault(`its root element is <${name}>`)
}

/** Elements that hold the message of an exception. @see OGC 06-042 annex E.2, OGC 06-121r9 clause 8.6 */
const exceptionNames = ['ServiceException', 'ExceptionText']

const exception = (text: string) =>
  `the service returned an exception: ${text.trim().replaceAll(/\s+/g, ' ').slice(0, 300)}`
