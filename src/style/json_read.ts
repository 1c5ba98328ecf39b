import type { Issue } from '../core/issue.ts'
import type { Span } from '../core/span.ts'
import { createLocator } from './xml/xml_read.ts'

/** A value of a JSON text, with its position. */
export type JsonNode = JsonObject | JsonArray | JsonScalar

interface Positioned {
  readonly span: Span
}

/** An object; of members with the same name, the last one counts. */
export interface JsonObject extends Positioned {
  readonly kind: 'object'
  readonly members: ReadonlyMap<string, JsonMember>
}

/** A member of an object, with the position of its name. */
export interface JsonMember extends Positioned {
  readonly value: JsonNode
}

/** A list. */
export interface JsonArray extends Positioned {
  readonly kind: 'array'
  readonly items: readonly JsonNode[]
}

/** A string, number, boolean or null. */
export interface JsonScalar extends Positioned {
  readonly kind: 'scalar'
  readonly value: string | number | boolean | null
}

/** Result of reading a text as JSON. */
export interface JsonResult {
  readonly root?: JsonNode
  readonly issues: readonly Issue[]
}

/** Maximum nesting depth, so that walking the tree cannot exhaust the stack, and number of values. */
const limits = { depth: 64, values: 200_000 }

/** What is wrong with a text, and where. */
class JsonFault extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

interface Cursor {
  readonly text: string
  readonly locate: (offset: number, length: number) => Span
  at: number
  count: number
}

/** Reads JSON with the positions of its values. */
export function readJson(text: string, file: string, maxLength: number): JsonResult {
  const locate = createLocator(text, file)
  try {
    if (text.length > maxLength) throw new JsonFault(`the text has more than ${maxLength} characters`, 0)
    const cursor: Cursor = { text, locate, at: 0, count: 0 }
    const root = readNode(cursor, 0)
    skipSpace(cursor)
    if (cursor.at < text.length) throw unexpected(cursor)
    return { root, issues: [] }
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error
    const span = locate(error.offset, 1)
    return { issues: [{ code: 'style/bad-value', message: error.message, severity: 'error', span }] }
  }
}

function unexpected({ text, at }: Cursor): JsonFault {
  const found = at < text.length ? JSON.stringify(text[at]) : 'the end of the text'
  return new JsonFault(`the text is not JSON: unexpected ${found}`, Math.min(at, text.length))
}

function skipSpace(cursor: Cursor): void {
  while (' \t\r\n'.includes(cursor.text[cursor.at] ?? '-')) cursor.at += 1
}

function take(cursor: Cursor, mark: string): boolean {
  skipSpace(cursor)
  if (cursor.text[cursor.at] !== mark) return false
  cursor.at += 1
  return true
}

function readNode(cursor: Cursor, depth: number): JsonNode {
  skipSpace(cursor)
  cursor.count += 1
  if (depth > limits.depth)
    throw new JsonFault(`values are nested more than ${limits.depth} levels deep`, cursor.at)
  if (cursor.count > limits.values)
    throw new JsonFault(`the text has more than ${limits.values} values`, cursor.at)
  const start = cursor.at
  if (take(cursor, '{')) return readObject(cursor, start, depth)
  if (take(cursor, '[')) return readArray(cursor, start, depth)
  const { value, span } = readScalar(cursor)
  return { kind: 'scalar', value, span }
}

function readObject(cursor: Cursor, start: number, depth: number): JsonObject {
  const members = new Map<string, JsonMember>()
  if (!take(cursor, '}'))
    do {
      skipSpace(cursor)
      const { value: name, span } = readScalar(cursor)
      if (typeof name !== 'string' || !take(cursor, ':')) throw unexpected(cursor)
      members.set(name, { span, value: readNode(cursor, depth + 1) })
    } while (continues(cursor, '}'))
  return { kind: 'object', members, span: cursor.locate(start, 1) }
}

function readArray(cursor: Cursor, start: number, depth: number): JsonArray {
  const items: JsonNode[] = []
  if (!take(cursor, ']'))
    do items.push(readNode(cursor, depth + 1))
    while (continues(cursor, ']'))
  return { kind: 'array', items, span: cursor.locate(start, 1) }
}

/** Returns whether another item follows; false at the end. */
function continues(cursor: Cursor, end: string): boolean {
  if (take(cursor, ',')) return true
  if (take(cursor, end)) return false
  throw unexpected(cursor)
}

const scalar = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

function readScalar(cursor: Cursor): Pick<JsonScalar, 'value' | 'span'> {
  scalar.lastIndex = cursor.at
  const [text] = scalar.exec(cursor.text) ?? []
  if (text === undefined) throw unexpected(cursor)
  const span = cursor.locate(cursor.at, text.length)
  try {
    const value = JSON.parse(text) as JsonScalar['value']
    cursor.at += text.length
    return { value, span }
  } catch {
    // A string has control characters or unknown escapes.
    throw unexpected(cursor)
  }
}
