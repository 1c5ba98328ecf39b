import { type Node, type Scalar, setOwn } from '../yaml_node.ts'

/** Maximum nesting depth; deeper files are left to the full parser, which reports them. */
export const maxDepth = 50

/** State of a read. Every function of this folder advances it. */
export interface Reader<V = unknown> {
  readonly text: string
  readonly builder: TreeBuilder<V>
  /** Offset of the next character. */
  at: number
  /** Indentation of the current line, in spaces; -1 at the end of the text. */
  indent: number
  /** End of the last value. */
  end: number
  depth: number
}

const notPlain = Symbol('not plain')

/** Aborts the read: the text uses YAML that this reader does not support, which is not a fault. */
export function giveUp(): never {
  throw notPlain
}

/** Runs a read; returns undefined if it was aborted. */
export function tryReading<T>(reading: () => T): T | undefined {
  try {
    return reading()
  } catch (thrown) {
    if (thrown === notPlain) return undefined
    throw thrown
  }
}

const lineFeed = 10
const space = 32
const hash = 35

// Lines begin with many spaces. Short commands do without the optimizing compiler, so that a pattern skips them faster than a loop.
const spaces = / */y

/** Moves from the start of a line to the first character of the next line with content. */
export function skipToContent(reader: Reader): void {
  const { text } = reader
  let start = reader.at
  for (;;) {
    spaces.lastIndex = start
    // Behind the end of the text, nothing matches.
    const at = spaces.test(text) ? spaces.lastIndex : text.length
    const code = text.charCodeAt(at)
    if (Number.isNaN(code)) {
      reader.at = text.length
      reader.indent = -1
      return
    }
    if (code !== lineFeed && code !== hash) {
      if (at === start && /^(?:---|\.\.\.|%)/.test(text.slice(at, at + 3))) giveUp()
      reader.at = at
      reader.indent = at - start
      return
    }
    const end = text.indexOf('\n', at)
    start = end === -1 ? text.length : end + 1
  }
}

/** Skips the spaces and the comment after a value; aborts if anything else follows. */
export function endLine(reader: Reader): void {
  const { text } = reader
  const from = reader.at
  while (text.charCodeAt(reader.at) === space) reader.at++
  const code = text.charCodeAt(reader.at)
  if (code === hash && reader.at > from) {
    const end = text.indexOf('\n', reader.at)
    reader.at = end === -1 ? text.length : end
  } else if (code !== lineFeed && !Number.isNaN(code)) giveUp()
  reader.at++
  skipToContent(reader)
}

/** Reports whether only spaces and a comment follow on the line. */
export function isLineEnd({ text, at }: Reader): boolean {
  let next = at
  while (text.charCodeAt(next) === space) next++
  const code = text.charCodeAt(next)
  return code === lineFeed || Number.isNaN(code) || (code === hash && next > at)
}

/** Skips spaces. */
export function skipSpaces(reader: Reader): void {
  while (reader.text.charCodeAt(reader.at) === space) reader.at++
}

/** A key and its range. */
export interface Key {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Builds the result of a read. `end` is the offset after the last character. */
export interface TreeBuilder<V> {
  scalar(content: Scalar, start: number, end: number): V
  list(items: V[], start: number, end: number): V
  /** Starts an empty map. */
  map(start: number): V
  /** Adds a member; returns false if the key exists. */
  add(map: V, key: Key, member: V): boolean
  /** Ends a map. */
  close(map: V, end: number): void
}

/** A node whose key and end are set later. */
type Draft = { -readonly [Member in keyof Node]: Node[Member] }

function draft(content: Node['content'], start: number, end: number): Draft {
  return { start, end, keyStart: -1, keyEnd: -1, content }
}

/** Builds nodes: values with positions. */
export const nodeBuilder: TreeBuilder<Node> = {
  scalar: draft,
  list: draft,
  map: (start) => draft(new Map(), start, start),
  add({ content }, key, member) {
    const members = content as Map<string, Node>
    if (members.has(key.name)) return false
    const node: Draft = member
    node.keyStart = key.start
    node.keyEnd = key.end
    members.set(key.name, node)
    return true
  },
  close(map, end) {
    const node: Draft = map
    node.end = end
  },
}

/** Builds plain values, equal to `toValue` of the nodes. */
export const valueBuilder: TreeBuilder<unknown> = {
  scalar: (content) => content,
  list: (items) => items,
  map: () => ({}),
  add(map, { name }, member) {
    const value = map as Record<string, unknown>
    if (Object.hasOwn(value, name)) return false
    setOwn(value, name, member)
    return true
  },
  close() {},
}
