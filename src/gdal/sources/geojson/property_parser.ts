import type { GrowingBytes } from '../../../core/growing_bytes.ts'
import { type GeoJsonColumns, kindOfString, kinds } from './columns.ts'
import { codes, isDigit, type JsonReader } from './json_reader.ts'

const plain: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, character]) => [letter.charCodeAt(0), character.charCodeAt(0)],
  ),
)

const backslash = 0x5c

const letterU = 0x75

/** Formats of values in the spool file, which follow the number of the column. */
export const valueFormats = {
  /** A double, and the number as it is written, with its length. */
  real: 0,
  /** A 64-bit integer, and the number as it is written, with its length. */
  wide: 1,
  /** A string with its length. */
  string: 2,
  /** Null, which replaces an earlier value of the same column. */
  none: 3,
} as const

/** Size of the header of a value: column and format. */
export const valueHeaderBytes = 3

const nanWords: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity'])
const idColumn = 0

/** Parses properties of features into the format of the spool file. */
export class PropertyParser {
  readonly #json: JsonReader
  readonly #spool: GrowingBytes
  readonly #columns: GeoJsonColumns
  /** Whether the properties of the feature are not in column order, or repeated. */
  isUnsorted = false
  #last = idColumn

  constructor(json: JsonReader, spool: GrowingBytes, columns: GeoJsonColumns) {
    this.#json = json
    this.#spool = spool
    this.#columns = columns
  }

  /** Starts a feature, possibly again. */
  start(feature: number): void {
    this.#columns.startFeature(feature)
    this.isUnsorted = false
    this.#last = idColumn
  }

  /** Reads the `id` of a feature; lists and objects are ignored. */
  readId(): void {
    const byte = this.#json.next()
    if (byte === codes.openList || byte === codes.openObject) this.#json.pass()
    else this.#readValue(idColumn)
  }

  /** Reads the value of the last key as a property. */
  readMember(): void {
    const json = this.#json
    const { stringStart, stringEnd, isEscaped } = json
    const decode = () => unescapeJson(json, stringStart, stringEnd).toString()
    const column = this.#columns.find(json, this.#last + 1, isEscaped ? decode : () => '')
    const isAgain = column <= this.#last
    if (isAgain) this.isUnsorted = true
    else this.#last = column
    if (this.#readValue(column) || !isAgain) return
    this.#spool.reserve(valueHeaderBytes)
    this.#startValue(column, 'none', 0)
  }

  /** Writes a value; returns false for null. */
  #readValue(column: number): boolean {
    const json = this.#json
    const byte = json.next()
    if (byte === codes.quote) this.#readString(column)
    else if (isDigit(byte) || (byte === codes.minus && isDigit(json.bytes[json.at + 1] as number)))
      this.#readNumber(column)
    else if (byte === codes.openList || byte === codes.openObject) this.#readNested(column)
    else {
      const start = json.at
      const word = json.word()
      if (word === 'null') return false
      if (word === 'true' || word === 'false')
        this.#writeNumber(column, Number(word === 'true'), { start, kind: kinds.boolean })
      else if (nanWords.has(word)) this.#writeNumber(column, Number(word), { start, kind: kinds.real })
      else throw json.fault('syntax', start)
    }
    return true
  }

