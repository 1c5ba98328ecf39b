import { createXmlParser, localName, XmlFault, type XmlFaultKind } from '../core/xml_parser.ts'

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
  const path: string[] = []
  let text = ''
  const here = () => ({ name: path.at(-1) ?? '', parent: path.at(-2) ?? '' })
  const handler = {
    text(part: string) {
      text += part
    },
    open(name: string, attributes: Readonly<Record<string, string>>) {
      const local = localName(name)
      if (path.length === 0) checkRoot(local, roots)
      path.push(local)
      text = ''
      reader.open?.(here(), attributes)
    },
    close() {
      const element = here()
      if (exceptionNames.includes(element.name)) throw new CapabilitiesFault(exception(text))
      reader.close(element, text.trim())
      path.pop()
      text = ''
    },
  }
  const parser = createXmlParser(handler, { maxDepth, doctype: 'no-entities' })
  return { write: (xml) => refuse(() => parser.write(xml)), end: () => refuse(() => parser.end()) }
}

const reasons: Readonly<Record<XmlFaultKind, (message: string) => string>> = {
  syntax: (message) => `it is not well-formed: ${message}`,
  doctype: (message) => message,
  depth: () => 'its elements are nested too deeply',
  size: (message) => message,
}

/** Converts faults of the parser. */
function refuse(parse: () => void): void {
  try {
    parse()
  } catch (error) {
    if (error instanceof XmlFault) throw new CapabilitiesFault(reasons[error.kind](error.message))
    throw error
  }
}

function checkRoot(name: string, roots: readonly string[]): void {
  if (roots.includes(name) || /Exception(Report)?$/.test(name)) return
  throw new CapabilitiesFault(`its root element is <${name}>`)
}

/** Elements that hold the message of an exception. @see OGC 06-042 annex E.2, OGC 06-121r9 clause 8.6 */
const exceptionNames = ['ServiceException', 'ExceptionText']

const exception = (text: string) =>
  `the service returned an exception: ${text.trim().replaceAll(/\s+/g, ' ').slice(0, 300)}`
