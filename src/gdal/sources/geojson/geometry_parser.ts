import { maxPositions } from '../../../contract/limits.ts'
import type { GrowingBytes } from '../../../core/growing_bytes.ts'
import { wkbTypes } from '../../../geo/wkb.ts'
import { notNumber, tooManyPositions } from '../../import/fit_geometry.ts'
import { codes, isDigit, type JsonReader } from './json_reader.ts'

/** Maximum nesting depth of collections. */
const maxNesting = 32

interface GeometryType {
  readonly name: string
  readonly code: number
  /** Nesting depth of positions. */
  readonly depth: number
}

const types: readonly GeometryType[] = [
  { name: 'Point', code: wkbTypes.point, depth: 1 },
  { name: 'LineString', code: wkbTypes.lineString, depth: 2 },
  { name: 'Polygon', code: wkbTypes.polygon, depth: 3 },
  { name: 'MultiPoint', code: wkbTypes.multiPoint, depth: 2 },
  { name: 'MultiLineString', code: wkbTypes.multiLineString, depth: 3 },
  { name: 'MultiPolygon', code: wkbTypes.multiPolygon, depth: 4 },
  { name: 'GeometryCollection', code: wkbTypes.geometryCollection, depth: 0 },
]
const typesByName = new Map(types.map((type) => [type.name.toLowerCase(), type]))

/** Tells whether a GeoJSON type is a geometry type. */
export function isGeometryType(name: string): boolean {
  return typesByName.has(name.toLowerCase())
}

/** A geometry without its positions, which are in one list with those of other members of a collection. */
interface Member {
  readonly type: number
  readonly hasZ: boolean
  /** Number of positions. */
  readonly count: number
  /** Numbers of positions of the sequences in each part, if the type does not determine them. */
  readonly structure: readonly number[]
}

/** Properties of the geometries of a source. */
export interface GeometryFacts {
  /** Geometry types, as bit flags. */
  types: number
  hasZ: boolean
  hasLongPositions: boolean
}

/** Parses GeoJSON geometries into the format of the spool file. @see RFC 7946 clause 3.1 */
export class GeometryParser {
  readonly facts: GeometryFacts = { types: 0, hasZ: false, hasLongPositions: false }
  /** Why a part of the last geometry is missing; undefined if it is complete. */
  fault: string | undefined
  readonly #json: JsonReader
  /** Positions of x, y and z each. */
  #numbers = new Float64Array(3 << 10)
  #count = 0
  #members: Member[] = []
  #isCollection = false
  /** Nesting depth of the positions; 0 if there are none. */
  #depth = 0
  /** Nesting depths of empty lists, as bit flags. */
  #emptyDepths = 0
  #hasZ = false
  #sequenceStart = 0
  #isSequenceBroken = false
  #isPartBroken = false
  #isUneven = false
  #structure: number[] = []
  /** Index of the number of sequences of the current part in the structure. */
  #partAt = -1
  #partCount = 0

  readonly #maxCount: number

  /** @param maxCount maximum number of positions of a geometry */
  constructor(json: JsonReader, maxCount = maxPositions) {
    this.#json = json
    this.#maxCount = maxCount
  }

  /** Resets the parser. */
  clear(): void {
    this.fault = undefined
    this.#count = 0
    this.#members = []
    this.#isCollection = false
  }

  /** Parses a geometry; a value that is not an object is a null geometry. */
  read(): void {
    this.clear()
    if (this.#json.next() === codes.openObject) this.#readObject(0)
    else this.#json.pass()
  }

  #readObject(depth: number): void {
    const json = this.#json
    let type: GeometryType | undefined
    const count = this.#count
    this.#startCoordinates()
    json.members(() => {
      const next = json.bytes[json.at]
      if (json.isString('type') && next === codes.quote) {
        json.string()
        type = typesByName.get(json.bytes.toString('latin1', json.stringStart, json.stringEnd).toLowerCase())
      } else if (json.isString('coordinates') && next === codes.openList) {
        this.#count = count
        this.#startCoordinates()
        this.#readList(1)
      } else if (json.isString('geometries') && next === codes.openList) this.#readMembers(depth)
      else json.pass()
    })
    if (type?.code === wkbTypes.geometryCollection) {
      this.#isCollection = true
      this.facts.types |= 1 << type.code
    } else this.#endGeometry(type, count)
  }