  #startValue(column: number, form: keyof typeof valueFormats, kind: number): void {
    const spool = this.#spool
    const found = this.#columns.all[column]
    if (found !== undefined) found.kinds |= kind
    spool.u16(column)
    spool.bytes[spool.at++] = valueFormats[form]
  }

  #readNumber(column: number): void {
    const json = this.#json
    const start = json.at
    const value = json.number()
    if (!json.isInteger) this.#writeNumber(column, value, { start, kind: kinds.real })
    else if (value === (value | 0)) this.#writeNumber(column, value, { start, kind: kinds.integer })
    else if (Number.isSafeInteger(value)) this.#writeNumber(column, value, { start, kind: kinds.long })
    else this.#writeWide(column, start)
  }

  #writeNumber(column: number, value: number, { start, kind }: { start: number; kind: number }): void {
    const spool = this.#spool
    const length = this.#json.at - start
    spool.reserve(valueHeaderBytes + 12 + length)
    this.#startValue(column, 'real', kind)
    spool.f64(value)
    this.#writeBytes(this.#json.bytes, start, this.#json.at)
  }

  #writeWide(column: number, start: number): void {
    const spool = this.#spool
    const { bytes, at } = this.#json
    const value = BigInt(bytes.toString('latin1', start, at))
    spool.reserve(valueHeaderBytes + 12 + at - start)
    const isHuge = BigInt.asIntN(64, value) !== value
    this.#startValue(column, isHuge ? 'string' : 'wide', isHuge ? kinds.huge : kinds.wide)
    if (!isHuge) {
      spool.view.setBigInt64(spool.at, value, true)
      spool.at += 8
    }
    this.#writeBytes(bytes, start, at)
  }

  #readString(column: number): void {
    const json = this.#json
    json.string()
    const isString = ((this.#columns.all[column]?.kinds ?? 0) & kinds.string) !== 0
    const kind = isString || json.isEscaped ? kinds.string : kindOfString(json)
    const { stringStart, stringEnd } = json
    if (json.isEscaped) {
      const bytes = unescapeJson(json, stringStart, stringEnd)
      this.#writeString(column, bytes, { start: 0, end: bytes.length, kind })
    } else this.#writeString(column, json.bytes, { start: stringStart, end: stringEnd, kind })
  }

  /** Writes a list or an object as JSON, without white space between tokens. */
  #readNested(column: number): void {
    const json = this.#json
    const start = json.at
    json.pass()
    const { bytes, at } = json
    try {
      JSON.parse(bytes.toString('latin1', start, at))
    } catch {
      throw json.fault('syntax', start)
    }
    const compact = Buffer.allocUnsafe(at - start)
    let length = 0
    let isString = false
    for (let index = start; index < at; index++) {
      const byte = bytes[index] as number
      if (byte <= 0x20 && !isString) continue
      compact[length++] = byte
      if (byte === codes.quote) isString = !isString
      else if (byte === codes.backslash) compact[length++] = bytes[++index] as number
    }
    this.#writeString(column, compact, { start: 0, end: length, kind: kinds.json })
  }

  #writeString(column: number, bytes: Buffer, { start, end, kind }: StringRange): void {
    this.#spool.reserve(valueHeaderBytes + 4 + end - start)
    this.#startValue(column, 'string', kind)
    this.#writeBytes(bytes, start, end)
  }

  /** Writes the length of bytes, and the bytes. Most strings are short, for which a loop is faster than a copy. */
  #writeBytes(bytes: Buffer, start: number, end: number): void {
    const spool = this.#spool
    spool.u32(end - start)
    const target = spool.bytes
    let { at } = spool
    if (end - start > 32) at += bytes.copy(target, at, start, end)
    else for (let index = start; index < end; index++) target[at++] = bytes[index] as number
    spool.at = at
  }
}

interface StringRange {
  readonly start: number
  readonly end: number
  readonly kind: number
}

/**
 * Resolves the escapes of a string in the window. Bytes that are not UTF-8 are kept; an unpaired surrogate becomes
 * U+FFFD.
 *
 * @throws {JsonFault} for U+0000, which databases cannot store
 */
function unescapeJson(json: JsonReader, start: number, end: number): Buffer {
  const { bytes } = json
  const target = Buffer.allocUnsafe(end - start)
  let length = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    const next = bytes[at + 1] as number
    if (byte !== backslash) target[length++] = byte
    else if (next !== letterU) {
      const character = plain.get(next)
      if (character === undefined) throw json.fault('syntax', at)
      target[length++] = character
      at += 1
    } else {
      const { character, size } = readCharacter(json, at, end)
      length += target.write(character, length)
      at += size - 1
    }
  }
  return target.subarray(0, length)
}

/** Reads the escape of a code unit, and of the next one if they are a surrogate pair. */
function readCharacter(json: JsonReader, at: number, end: number): { character: string; size: number } {
  const { bytes } = json
  const unit = unitAt(json, at, end)
  if (unit === 0) throw json.fault('nul', at)
  const hasSecond = isHigh(unit) && bytes[at + 6] === backslash && bytes[at + 7] === letterU
  const second = hasSecond ? unitAt(json, at + 6, end) : 0
  if (isBetween(second, 0xdc00, 0xdfff)) return { character: String.fromCharCode(unit, second), size: 12 }
  return { character: isBetween(unit, 0xd800, 0xdfff) ? '\uFFFD' : String.fromCharCode(unit), size: 6 }
}

function isHigh(unit: number): boolean {
  return isBetween(unit, 0xd800, 0xdbff)
}

function isBetween(value: number, from: number, to: number): boolean {
  return value >= from && value <= to
}

/** Reads the four hexadecimal digits of an escape. */
function unitAt(json: JsonReader, at: number, end: number): number {
  const digits = json.bytes.toString('latin1', at + 2, Math.min(at + 6, end))
  if (!/^[\da-fA-F]{4}$/.test(digits)) throw json.fault('syntax', at)
  return Number.parseInt(digits, 16)
}
