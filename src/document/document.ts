import { type Pointer, splitPointer } from '../core/pointer.ts'
import type { Span } from '../core/span.ts'
import { findLineStarts, type LineStarts, lineAt, type Range, spanOfRange } from './lines.ts'
import { findPart, type Node, toValue } from './node.ts'

/** One YAML document: a value, and where each part of it is written. */
export interface YamlDocument {
  /** Path as it is shown to people. */
  readonly file: string
  /** Text of the whole file, without a byte order mark. */
  readonly text: string
  readonly lines: LineStarts
  readonly root: Node
  /** What the root comes to, without places. */
  readonly value: unknown
}

/** What is known of a document from the start; the rest is found once somebody asks for it. */
interface DocumentParts {
  readonly file: string
  readonly text: string
  readonly readRoot: () => Node
  readonly readValue?: () => unknown
}

/** Makes a document. Most files are as they should be, and are never asked where something stands. */
export function createDocument({ file, text, readRoot, readValue }: DocumentParts): YamlDocument {
  const root = once(readRoot)
  const lines = once(() => findLineStarts(text))
  const value = once(readValue ?? (() => toValue(root())))
  return {
    file,
    text,
    get lines() {
      return lines()
    },
    get root() {
      return root()
    },
    get value() {
      return value()
    },
  }
}

function once<T>(find: () => T): () => T {
  let found: { readonly it: T } | undefined
  return () => {
    found ??= { it: find() }
    return found.it
  }
}

/** Finds the node at a pointer, or the nearest one around it that is written. */
export function nearestNode(document: YamlDocument, pointer: Pointer): Node {
  let node = document.root
  for (const token of splitPointer(pointer)) {
    const part = findPart(node, token)
    if (part === undefined) return node
    node = part
  }
  return node
}

/**
 * Gives the place of the value at a pointer, or of the nearest part around it that is written. A value that starts on
 * a line below its key, or is not there at all, is shown by its key.
 */
export function spanAt(document: YamlDocument, pointer: Pointer): Span {
  const { file, lines } = document
  return spanOfRange(file, lines, shownRange(document, nearestNode(document, pointer)))
}

/** Gives the place of the key at a pointer, or that of the value where there is no key. */
export function keySpanAt(document: YamlDocument, pointer: Pointer): Span {
  const node = nearestNode(document, pointer)
  const range = node.keyStart < 0 ? node : { start: node.keyStart, end: node.keyEnd }
  return spanOfRange(document.file, document.lines, range)
}

function shownRange({ lines }: YamlDocument, node: Node): Range {
  if (node.keyStart < 0) return node
  const isBelow = lineAt(lines, node.start) !== lineAt(lines, node.keyEnd)
  return isBelow || node.start === node.end ? { start: node.keyStart, end: node.keyEnd } : node
}
