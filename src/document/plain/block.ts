import type { Node } from '../node.ts'
import { readFlow } from './flow.ts'
import {
  type Draft,
  draft,
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
  if (/[\t\r\ufeff]/.test(text)) return undefined
  return tryReading(() => {
    const reader: Reader = { text, at: 0, indent: 0, depth: 0 }
    toContent(reader)
    const start = reader.indent
    const root = start === 0 ? readBlock(reader) : giveUp()
    return isAtEnd(reader) ? root : giveUp()
  })
}

function isAtEnd({ indent }: Reader): boolean {
  return indent === -1
}

function readBlock(reader: Reader): Draft {
  return isDash(reader) ? readList(reader) : readMap(reader, reader.indent)
}

function isDash({ text, at }: Reader): boolean {
  return text[at] === '-' && text[at + 1] === ' '
}

function readMap(reader: Reader, indent: number): Draft {
  if (++reader.depth > maxDepth) giveUp()
  const members = new Map<string, Node>()
  const start = reader.at
  let end = start
  do {
    const key = readKey(reader)
    const node = readMember(reader, indent)
    if (members.has(key.name)) giveUp()
    node.keyStart = key.start
    node.keyEnd = key.end
    members.set(key.name, node)
    end = node.end
  } while (reader.indent === indent)
  if (reader.indent > indent) giveUp()
  reader.depth--
  return draft(start, end, members)
}

const plainKey = /[A-Za-z_][A-Za-z0-9_.-]*(?: [A-Za-z0-9_.-]+)*(?=:(?: |\n|$))/y
const quotedKey = /"[^"\\\n]*"(?=:(?: |\n|$))/y

interface Key {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Reads a key and its colon. */
function readKey(reader: Reader): Key {
  const { text, at: start } = reader
  const isQuoted = text[start] === '"'
  const pattern = isQuoted ? quotedKey : plainKey
  pattern.lastIndex = start
  const written = pattern.exec(text)?.[0]
  if (written === undefined || isWord(written)) return giveUp()
  const end = start + written.length
  reader.at = end + 1
  return { name: isQuoted ? written.slice(1, -1) : written, start, end }
}

function readMember(reader: Reader, indent: number): Draft {
  if (!isLineOver(reader)) return readInline(reader, indent)
  const start = reader.at
  endLine(reader)
  if (reader.indent > indent) return readBlock(reader)
  return reader.indent === indent && isDash(reader) ? readList(reader) : draft(start, start, null)
}

/** Reads a value that starts on the line, and goes to the line behind it. */
function readInline(reader: Reader, indent: number): Draft {
  skipSpaces(reader)
  const first = reader.text[reader.at]
  if (first === '|') {
    const literal = readLiteral(reader, indent)
    toContent(reader)
    return literal
  }
  const node = readInlineValue(reader, first)
  endLine(reader)
  return node
}

function readInlineValue(reader: Reader, first: string | undefined): Draft {
  if (first === '{' || first === '[') return readFlow(reader)
  return first === '"' || first === "'" ? readQuoted(reader) : readPlainText(reader)
}

function readList(reader: Reader): Draft {
  if (++reader.depth > maxDepth) giveUp()
  const { indent, at: start } = reader
  const items: Node[] = []
  let end = start
  while (reader.indent === indent && isDash(reader)) {
    const item = readItem(reader, indent)
    items.push(item)
    end = item.end
  }
  if (reader.indent > indent) giveUp()
  reader.depth--
  return draft(start, end, items)
}

function readItem(reader: Reader, indent: number): Draft {
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
