import type { Node } from '../yaml_node.ts'
import {
  endLine,
  giveUp,
  isLineEnd,
  type Key,
  maxDepth,
  nodeBuilder,
  type Reader,
  skipSpaces,
  skipToContent,
  type TreeBuilder,
  tryReading,
  valueBuilder,
} from './plain_reader.ts'
import {
  checkPlainStart,
  endScalar,
  isKeyword,
  readLiteral,
  readPlainText,
  readQuoted,
  readQuotedText,
  resolvePlain,
  trimSpaces,
} from './plain_scalar.ts'

/**
 * Reads the subset of YAML that nearly every manifest is written in, many times faster than the full parser: block maps
 * and lists, `{ }` and `[ ]` on one line, plain and quoted scalars on one line, literal blocks, comments. Returns the
 * same nodes as the full parser, or undefined if the text has a fault or uses anything else.
 */
export function readPlainDocument(text: string): Node | undefined {
  return readPlain(text, nodeBuilder)
}

/** Reads only the value of such a text, without positions, in half the time and with less memory. */
export function readPlainValue(text: string): unknown {
  return readPlain(text, valueBuilder)
}

function readPlain<V>(text: string, builder: TreeBuilder<V>): V | undefined {
  if (/[\t\r\ufeff]/.test(text)) return undefined
  return tryReading(() => {
    const reader: Reader<V> = { text, builder, at: 0, indent: 0, end: 0, depth: 0 }
    skipToContent(reader)
    const start = reader.indent
    const root = start === 0 ? readBlock(reader) : giveUp()
    return isAtEnd(reader) ? root : giveUp()
  })
}

function isAtEnd({ indent }: Reader): boolean {
  return indent === -1
}

function readBlock<V>(reader: Reader<V>): V {
  return isDash(reader) ? readList(reader) : readMap(reader, reader.indent)
}

function isDash({ text, at }: Reader): boolean {
  return text[at] === '-' && text[at + 1] === ' '
}

function readMap<V>(reader: Reader<V>, indent: number): V {
  if (++reader.depth > maxDepth) giveUp()
  const { builder } = reader
  const map = builder.map(reader.at)
  do {
    const key = readKey(reader)
    if (!builder.add(map, key, readMember(reader, indent))) giveUp()
  } while (reader.indent === indent)
  if (reader.indent > indent) giveUp()
  reader.depth--
  builder.close(map, reader.end)
  return map
}

const plainKey = /[A-Za-z_][A-Za-z0-9_.-]*(?: [A-Za-z0-9_.-]+)*(?=:(?: |\n|$))/y
const quotedKey = /"[^"\\\n]*"(?=:(?: |\n|$))/y

/** Reads a key and its colon. */
function readKey(reader: Reader): Key {
  const { text, at: start } = reader
  const isQuoted = text[start] === '"'
  const pattern = isQuoted ? quotedKey : plainKey
  pattern.lastIndex = start
  if (!pattern.test(text)) giveUp()
  const end = pattern.lastIndex
  reader.at = end + 1
  if (isQuoted) return { name: text.slice(start + 1, end - 1), start, end }
  const name = text.slice(start, end)
  return isKeyword(name) ? giveUp() : { name, start, end }
}

function readMember<V>(reader: Reader<V>, indent: number): V {
  if (!isLineEnd(reader)) return readInline(reader, indent)
  const start = reader.at
  endLine(reader)
  if (reader.indent > indent) return readBlock(reader)
  if (reader.indent === indent && isDash(reader)) return readList(reader)
  reader.end = start
  return reader.builder.scalar(null, start, start)
}

/** Reads a value that starts on the current line, and moves to the line after it. */
function readInline<V>(reader: Reader<V>, indent: number): V {
  skipSpaces(reader)
  const first = reader.text[reader.at]
  if (first === '|') {
    const literal = readLiteral(reader, indent)
    skipToContent(reader)
    return literal
  }
  const value = readInlineValue(reader, first)
  endLine(reader)
  return value
}