  #readMembers(depth: number): void {
    const json = this.#json
    if (depth === maxNesting) {
      this.fault ??= 'its collections are nested too deeply'
      json.pass()
      return
    }
    json.expect(codes.openList)
    if (json.takes(codes.closeList)) return
    do {
      if (json.next() === codes.openObject) this.#readObject(depth + 1)
      else {
        const what = json.describe()
        this.fault ??= `a member of its geometry collection is ${what}`
      }
    } while (json.takes(codes.comma))
    json.expect(codes.closeList)
  }

  #startCoordinates(): void {
    this.#depth = 0
    this.#emptyDepths = 0
    this.#hasZ = false
    this.#sequenceStart = this.#count
    this.#isSequenceBroken = false
    this.#isPartBroken = false
    this.#isUneven = false
    this.#structure = []
    this.#partAt = -1
    this.#partCount = 0
  }

  /** Adds a member of a type from the parsed positions. */
  #endGeometry(type: GeometryType | undefined, start: number): void {
    const depth = this.#depth
    if (type !== undefined && depth > 0) {
      if (depth !== type.depth) this.#break(`its coordinates are not those of a ${type.name}`, start)
      else if (this.#emptyDepths >> depth !== 0) this.#break('a position has no numbers', start)
    }
    const isLost =
      this.#isUneven ||
      (depth === 1 && this.#isSequenceBroken) ||
      (type?.code === wkbTypes.polygon && this.#isPartBroken)
    if (type === undefined || isLost) this.#count = start
    const count = this.#count - start
    if (type === undefined || count === 0) return
    const { code } = type
    // A MultiPolygon is preceded by its number of polygons; each polygon by its number of rings.
    const structure = depth < 3 ? [] : this.#structure
    const parts = depth === 4 ? [this.#partCount] : []
    this.#members.push({ type: code, hasZ: this.#hasZ, count, structure: [...parts, ...structure] })
    this.facts.types |= 1 << code
    this.facts.hasZ ||= this.#hasZ
  }

  /** Drops a geometry whose positions cannot be assigned. */
  #break(fault: string, start: number): void {
    this.fault ??= fault
    this.#count = start
  }

  /** Parses nested lists of positions. Empty lists are absent parts. */
  #readList(depth: number): void {
    const json = this.#json
    json.expect(codes.openList)
    const first = json.next()
    if (first === codes.closeList) {
      json.at += 1
      this.#emptyDepths |= 1 << depth
      return
    }
    if (beginsNumber(first)) {
      this.#readPosition(depth)
      return
    }
    do this.#readItem(depth)
    while (json.takes(codes.comma))
    json.expect(codes.closeList)
    this.#closeList(depth)
  }

  #readItem(depth: number): void {
    const json = this.#json
    const byte = json.next()
    if (byte === codes.openList && depth < deepestList) this.#readList(depth + 1)
    else if (byte === codes.openList || beginsNumber(byte)) {
      this.#breakUneven()
      json.pass()
    } else {
      const what = json.describe()
      this.fault ??= `${notNumber}: ${what}`
      // A missing inner ring does not affect the other rings.
      this.#isSequenceBroken ||= depth !== this.#depth - 2 || this.#partAt < 0
    }
  }

  /** Parses a list that starts with a number, after its bracket. */
  #readPosition(depth: number): void {
    if (this.#depth === 0) this.#depth = depth
    else if (this.#depth !== depth) this.#breakUneven()
    const json = this.#json
    const at = 3 * this.#count
    if (at + 3 > this.#numbers.length) this.#grow()
    const numbers = this.#numbers
    numbers[at + 2] = 0
    let size = 0
    do {
      const byte = json.next()
      if (!beginsNumber(byte)) {
        if (byte === codes.openList) this.#breakUneven()
        this.#breakSequence(`${notNumber}: ${json.describe()}`)
        continue
      }
      const value = json.number()
      if (size < 3) numbers[at + size] = value
      if (!Number.isFinite(value)) this.#breakSequence(notNumber)
      size += 1
    } while (json.takes(codes.comma))
    json.expect(codes.closeList)
    if (size < 2) this.#breakSequence('a position has only one number')
    if (size > 2) this.#hasZ = true
    if (size > 3) this.facts.hasLongPositions = true
    if (this.#count < this.#maxCount) this.#count += 1
    else this.#breakLarge()
  }

  /** Drops a geometry with too many positions; the rest of them is read, but not kept. */
  #breakLarge(): void {
    this.fault ??= tooManyPositions(this.#maxCount)
    this.#isUneven = true
  }

  #breakSequence(fault: string): void {
    this.fault ??= fault
    this.#isSequenceBroken = true
  }

  #breakUneven(): void {
    this.fault ??= 'its positions are nested at different depths'
    this.#isUneven = true
  }

  #closeList(depth: number): void {
    if (depth === this.#depth - 1) this.#endSequence()
    else if (depth === this.#depth - 2) {
      this.#partAt = -1
      if (this.#depth === 4) this.#isPartBroken = false
    }
  }

  /** Drops a broken sequence; also the inner rings of a polygon without its outer ring. */
  #endSequence(): void {
    const count = this.#count - this.#sequenceStart
    const isFirst = this.#partAt < 0
    if (isFirst && this.#isSequenceBroken) this.#isPartBroken = true
    if (this.#isSequenceBroken || (this.#isPartBroken && this.#depth === 4)) {
      this.#count = this.#sequenceStart
    } else if (count > 0) {
      if (isFirst) {
        this.#partAt = this.#structure.push(0) - 1
        this.#partCount += 1
      }
      this.#structure[this.#partAt] = (this.#structure[this.#partAt] ?? 0) + 1
      this.#structure.push(count)
    }
    this.#sequenceStart = this.#count
    this.#isSequenceBroken = false
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#numbers.length)
    larger.set(this.#numbers)
    this.#numbers = larger
  }

  /** Writes the last geometry: its type (0 for a null geometry), its positions, then its structure. */
  write(spool: GrowingBytes): void {
    const members = this.#members
    const [first] = members
    const hasZ = members.some((member) => member.hasZ)
    spool.reserve(
      32 + 24 * this.#count + members.reduce((sum, { structure }) => sum + 32 + 4 * structure.length, 0),
    )
    const type = first === undefined ? 0 : this.#isCollection ? wkbTypes.geometryCollection : first.type
    spool.bytes[spool.at++] = type
    if (first === undefined) return
    spool.bytes[spool.at++] = hasZ ? 1 : 0
    spool.u32(this.#count)
    this.#writePositions(spool, hasZ ? 3 : 2)
    if (this.#isCollection) spool.u32(members.length)
    for (const member of members) {
      if (this.#isCollection) {
        spool.bytes[spool.at++] = member.type
        spool.u32(member.count)
      }
      for (const number of member.structure) spool.u32(number)
    }
  }

  #writePositions(spool: GrowingBytes, size: number): void {
    const { view } = spool
    const numbers = this.#numbers
    const end = 3 * this.#count
    let { at } = spool
    for (let index = 0; index < end; index += 3) {
      view.setFloat64(at, numbers[index] as number, true)
      view.setFloat64(at + 8, numbers[index + 1] as number, true)
      if (size === 3) view.setFloat64(at + 16, numbers[index + 2] as number, true)
      at += 8 * size
    }
    spool.at = at
  }
}

/** Greater than the depth of any geometry. */
const deepestList = 6

function beginsNumber(byte: number): boolean {
  return isDigit(byte) || byte === codes.minus
}
