import type { Node } from '../node.ts'
import { readFlow } from './flow.ts'
import { type Key, type Maker, nodeMaker, valueMaker } from './maker.ts'
import {
  endLine,
  giveUp,
  isLineOver,
  maxDepth,
  type Reader,
  skipSpaces,
  toContent,
  tryReading,
} from './reader.ts'
import { isWord, readLiteral, readPlainText, readQuoted } from './scalar.ts'

/**
 * Reads a text that keeps to the plain part of YAML, the way nearly every manifest is written, many times faster than
 * the full parser: maps and lists by indentation, `{ }` and `[ ]` within a line, plain and quoted texts within a line,
 * literal blocks, comments. Gives what the full parser gives, or undefined where the text holds anything else (or a
 * fault): then the full parser has its say.
 */
export function readPlainDocument(text: string): Node | undefined {
  return readPlain(text, nodeMaker)
}

/** Reads the value of such a text, and nothing of where its parts stand: in half the time, and less of the memory. */
export function readPlainValue(text: string): unknown {
  return readPlain(text, valueMaker)
}

function readPlain<V>(text: string, make: Maker<V>): V | undefined {
  if (/[\t\r\ufeff]/.test(text)) return undefined
  return tryReading(() => {
    const reader: Reader<V> = { text, make, at: 0, indent: 0, end: 0, depth: 0 }
    toContent(reader)
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
  const { make } = reader
  const map = make.map(reader.at)
  do {
    const key = readKey(reader)
    if (!make.add(map, key, readMember(reader, indent))) giveUp()
  } while (reader.indent === indent)
  if (reader.indent > indent) giveUp()
  reader.depth--
  make.close(map, reader.end)
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
  return isWord(name) ? giveUp() : { name, start, end }
}

function readMember<V>(reader: Reader<V>, indent: number): V {
  if (!isLineOver(reader)) return readInline(reader, indent)
  const start = reader.at
  endLine(reader)
  if (reader.indent > indent) return readBlock(reader)
  if (reader.indent === indent && isDash(reader)) return readList(reader)
  reader.end = start
  return reader.make.scalar(null, start, start)
}

/** Reads a value that starts on the line, and goes to the line behind it. */
function readInline<V>(reader: Reader<V>, indent: number): V {
  skipSpaces(reader)
  const first = reader.text[reader.at]
  if (first === '|') {
    const literal = readLiteral(reader, indent)
    toContent(reader)
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
  return reader.make.list(items, start, reader.end)
}

function readItem<V>(reader: Reader<V>, indent: number): V {
  const dash = reader.at
  reader.at++
  if (isLineOver(reader)) giveUp()
  skipSpaces(reader)
  return startsMap(reader) ? readMap(reader, indent + reader.at - dash) : readInline(reader, indent)
}

function startsMap({ text, at }: Reader): boolean {
  const pattern = text[at] === '"' ? quotedKey : plainKey
  pattern.lastIndex = at
  return pattern.test(text)
}
