import { closeSync, openSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { GrowingBytes } from '../../../core/growing_bytes.ts'
import { writeAll } from '../../runner/write_all.ts'
import { GeoJsonColumns } from './columns.ts'
import { GeoJsonFault, JsonFault } from './geojson_fault.ts'
import { type GeometryFacts, GeometryText, isGeometryType } from './geometry_text.ts'
import { codes, JsonText } from './json_text.ts'
import { PropertyText } from './property_text.ts'
import { recordFlags, recordHead } from './spool_reader.ts'

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
  const reader = new GeoJsonReader(new JsonText(file, windowBytes), target)
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
  if (kind === 'size') return new GeoJsonFault(`feature ${count + 1} of it has more than 1 GiB`)
  const what = kind === 'end' ? 'its JSON is cut off' : 'it is not valid JSON'
  const place = count === 0 ? 'before the first feature ends' : `after feature ${count}`
  return new GeoJsonFault(`${what} at byte ${offset + 1}, ${place}`)
}

class GeoJsonReader {
  /** Number of features read. */
  count = 0
  readonly #text: JsonText
  readonly #target: number
  readonly #spool = new GrowingBytes(2 * flushBytes)
  readonly #columns = new GeoJsonColumns()
  readonly #properties: PropertyText
  readonly #geometry: GeometryText
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

  constructor(text: JsonText, target: number) {
    this.#text = text
    this.#target = target
    this.#properties = new PropertyText(text, this.#spool, this.#columns)
    this.#geometry = new GeometryText(text)
    text.unit(() => {
      if (text.isAtEnd()) return
      if (byteOrderMark.includes(text.next())) for (const byte of byteOrderMark) text.expect(byte)
      this.#isMarked = text.at > 0 && text.bytes[text.at - 1] === recordSeparator
    })
  }