function readInlineValue<V>(reader: Reader<V>, first: string | undefined): V {
  if (first === '{' || first === '[') return readFlow(reader)
  return first === '"' || first === "'" ? readQuoted(reader) : readPlainText(reader)
}

function readList<V>(reader: Reader<V>): V {
  if (++reader.depth > maxDepth) giveUp()
  const { indent, at: start } = reader
  const items: V[] = []
  while (reader.indent === indent && isDash(reader)) items.push(readItem(reader, indent))
  if (reader.indent > indent) giveUp()
  reader.depth--
  return reader.builder.list(items, start, reader.end)
}

function readItem<V>(reader: Reader<V>, indent: number): V {
  const dash = reader.at
  reader.at++
  if (isLineEnd(reader)) giveUp()
  skipSpaces(reader)
  return startsMap(reader) ? readMap(reader, indent + reader.at - dash) : readInline(reader, indent)
}

function startsMap({ text, at }: Reader): boolean {
  const pattern = text[at] === '"' ? quotedKey : plainKey
  pattern.lastIndex = at
  return pattern.test(text)
}

/** Reads a `{ }` or `[ ]` that ends on its line. */
function readFlow<V>(reader: Reader<V>): V {
  const start = reader.at
  if (++reader.depth > maxDepth) giveUp()
  reader.at++
  const value = reader.text[start] === '{' ? readMembers(reader, start) : readItems(reader, start)
  reader.depth--
  reader.end = reader.at
  return value
}

function readItems<V>(reader: Reader<V>, start: number): V {
  const items: V[] = []
  while (!isClosed(reader, ']', items.length)) items.push(readValue(reader))
  return reader.builder.list(items, start, reader.at)
}

function readMembers<V>(reader: Reader<V>, start: number): V {
  const { builder } = reader
  const map = builder.map(start)
  for (let count = 0; !isClosed(reader, '}', count); count++) {
    const key = readFlowKey(reader)
    if (!builder.add(map, key, readValue(reader))) giveUp()
  }
  builder.close(map, reader.at)
  return map
}

/** Consumes the comma between items, or the closing bracket. */
function isClosed(reader: Reader, bracket: string, count: number): boolean {
  skipSpaces(reader)
  const next = reader.text[reader.at]
  if (next === bracket) {
    reader.at++
    return true
  }
  if (count === 0) return false
  if (next !== ',') giveUp()
  reader.at++
  skipSpaces(reader)
  return false
}

const flowKey = /[A-Za-z_][A-Za-z0-9_.-]*(?=: )/y

function readFlowKey(reader: Reader): Key {
  const { text, at: start } = reader
  const name = text[start] === '"' ? readQuotedText(reader) : readPlainKey(reader)
  const end = reader.at
  if (!text.startsWith(': ', end)) giveUp()
  reader.at += 2
  return { name, start, end }
}

function readPlainKey(reader: Reader): string {
  const { text, at: start } = reader
  flowKey.lastIndex = start
  if (!flowKey.test(text)) giveUp()
  reader.at = flowKey.lastIndex
  const name = text.slice(start, reader.at)
  return isKeyword(name) ? giveUp() : name
}

function readValue<V>(reader: Reader<V>): V {
  skipSpaces(reader)
  const first = reader.text[reader.at]
  if (first === '{' || first === '[') return readFlow(reader)
  if (first === '"' || first === "'") return readQuoted(reader)
  return readPlainItem(reader)
}

const plainItem = /[^,[\]{}\n]+/y

function readPlainItem<V>(reader: Reader<V>): V {
  checkPlainStart(reader)
  const { text, at: start } = reader
  plainItem.lastIndex = start
  const plain = plainItem.test(text) ? trimSpaces(text.slice(start, plainItem.lastIndex)) : ''
  if (plain === '' || plain.includes(': ') || plain.endsWith(':') || plain.includes(' #')) giveUp()
  reader.at = start + plain.length
  return endScalar(reader, resolvePlain(plain), start)
}
