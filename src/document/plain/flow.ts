import type { Node } from '../node.ts'
import { type Draft, draft, giveUp, maxDepth, type Reader, skipSpaces } from './reader.ts'
import { checkPlainStart, isWord, readQuoted, resolvePlain } from './scalar.ts'

/** Reads `{ }` or `[ ]` that ends on its line. */
export function readFlow(reader: Reader): Draft {
  const start = reader.at
  if (++reader.depth > maxDepth) giveUp()
  reader.at++
  const content = reader.text[start] === '{' ? readMembers(reader) : readItems(reader)
  reader.depth--
  return draft(start, reader.at, content)
}

function readItems(reader: Reader): Node[] {
  const items: Node[] = []
  while (!isClosed(reader, ']', items.length)) items.push(readValue(reader))
  return items
}

function readMembers(reader: Reader): Map<string, Node> {
  const members = new Map<string, Node>()
  while (!isClosed(reader, '}', members.size)) {
    const key = readFlowKey(reader)
    const node = readValue(reader)
    if (typeof key.content !== 'string' || members.has(key.content)) giveUp()
    node.keyStart = key.start
    node.keyEnd = key.end
    members.set(key.content, node)
  }
  return members
}

/** Passes the comma between items, or the bracket behind the last one. */
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

function readFlowKey(reader: Reader): Draft {
  const start = reader.at
  if (reader.text[start] === '"') {
    const key = readQuoted(reader)
    if (!reader.text.startsWith(': ', reader.at)) giveUp()
    reader.at += 2
    return key
  }
  flowKey.lastIndex = start
  const name = flowKey.exec(reader.text)?.[0]
  if (name === undefined || isWord(name)) return giveUp()
  reader.at += name.length + 2
  return draft(start, start + name.length, name)
}

function readValue(reader: Reader): Draft {
  skipSpaces(reader)
  const first = reader.text[reader.at]
  if (first === '{' || first === '[') return readFlow(reader)
  if (first === '"' || first === "'") return readQuoted(reader)
  return readPlainItem(reader)
}

const plainItem = /[^,[\]{}\n]+/y

function readPlainItem(reader: Reader): Draft {
  checkPlainStart(reader)
  const start = reader.at
  plainItem.lastIndex = start
  const plain = (plainItem.exec(reader.text)?.[0] ?? '').replace(/ +$/, '')
  if (plain === '' || plain.includes(': ') || plain.endsWith(':') || plain.includes(' #')) giveUp()
  reader.at = start + plain.length
  return draft(start, reader.at, resolvePlain(plain))
}
