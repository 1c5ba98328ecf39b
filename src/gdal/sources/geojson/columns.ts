import type { Datatype } from '../../../contract/geometry.ts'
import { GeoJsonFault } from './geojson_fault.ts'
import type { JsonReader } from './json_reader.ts'

/** Kinds of values, as bit flags. */
export const kinds = {
  /** An integer of 32 bits. */
  integer: 1,
  /** An integer that a double represents exactly. */
  long: 2,
  /** An integer of 64 bits. */
  wide: 4,
  /** An integer beyond 64 bits. */
  huge: 8,
  real: 16,
  boolean: 32,
  string: 64,
  date: 128,
  time: 256,
  timestamp: 512,
  json: 1024,
} as const

/** A property of the features of a source. */
export interface GeoJsonColumn {
  readonly name: string
  /** Key as it is written in the file. */
  readonly key: Buffer
  /** Kinds of its values, as bit flags. */
  kinds: number
  /** Number of the first feature with this property. */
  readonly feature: number
  /** Index of the earlier column that follows it in that feature; -1 if there is none. */
  before: number
}

/** Maximum number of properties: the row format numbers them with 16 bits. */
const maxColumns = 65_000
/** Maximum number of properties that are sorted; no table has as many. */
const maxSorted = 2000

/** Columns of a source in order of their first appearance; the first one is the `id` of the features. */
export class GeoJsonColumns {
  readonly all: GeoJsonColumn[] = []
  readonly #byKey = new Map<string, number>()
  #feature = 0
  /** Columns that appear first in this feature, and are not yet followed by an earlier column. */
  #pending: GeoJsonColumn[] = []

  constructor() {
    this.#add(Buffer.alloc(0), 'id')
  }

  /** Starts a feature, possibly again. */
  startFeature(number: number): void {
    this.#feature = number
    this.#pending = []
  }

  /** Returns the columns in the order of the features: a new column precedes the earlier column that follows it. */
  ordered(): number[] {
    const order: number[] = []
    const isFew = this.all.length <= maxSorted
    for (const [index, { before }] of this.all.entries())
      order.splice(before < 0 || !isFew ? order.length : order.indexOf(before), 0, index)
    return order
  }

  /**
   * Finds or adds the column of the last key.
   *
   * @param expected the column that is likely to be next
   * @param decode decodes a key that has escapes
   */
  find(json: JsonReader, expected: number, decode: () => string): number {
    const index = this.#findIndex(json, expected, decode)
    const column = this.all[index] as GeoJsonColumn
    if (column.feature === this.#feature) this.#pending.push(column)
    else if (this.#pending.length > 0) {
      for (const earlier of this.#pending) earlier.before = index
      this.#pending = []
    }
    return index
  }

  #findIndex(json: JsonReader, expected: number, decode: () => string): number {
    const known = this.all[expected]
    if (known !== undefined && !json.isEscaped && isKey(json, known.key)) return expected
    const { bytes, stringStart, stringEnd } = json
    const name = json.isEscaped ? decode() : bytes.toString('utf8', stringStart, stringEnd)
    const found = this.#byKey.get(name)
    if (found !== undefined) return found
    const key = json.isEscaped ? Buffer.from('"') : Buffer.from(bytes.subarray(stringStart, stringEnd))
    this.#byKey.set(name, this.all.length)
    return this.#add(key, name)
  }

  #add(key: Buffer, name: string): number {
    if (this.all.length === maxColumns) throw new GeoJsonFault(`it has more than ${maxColumns} properties`)
    return this.all.push({ name, key, kinds: 0, feature: this.#feature, before: -1 }) - 1
  }
}

function isKey({ bytes, stringStart, stringEnd }: JsonReader, key: Buffer): boolean {
  if (stringEnd - stringStart !== key.length) return false
  for (let index = 0; index < key.length; index++) if (bytes[stringStart + index] !== key[index]) return false
  return true
}

const whole = kinds.integer | kinds.long | kinds.wide | kinds.huge
/** Integers that a double represents exactly. */
const exact = kinds.integer | kinds.long

/**
 * Returns the datatype that represents all values of a column without loss. Mixed numbers and strings become strings,
 * and so do integers that a double cannot represent exactly, mixed with fractions.
 */
export function datatypeOfKinds(found: number): Datatype {
  const isOnly = (allowed: number) => found !== 0 && (found & ~allowed) === 0
  if (isOnly(kinds.integer | kinds.boolean)) return 'INTEGER'
  if (isOnly(whole | kinds.boolean)) return 'BIGINT'
  if (isOnly(exact | kinds.real | kinds.boolean)) return 'REAL'
  if (isOnly(kinds.date)) return 'DATE'
  if (isOnly(kinds.time)) return 'TIME'
  if (isOnly(kinds.date | kinds.timestamp)) return 'DATETIME'
  return 'STRING'
}

const datePattern = /^(?!0000)\d{4}([-/])(0[1-9]|1[0-2])\1(0[1-9]|[12]\d|3[01])/
const clockPattern = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?/
const zonePattern = /^(Z|[-+]\d\d(:?\d\d)?)?$/
const minTimestampLength = 5
const maxTimestampLength = 40

/** Returns the kind of a string without escapes. @see RFC 3339 clause 5.6 */
export function kindOfString({ bytes, stringStart, stringEnd }: JsonReader): number {
  const size = stringEnd - stringStart
  const first = bytes[stringStart] as number
  if (size < minTimestampLength || size > maxTimestampLength || first < 0x30 || first > 0x39)
    return kinds.string
  const string = bytes.toString('latin1', stringStart, stringEnd)
  if (clockPattern.exec(string)?.[0] === string) return kinds.time
  const date = datePattern.exec(string)?.[0]
  if (date === undefined) return kinds.string
  if (date === string) return kinds.date
  const clock = /^[T ]/.test(string.slice(date.length))
    ? clockPattern.exec(string.slice(date.length + 1))
    : null
  const isTimestamp = clock !== null && zonePattern.test(string.slice(date.length + 1 + clock[0].length))
  return isTimestamp ? kinds.timestamp : kinds.string
}
