import { closeSync, openSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { GrowingBytes } from '../../../core/growing_bytes.ts'
import { writeAll } from '../../runner/write_all.ts'
import { GeoJsonColumns } from './columns.ts'
import { GeoJsonFault, JsonFault } from './geojson_fault.ts'
import { type GeometryFacts, GeometryParser, isGeometryType } from './geometry_parser.ts'
import { codes, JsonReader } from './json_reader.ts'
import { PropertyParser } from './property_parser.ts'
import { recordFlags, recordHeaderBytes } from './spool_reader.ts'

/** Content of a GeoJSON file, without the features, which are in the spool file. */
export interface GeoJsonFacts {
  readonly columns: GeoJsonColumns
  readonly geometries: GeometryFacts
  /** Number of features. */
  readonly count: number
  /** Whether the file is a sequence of documents. @see RFC 8142 */
  readonly isSequence: boolean
  /** Whether any feature has a negative id. */
  readonly hasNegativeIds: boolean
  /** Name of the collection; undefined if it has none. */
  readonly name: string | undefined
  /** Parsed member `crs` of the collection; undefined if it has none. */
  readonly crs: unknown
}

/** Paths of the file and of the spool file. */
export interface ReaderFiles {
  readonly path: string
  readonly spoolPath: string
  /** Initial size of the read window. */
  readonly windowBytes?: number
}

const byteOrderMark = [0xef, 0xbb, 0xbf]
const recordSeparator = 0x1e
const flushBytes = 1 << 18
/** Number of features after which to yield to the event loop. */
const turnFeatures = 5000
/** Members that are not properties of features without `properties`, as in GDAL. */
const structural = ['bbox', 'center', 'centroid']

type DocumentKind = 'collection' | 'feature' | 'geometry' | 'foreign'
/**
 * Reads a GeoJSON file in one pass, and writes its features to a spool file.
 *
 * @param tick called from time to time
 * @returns undefined if the file is JSON of another kind
 * @throws {GeoJsonFault}
 * @throws {JsonFault} for U+0000
 */
export async function readGeoJson(
  { path, spoolPath, windowBytes }: ReaderFiles,
  tick: (features: number) => void,
): Promise<GeoJsonFacts | undefined> {
  const file = openSync(path, 'r')
  const target = openSync(spoolPath, 'wx')
  const reader = new GeoJsonReader(new JsonReader(file, windowBytes), target)
  try {
    for (let turn = turnFeatures; reader.step(); ) {
      if (reader.count < turn) continue
      turn = reader.count + turnFeatures
      tick(reader.count)
      await setImmediate()
    }
    return reader.end()
  } catch (error) {
    throw error instanceof JsonFault ? explain(error, reader.count) : error
  } finally {
    closeSync(file)
    closeSync(target)
  }
}

function explain(fault: JsonFault, count: number): Error {
  const { kind, offset } = fault
  if (kind === 'nul') return fault
  if (kind === 'size') return new GeoJsonFault(`feature ${count + 1} is larger than 1 GiB`)
  const what = kind === 'end' ? 'its JSON is truncated' : 'it is not valid JSON'
  const place = count === 0 ? 'before the first feature ends' : `after feature ${count}`
  return new GeoJsonFault(`${what} at byte ${offset + 1}, ${place}`)
}

class GeoJsonReader {
  /** Number of features read. */
  count = 0
  readonly #json: JsonReader
  readonly #target: number
  readonly #spool = new GrowingBytes(2 * flushBytes)
  readonly #columns = new GeoJsonColumns()
  readonly #properties: PropertyParser
  readonly #geometry: GeometryParser
  #place: 'document' | 'collection' | 'features' = 'document'
  #documents = 0
  #isMarked = false
  /** Whether the current collection has a list of features. */
  #hasList = false
  #isForeign = false
  #hasNegativeIds = false
  #name: string | undefined
  #crs: unknown
  /** Start of the record of the current feature. */
  #recordAt = 0

  constructor(json: JsonReader, target: number) {
    this.#json = json
    this.#target = target
    this.#properties = new PropertyParser(json, this.#spool, this.#columns)
    this.#geometry = new GeometryParser(json)
    json.unit(() => {
      if (json.isAtEnd()) return
      if (byteOrderMark.includes(json.next())) for (const byte of byteOrderMark) json.expect(byte)
      this.#isMarked = json.at > 0 && json.bytes[json.at - 1] === recordSeparator
    })
  }

  /** Reads the next feature or member; returns false at the end of the file. */
  step(): boolean {
    const json = this.#json
    if (this.#place === 'document') return this.#readDocument()
    if (this.#place === 'collection') {
      json.unit(() => this.#readCollectionMember())
      return true
    }
    json.unit(() => this.#readFeature({ isMember: true, takesOthers: false }))
    if (this.#isForeign) return false
    this.#endRecord()
    json.unit(() => {
      if (!json.takes(codes.comma)) this.#endList()
    })
    return true
  }

  /** Ends reading; returns undefined for JSON of another kind. */
  end(): GeoJsonFacts | undefined {
    if (this.#isForeign) return undefined
    this.#flush()
    return {
      columns: this.#columns,
      geometries: this.#geometry.facts,
      count: this.count,
      isSequence: this.#isMarked || this.#documents > 1,
      hasNegativeIds: this.#hasNegativeIds,
      name: this.#name,
      crs: this.#crs,
    }
  }

  #readDocument(): boolean {
    const json = this.#json
    if (json.unit(() => json.isAtEnd())) return false
    const kind = json.unit(() => this.#findKind())
    if (kind === 'foreign' || (kind === undefined && this.#documents === 0)) {
      this.#isForeign = true
      return false
    }
    this.#documents += 1
    if (kind === 'collection') {
      json.expect(codes.openObject)
      this.#place = 'collection'
      this.#hasList = false
      return true
    }
    json.unit(() => {
      if (kind === 'geometry') this.#readGeometryDocument()
      else this.#readFeature({ isMember: false, takesOthers: false })
    })
    this.#endRecord()
    return true
  }

  /** Looks ahead for the kind of a document; undefined if it cannot be determined. */
  #findKind(): DocumentKind | undefined {
    const json = this.#json
    const start = json.at
    let kind: DocumentKind | undefined
    if (json.takes(codes.openObject) && !json.takes(codes.closeObject)) {
      do {
        json.string()
        const isFeatures = json.isString('features')
        const isType = json.isString('type')
        const isTopology = json.isString('arcs')
        json.expect(codes.colon)
        const byte = json.next()
        if (isType && byte === codes.quote) {
          json.string()
          kind = kindOfType(this.#lastString())
        } else if (isFeatures && byte === codes.openList) kind = 'collection'
        else if (isTopology) kind = 'foreign'
        else json.pass()
      } while (kind === undefined && json.takes(codes.comma))
    }
    json.at = start
    return kind
  }

  #lastString(): string {
    const { bytes, stringStart, stringEnd } = this.#json
    return bytes.toString('utf8', stringStart, stringEnd)
  }

  #readCollectionMember(): void {
    const json = this.#json
    json.string()
    const { stringStart, stringEnd } = json
    const key = this.#lastString()
    json.expect(codes.colon)
    const byte = json.next()
    const start = json.at
    if (key === 'features' && byte === codes.openList) {
      json.at += 1
      this.#hasList = true
      if (json.takes(codes.closeList)) this.#endMember()
      else this.#place = 'features'
      return
    }
    json.pass()
    if (stringEnd > stringStart && (key === 'crs' || (key === 'name' && byte === codes.quote)))
      this.#keepMember(key, json.bytes.toString('utf8', start, json.at))
    this.#endMember()
  }

  #keepMember(key: 'crs' | 'name', json: string): void {
    let value: unknown
    try {
      value = JSON.parse(json)
    } catch {
      throw this.#json.fault()
    }
    if (key === 'crs') this.#crs = value
    else this.#name = String(value)
  }

  #endList(): void {
    this.#json.expect(codes.closeList)
    this.#endMember()
  }

  #endMember(): void {
    const json = this.#json
    const isLast = !json.takes(codes.comma)
    if (isLast) json.expect(codes.closeObject)
    if (isLast && !this.#hasList) throw new GeoJsonFault('a FeatureCollection has no list of features')
    this.#place = isLast ? 'document' : 'collection'
  }

  #readGeometryDocument(): void {
    this.#startRecord()
    this.#geometry.read()
  }

  #readFeature({ isMember, takesOthers }: { isMember: boolean; takesOthers: boolean }): void {
    this.#startRecord()
    const json = this.#json
    const isObject = json.next() === codes.openObject
    if (!isObject) throw this.#notFeature(json.describe(), isMember)
    const start = json.at
    const found: FoundMembers = { type: undefined, properties: undefined, hasOthers: false, isEsri: false }
    json.members(() => this.#readFeatureMember(found, takesOthers))
    const { type, properties = 'null' } = found
    if (type === undefined && found.isEsri && this.count === 0) this.#isForeign = true
    else if (type?.toLowerCase() !== 'feature') {
      const what =
        type === undefined ? 'an object without a type' : `an object of type ${JSON.stringify(type)}`
      throw this.#notFeature(what, isMember)
    } else if (properties !== 'an object' && properties !== 'null')
      throw this.#notFeature(`an object whose properties are ${properties}`, isMember)
    else if (properties === 'null' && found.hasOthers && !takesOthers) {
      json.at = start
      this.#readFeature({ isMember, takesOthers: true })
    }
  }

  #notFeature(what: string, isMember: boolean): Error {
    const subject = isMember ? `member ${this.count + 1} of its features` : `record ${this.count + 1}`
    return new GeoJsonFault(`${subject} is not a Feature, but ${what}`)
  }

  #readFeatureMember(found: FoundMembers, takesOthers: boolean): void {
    const json = this.#json
    const byte = json.bytes[json.at]
    if (json.isString('geometry')) this.#geometry.read()
    else if (json.isString('properties')) {
      const isObject = byte === codes.openObject
      if (isObject) json.members(() => this.#properties.readMember())
      found.properties = isObject ? 'an object' : json.describe()
    } else if (json.isString('type') && byte === codes.quote) {
      json.string()
      found.type = this.#lastString()
    } else if (json.isString('id')) {
      if (byte === codes.minus) this.#hasNegativeIds = true
      this.#properties.readId()
    } else {
      if (json.isString('attributes')) found.isEsri = true
      found.hasOthers ||= !structural.some((key) => json.isString(key))
      if (takesOthers && !structural.some((key) => json.isString(key))) this.#properties.readMember()
      else json.pass()
    }
  }

  /** Starts the record of a feature, possibly again after more of the file was read. */
  #startRecord(): void {
    this.#properties.start(this.count + 1)
    this.#geometry.clear()
    this.#spool.at = this.#recordAt
    this.#spool.reserve(recordHeaderBytes + 4)
    this.#spool.at += recordHeaderBytes + 4
  }

  #endRecord(): void {
    const spool = this.#spool
    const start = this.#recordAt
    const { fault } = this.#geometry
    spool.view.setUint32(start + recordHeaderBytes, spool.at - start - recordHeaderBytes - 4, true)
    this.#geometry.write(spool)
    if (fault !== undefined) {
      spool.reserve(3 * fault.length + 2)
      const length = spool.bytes.write(fault, spool.at)
      spool.at += length
      spool.u16(length)
    }
    const isUnsorted = this.#properties.isUnsorted ? recordFlags.isUnsorted : 0
    spool.bytes[start + 4] = isUnsorted | (fault === undefined ? 0 : recordFlags.isFaulty)
    spool.view.setUint32(start, spool.at - start, true)
    this.#recordAt = spool.at
    this.count += 1
    if (spool.at >= flushBytes) this.#flush()
  }

  #flush(): void {
    writeAll(this.#target, this.#spool.bytes.subarray(0, this.#recordAt))
    this.#recordAt = 0
  }
}

interface FoundMembers {
  type: string | undefined
  /** Description of the value of `properties`. */
  properties: string | undefined
  /** Whether the feature has foreign members. */
  hasOthers: boolean
  /** Whether it looks like an Esri JSON feature. */
  isEsri: boolean
}

function kindOfType(type: string): DocumentKind | undefined {
  if (/^FeatureCollection$/i.test(type)) return 'collection'
  if (/^Feature$/i.test(type)) return 'feature'
  if (type === 'Topology') return 'foreign'
  return isGeometryType(type) ? 'geometry' : undefined
}
