import { SaxesParser } from 'saxes'

/** Reason of an `XmlFault`. */
export type XmlFaultKind = 'syntax' | 'doctype' | 'depth' | 'size'

/** A text is not XML, or exceeds a limit. */
export class XmlFault extends Error {
  readonly kind: XmlFaultKind
  /** Offset of the fault in the text, in characters. */
  readonly offset: number

  constructor(kind: XmlFaultKind, message: string, offset: number) {
    super(message)
    this.kind = kind
    this.offset = offset
  }
}

/** Receives the parts of a document, in order. Names have their prefixes. */
export interface XmlHandler {
  /** The name of a start tag; its attributes follow. */
  startTag?(name: string): void
  attribute?(name: string, value: string): void
  /** A complete start tag. */
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  /** Character data, in pieces; predefined entities and character references are replaced. */
  text?(text: string): void
  close?(name: string): void
}

/** Limits of a document. All entities except the five predefined ones are refused, always. */
export interface XmlLimits {
  /** Maximum nesting depth, so that walking a tree cannot exhaust the stack. */
  readonly maxDepth: number
  /** Maximum number of elements. @default unlimited */
  readonly maxElements?: number
  /**
   * Document types to accept: none; without an internal subset; or any without entities. They are never fetched.
   * @default none
   */
  readonly doctype?: 'none' | 'external' | 'no-entities'
}

/** Parses a document that arrives in pieces. Its methods throw `XmlFault`, and what the handler throws. */
export interface XmlParser {
  /** Number of characters parsed. */
  readonly position: number
  write(xml: string): void
  end(): void
}

/** Creates a strict parser of XML 1.0 without document types, or with harmless ones. */
export function createXmlParser(handler: XmlHandler, limits: XmlLimits): XmlParser {
  const parser = new SaxesParser()
  const { maxDepth, maxElements = Number.POSITIVE_INFINITY } = limits
  let depth = 0
  let count = 0
  let lastClosed: string | undefined
  const fail = (kind: XmlFaultKind, message: string, offset = Math.max(0, parser.position - 1)): never => {
    throw new XmlFault(kind, message, offset)
  }
  parser.on('error', ({ message }) => fail('syntax', describeFault(message, lastClosed)))
  parser.on('doctype', (declared) => {
    const start = Math.max(0, parser.position - declared.length - '<!DOCTYPE>'.length)
    checkDoctype(declared, limits, (message) => fail('doctype', message, start))
  })
  parser.on('opentagstart', ({ name }) => {
    const start = Math.max(0, parser.position - name.length - 1)
    depth += 1
    count += 1
    if (depth > maxDepth) fail('depth', `elements nested deeper than ${maxDepth} levels`, start)
    if (count > maxElements) fail('size', `more than ${maxElements} elements`, start)
    handler.startTag?.(name)
  })
  parser.on('opentag', ({ name, attributes }) => handler.open?.(name, attributes))
  parser.on('closetag', ({ name }) => {
    depth -= 1
    lastClosed = name
    handler.close?.(name)
  })
  if (handler.attribute) parser.on('attribute', ({ name, value }) => handler.attribute?.(name, value))
  if (handler.text) {
    const addText = (text: string) => handler.text?.(text)
    parser.on('text', addText)
    parser.on('cdata', addText)
  }
  return {
    get position() {
      return parser.position
    },
    write: (xml) => void parser.write(xml),
    end: () => void parser.close(),
  }
}

function checkDoctype(
  declared: string,
  { doctype = 'none' }: XmlLimits,
  fail: (message: string) => never,
): void {
  if (doctype === 'none' || (doctype === 'external' && declared.includes('[')))
    fail('document types and entities are not allowed')
  if (/<!ENTITY/i.test(declared)) fail('its document type declares entities')
}

// The messages of the parser start with line and column and end with a full stop.
function describeFault(message: string, lastClosed: string | undefined): string {
  const plain = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')
  // The parser closes the open element before it reports that the close tag does not match it.
  const unclosed = plain === 'unexpected close tag' && lastClosed !== undefined
  return unclosed ? `${plain}: <${lastClosed}> is open` : plain
}

/** Returns a name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
