import { SaxesParser } from 'saxes'
import type { Issue } from '../core/issue.ts'
import type { Span } from '../core/span.ts'

/** An attribute of an element. */
export interface XmlAttribute {
  readonly name: string
  readonly value: string
  readonly span: Span
}

/** An element, as far as styles need it: text between child elements is joined. */
export interface XmlElement {
  readonly name: string
  readonly attributes: readonly XmlAttribute[]
  readonly children: readonly XmlElement[]
  /** Text directly inside, without white space around it. */
  readonly text: string
  /** The name in the start tag. */
  readonly span: Span
}

/** What reading a text as XML gives: its root element, or why there is none. */
export interface XmlReading {
  readonly root?: XmlElement
  readonly issues: readonly Issue[]
}

interface OpenElement extends XmlElement {
  readonly attributes: XmlAttribute[]
  readonly children: OpenElement[]
  text: string
}

/** Elements inside each other beyond this are refused, so that walking the tree cannot exhaust the stack. */
const deepest = 64

/** Elements of a text beyond this are refused, so that a small text cannot fill the memory. */
const most = 200_000

/** What of XML is taken besides elements, attributes and text. */
export interface XmlOptions {
  /** Characters of a text; longer ones are refused. @default one mebi */
  readonly longest?: number
  /**
   * Takes a document type that only names itself, as the files of some programs do. It is never looked up, and one
   * that declares anything is refused like all of them are otherwise.
   */
  readonly takesDoctype?: boolean
}

class XmlFault extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/**
 * Reads XML strictly. Document types are refused, unless asked for, and every entity but the five of XML itself.
 *
 * @param file what positions name as their file
 */
export function readXml(text: string, file: string, options: XmlOptions = {}): XmlReading {
  const locate = locator(text, file)
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
  { longest = 1024 * 1024, takesDoctype = false }: XmlOptions,
): XmlElement {
  if (text.length > longest) throw new XmlFault(`longer than ${longest} characters`, longest)
  const parser = new SaxesParser()
  const tree = growTree(locate)
  parser.on('error', ({ message }) => {
    throw new XmlFault(sentence(message, tree.lastClosed()), Math.max(0, parser.position - 1))
  })
  parser.on('doctype', (declared) => {
    if (takesDoctype && !declared.includes('[')) return
    throw new XmlFault('document types and entities are not allowed', text.indexOf('<!DOCTYPE'))
  })
  // Where the last name or attribute ended: the next attribute's name is the first thing after it.
  let seen = 0
  parser.on('attribute', ({ name, value }) => {
    tree.addAttribute({ name, value, span: locate(text.indexOf(name, seen), name.length) })
    seen = parser.position
  })
  parser.on('opentagstart', ({ name }) => {
    const start = text.lastIndexOf(`<${name}`, parser.position) + 1
    tree.open(name, start)
    seen = start + name.length
  })
  parser.on('closetag', tree.close)
  parser.on('text', tree.addText)
  parser.on('cdata', tree.addText)
  parser.write(text).close()
  return tree.root()
}

/** Puts a tree together from what the reader meets. */
function growTree(locate: Locate) {
  const open: OpenElement[] = []
  let root: XmlElement | undefined
  let attributes: XmlAttribute[] = []
  let count = 0
  let lastClosed: string | undefined
  return {
    lastClosed: () => lastClosed,
    open(name: string, start: number) {
      if (open.length >= deepest) throw new XmlFault(`more than ${deepest} elements inside each other`, start)
      count += 1
      if (count > most) throw new XmlFault(`more than ${most} elements`, start)
      attributes = []
      const element = { name, attributes, children: [], text: '', span: locate(start, name.length) }
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
      closed.text = closed.text.trim()
      lastClosed = closed.name
    },
    root(): XmlElement {
      if (root === undefined) throw new XmlFault('there is no element', 0)
      return root
    },
  }
}

// The reader's messages begin with line and column, and end with a full stop.
function sentence(message: string, lastClosed: string | undefined): string {
  const plain = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')
  // It closes what is open before it says that something else was meant.
  const unclosed = plain === 'unexpected close tag' && lastClosed !== undefined
  return unclosed ? `${plain}: <${lastClosed}> is open` : plain
}

function locator(text: string, file: string): Locate {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return (offset, length) => {
    const line = countUpTo(starts, offset)
    const column = offset - (starts[line - 1] ?? 0) + 1
    return { file, line, column, endLine: line, endColumn: column + length }
  }
}

/** Counts the items of a rising list that are not above a value. */
function countUpTo(rising: readonly number[], value: number): number {
  let low = 0
  let high = rising.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rising[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}
