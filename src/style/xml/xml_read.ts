import type { Issue } from '../../core/issue.ts'
import type { Span } from '../../core/span.ts'
import { createXmlParser, XmlFault } from '../../core/xml_parser.ts'

/** An attribute of an element. */
export interface XmlAttribute {
  readonly name: string
  readonly value: string
  readonly span: Span
}

/** An element. The text between its child elements is joined. */
export interface XmlElement {
  readonly name: string
  readonly attributes: readonly XmlAttribute[]
  readonly children: readonly XmlElement[]
  /** Own text, trimmed. */
  readonly text: string
  /** Own text with the spaces around it, if there are any and no child elements. */
  readonly written?: string
  /** Position of the name in the start tag. */
  readonly span: Span
}

/** Result of reading a text as XML: its root element, or issues. */
export interface XmlResult {
  readonly root?: XmlElement
  readonly issues: readonly Issue[]
}

interface OpenElement extends XmlElement {
  readonly attributes: XmlAttribute[]
  readonly children: OpenElement[]
  text: string
  written?: string
}

/** Maximum nesting depth, so that walking the tree cannot exhaust the stack. */
const maxDepth = 64

/** Maximum number of elements, so that a small text cannot exhaust the memory. */
const maxElements = 200_000

/** Options of `readXml`. */
export interface XmlOptions {
  /** Maximum length of the text, in characters. @default 1048576 */
  readonly maxLength?: number
  /**
   * Accepts a document type without an internal subset, which some programs write. It is never fetched. By default
   * every document type is refused.
   */
  readonly allowDoctype?: boolean
}

/**
 * Reads XML strictly. Refuses document types, unless allowed, and all entities except the five predefined ones.
 *
 * @param file file name in issue positions
 */
export function readXml(text: string, file: string, options: XmlOptions = {}): XmlResult {
  const locate = createLocator(text, file)
  try {
    return { root: parse(text, locate, options), issues: [] }
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error
    const span = locate(error.offset, 1)
    return { issues: [{ code: 'style/bad-xml', message: error.message, severity: 'error', span }] }
  }
}

type Locate = (offset: number, length: number) => Span

function parse(
  text: string,
  locate: Locate,
  { maxLength = 1024 * 1024, allowDoctype = false }: XmlOptions,
): XmlElement {
  if (text.length > maxLength) throw new XmlFault('size', `longer than ${maxLength} characters`, maxLength)
  const tree = buildTree(locate)
  // End of the last name or attribute: the name of the next attribute follows it.
  let lastEnd = 0
  const handler = {
    startTag(name: string) {
      const start = text.lastIndexOf(`<${name}`, parser.position) + 1
      tree.open(name, start)
      lastEnd = start + name.length
    },
    attribute(name: string, value: string) {
      tree.addAttribute({ name, value, span: locate(text.indexOf(name, lastEnd), name.length) })
      lastEnd = parser.position
    },
    text: tree.addText,
    close: tree.close,
  }
  const parser = createXmlParser(handler, {
    maxDepth,
    maxElements,
    doctype: allowDoctype ? 'external' : 'none',
  })
  parser.write(text)
  parser.end()
  return tree.root()
}

/** Builds a tree from parser events. */
function buildTree(locate: Locate) {
  const open: OpenElement[] = []
  let root: XmlElement | undefined
  let attributes: XmlAttribute[] = []
  return {
    open(name: string, start: number) {
      attributes = []
      const element: OpenElement = {
        name,
        attributes,
        children: [],
        text: '',
        span: locate(start, name.length),
      }
      open.at(-1)?.children.push(element)
      open.push(element)
      root ??= element
    },
    addAttribute: (attribute: XmlAttribute) => void attributes.push(attribute),
    addText(part: string) {
      const element = open.at(-1)
      if (element !== undefined) element.text += part
    },
    close() {
      const closed = open.pop()
      if (closed === undefined) return
      const trimmed = closed.text.trim()
      if (trimmed !== closed.text && closed.children.length === 0) closed.written = closed.text
      closed.text = trimmed
    },
    root(): XmlElement {
      if (root === undefined) throw new XmlFault('syntax', 'no root element', 0)
      return root
    },
  }
}

/** Creates a function that returns the position of a part of a text. */
export function createLocator(text: string, file: string): Locate {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return (offset, length) => {
    const line = countUpTo(starts, offset)
    const column = offset - (starts[line - 1] ?? 0) + 1
    return { file, line, column, endLine: line, endColumn: column + length }
  }
}

/** Counts the items of an ascending list that are at most a value. */
function countUpTo(ascending: readonly number[], value: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}
