import { once } from '../core/once.ts'
import { type Pointer, splitPointer } from '../core/pointer.ts'
import type { Span } from '../core/span.ts'
import { findLineStarts, type LineStarts, lineAt, type Range, spanOfRange } from './line_starts.ts'

/** A YAML scalar. */
export type Scalar = string | number | boolean | null

/**
 * A value of a YAML file with its position. For an alias (`*name`), the range is that of the alias; the content,
 * including the ranges of its parts, is that of the anchor.
 */
export interface Node extends Range {
  /** Range of the key in front of it; both -1 for items of lists and for the root. */
  readonly keyStart: number
  readonly keyEnd: number
  readonly content: Scalar | Members | readonly Node[]
}

/** Members of a map, in file order. */
export type Members = ReadonlyMap<string, Node>

/** Reports whether the content is a map. */
export function isMembers(content: Node['content']): content is Members {
  return content instanceof Map
}

/** Reports whether the content is a list. */
export function isItems(content: Node['content']): content is readonly Node[] {
  return Array.isArray(content)
}

/** Returns the plain value of a node, as `JSON.parse` would. A key `__proto__` becomes an own property. */
export function toValue(node: Node): unknown {
  const { content } = node
  if (isItems(content)) return content.map(toValue)
  if (!isMembers(content)) return content
  const value: Record<string, unknown> = {}
  for (const [key, member] of content) setOwn(value, key, toValue(member))
  return value
}

/** Sets an own property of any name, including `__proto__`. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Finds a direct child of a node by key or index. */
export function findPart(node: Node, token: string): Node | undefined {
  const { content } = node
  if (isMembers(content)) return content.get(token)
  return isItems(content) && /^\d+$/.test(token) ? content[Number(token)] : undefined
}

/** One YAML document: its value and the position of each part. */
export interface YamlDocument {
  /** Path as shown in messages. */
  readonly file: string
  /** Text of the entire file, without a byte order mark. */
  readonly text: string
  readonly lines: LineStarts
  readonly root: Node
  /** The plain value of the root, without positions. */
  readonly value: unknown
}

/** Parts a document is created from; `readRoot` and `readValue` are called at most once, on first use. */
interface DocumentParts {
  readonly file: string
  readonly text: string
  readonly readRoot: () => Node
  readonly readValue?: () => unknown
}

/** Creates a document. Positions are computed on first use: a file without faults needs none. */
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

/** Finds the node at a pointer, or its nearest ancestor in the file. */
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
 * Returns the span of the value at a pointer, or of its nearest ancestor in the file. A value that is empty or starts
 * on a line below its key is represented by the span of the key.
 */
export function spanAt(document: YamlDocument, pointer: Pointer): Span {
  const { file, lines } = document
  return spanOfRange(file, lines, shownRange(document, nearestNode(document, pointer)))
}

/** Returns the span of the key at a pointer, or of the value if it has no key. */
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