  /** Reads the next feature or member; returns false at the end of the file. */
  step(): boolean {
    const text = this.#text
    if (this.#place === 'document') return this.#readDocument()
    if (this.#place === 'collection') {
      text.unit(() => this.#readCollectionMember())
      return true
    }
    text.unit(() => this.#readFeature({ isMember: true, takesOthers: false }))
    if (this.#isForeign) return false
    this.#endRecord()
    text.unit(() => {
      if (!text.takes(codes.comma)) this.#endList()
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
    const text = this.#text
    if (text.unit(() => text.isAtEnd())) return false
    const kind = text.unit(() => this.#findKind())
    if (kind === 'foreign' || (kind === undefined && this.#documents === 0)) {
      this.#isForeign = true
      return false
    }
    this.#documents += 1
    if (kind === 'collection') {
      text.expect(codes.openObject)
      this.#place = 'collection'
      this.#hasList = false
      return true
    }
    text.unit(() => {
      if (kind === 'geometry') this.#readBareGeometry()
      else this.#readFeature({ isMember: false, takesOthers: false })
    })
    this.#endRecord()
    return true
  }

  /** Looks ahead for the kind of a document; undefined if it cannot be determined. */
  #findKind(): DocumentKind | undefined {
    const text = this.#text
    const start = text.at
    let kind: DocumentKind | undefined
    if (text.takes(codes.openObject) && !text.takes(codes.closeObject)) {
      do {
        text.string()
        const isFeatures = text.isText('features')
        const isType = text.isText('type')
        const isTopology = text.isText('arcs')
        text.expect(codes.colon)
        const byte = text.next()
        if (isType && byte === codes.quote) {
          text.string()
          kind = kindOfType(this.#lastText())
        } else if (isFeatures && byte === codes.openList) kind = 'collection'
        else if (isTopology) kind = 'foreign'
        else text.pass()
      } while (kind === undefined && text.takes(codes.comma))
    }
    text.at = start
    return kind
  }

  #lastText(): string {
    const { bytes, textStart, textEnd } = this.#text
    return bytes.toString('utf8', textStart, textEnd)
  }

  #readCollectionMember(): void {
    const text = this.#text
    text.string()
    const { textStart, textEnd } = text
    const key = this.#lastText()
    text.expect(codes.colon)
    const byte = text.next()
    const start = text.at
    if (key === 'features' && byte === codes.openList) {
      text.at += 1
      this.#hasList = true
      if (text.takes(codes.closeList)) this.#endMember()
      else this.#place = 'features'
      return
    }
    text.pass()
    if (textEnd > textStart && (key === 'crs' || (key === 'name' && byte === codes.quote)))
      this.#keepMember(key, text.bytes.toString('utf8', start, text.at))
    this.#endMember()
  }

  #keepMember(key: 'crs' | 'name', json: string): void {
    let value: unknown
    try {
      value = JSON.parse(json)
    } catch {
      throw this.#text.fault()
    }
    if (key === 'crs') this.#crs = value
    else this.#name = String(value)
  }

  #endList(): void {
    this.#text.expect(codes.closeList)
    this.#endMember()
  }

  #endMember(): void {
    const text = this.#text
    const isLast = !text.takes(codes.comma)
    if (isLast) text.expect(codes.closeObject)
    if (isLast && !this.#hasList) throw new GeoJsonFault('a FeatureCollection of it has no list of features')
    this.#place = isLast ? 'document' : 'collection'
  }

  #readBareGeometry(): void {
    this.#startRecord()
    this.#geometry.read()
  }

  #readFeature({ isMember, takesOthers }: { isMember: boolean; takesOthers: boolean }): void {
    this.#startRecord()
    const text = this.#text
    const isObject = text.next() === codes.openObject
    if (!isObject) throw this.#notFeature(text.describe(), isMember)
    const start = text.at
    const found: FoundMembers = { type: undefined, properties: undefined, hasOthers: false, isEsri: false }
    text.members(() => this.#readFeatureMember(found, takesOthers))
    const { type, properties = 'null' } = found
    if (type === undefined && found.isEsri && this.count === 0) this.#isForeign = true
    else if (type?.toLowerCase() !== 'feature') {
      const what = type === undefined ? 'an object without a type' : `of the type ${JSON.stringify(type)}`
      throw this.#notFeature(what, isMember)
    } else if (properties !== 'an object' && properties !== 'null')
      throw this.#notFeature(`one whose properties are ${properties}`, isMember)
    else if (properties === 'null' && found.hasOthers && !takesOthers) {
      text.at = start
      this.#readFeature({ isMember, takesOthers: true })
    }
  }

  #notFeature(what: string, isMember: boolean): Error {
    const place = isMember ? `member ${this.count + 1} of its features` : `its record ${this.count + 1}`
    return new GeoJsonFault(`${place} is not a Feature, but ${what}`)
  }

  #readFeatureMember(found: FoundMembers, takesOthers: boolean): void {
    const text = this.#text
    const byte = text.bytes[text.at]
    if (text.isText('geometry')) this.#geometry.read()
    else if (text.isText('properties')) {
      const isObject = byte === codes.openObject
      if (isObject) text.members(() => this.#properties.readMember())
      found.properties = isObject ? 'an object' : text.describe()
    } else if (text.isText('type') && byte === codes.quote) {
      text.string()
      found.type = this.#lastText()
    } else if (text.isText('id')) {
      if (byte === codes.minus) this.#hasNegativeIds = true
      this.#properties.readId()
    } else {
      if (text.isText('attributes')) found.isEsri = true
      found.hasOthers ||= !structural.some((key) => text.isText(key))
      if (takesOthers && !structural.some((key) => text.isText(key))) this.#properties.readMember()
      else text.pass()
    }
  }

  /** Starts the record of a feature, possibly again after more of the file was read. */
  #startRecord(): void {
    this.#properties.start(this.count + 1)
    this.#geometry.clear()
    this.#spool.at = this.#recordAt
    this.#spool.reserve(recordHead + 4)
    this.#spool.at += recordHead + 4
  }

  #endRecord(): void {
    const spool = this.#spool
    const start = this.#recordAt
    const { fault } = this.#geometry
    spool.view.setUint32(start + recordHead, spool.at - start - recordHead - 4, true)
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
