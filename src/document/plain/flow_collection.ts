import { giveUp, maxDepth, type Reader, skipSpaces } from './plain_reader.ts'
import {
  checkPlainStart,
  endScalar,
  isKeyword,
  readQuoted,
  readQuotedText,
  resolvePlain,
  trimSpaces,
} from './plain_scalar.ts'
import type { Key } from './tree_builder.ts'

/** Reads a `{ }` or `[ ]` that ends on its line. */
export function readFlow<V>(reader: Reader<V>): V {
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
