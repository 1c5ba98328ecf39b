import { mkdtempSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { Datatype, GeometryParts } from '../../../contract/geometry.ts'
import { once } from '../../../core/once.ts'
import { partsOfWkbType } from '../../../geo/wkb.ts'
import type { ColumnType, FlatFeature } from '../../flatgeobuf/flat_reader.ts'
import type { Value } from '../../flatgeobuf/value.ts'
import type { FeatureReader } from '../../import/feature_reader.ts'
import { fullWhile } from '../../runner/disk_room.ts'
import { openWithGdal, unreadable } from '../open_with_gdal.ts'
import type { AnySourceLayer, NativeLayer, SourceFile, StringReader } from '../source.ts'
import { defineSource, type Opening } from '../source_format.ts'
import { findEscapedNul, holdsHugeNumbers, nulProblem, refuseNul } from '../text/plain_text.ts'
import { recodeIfNeeded } from '../text/recode.ts'
import { datatypeOfKinds, type GeoJsonColumn, kinds } from './columns.ts'
import { GeoJsonFault, JsonFault } from './geojson_fault.ts'
import { type GeoJsonFacts, readGeoJson } from './geojson_reader.ts'
import type { GeometryFacts } from './geometry_parser.ts'
import { valueFormats, valueHeaderBytes } from './property_parser.ts'
import { createReproject, type Reproject } from './reproject.ts'
import { featureAt, isUnsorted, readSpool, readSpooledGeometry } from './spool_reader.ts'

/** GeoJSON and GeoJSON text sequences, which are read without GDAL; TopoJSON and Esri JSON. @see RFC 7946, RFC 8142 */
export const geojson = defineSource('GeoJSON', {
  recognizes: ({ text }) => text.startsWith('{') || text.startsWith('\u001e'),
  async open(given, opening) {
    const { file, strings } = await recodeIfNeeded(given, opening.job)
    const spoolPath = join(mkdtempSync(join(opening.job.folder, 'geojson-')), 'features')
    const facts = await read(file, spoolPath, opening)
    if (facts === undefined) return openOthers(file, opening, strings)
    return [layerOf(facts, { file, spoolPath, opening, strings })]
  },
})

const otherDrivers = ['GeoJSON', 'TopoJSON', 'ESRIJSON']

/** A spool file, and how to read it. */
interface SpoolColumns {
  readonly path: string
  /** Columns that become fields, in order, with their datatypes. */
  readonly fields: readonly { readonly column: number; readonly datatype: Datatype }[]
  readonly reproject: Reproject
}

const numbers: ReadonlySet<Datatype> = new Set(['INTEGER', 'BIGINT', 'REAL'])

type MutableValue = { -readonly [K in keyof Value]: Value[K] }

interface StoredValue {
  readonly at: number
  readonly form: number | undefined
  readonly isNumber: boolean
}

const numberTypes: Readonly<Record<0 | 1, ColumnType>> = { 0: 'Double', 1: 'Long' }

async function openOthers(
  file: SourceFile,
  { gdal }: Opening,
  strings: StringReader | undefined,
): Promise<AnySourceLayer[]> {
  refuseNul(file, findEscapedNul)
  const layers = await openWithGdal(gdal, file, otherDrivers)
  const isClamped = once(() => holdsHugeNumbers(file.path))
  return layers.map((source) => ({
    ...source,
    ...(source.format === 'TopoJSON' ? { degrees: 'declared' as const } : {}),
    columns: { isClamped, ...(strings === undefined ? {} : { strings }) },
  }))
}

async function read(
  file: SourceFile,
  spoolPath: string,
  { tick }: Opening,
): Promise<GeoJsonFacts | undefined> {
  try {
    return await readGeoJson({ path: file.path, spoolPath }, tick)
  } catch (error) {
    if (error instanceof GeoJsonFault) throw unreadable(file, error.message)
    if (error instanceof JsonFault) throw nulProblem(file, error.offset)
    throw fullWhile('a source is read', error)
  }
}

interface ReadFile {
  readonly file: SourceFile
  readonly spoolPath: string
  readonly opening: Opening
  readonly strings: StringReader | undefined
}

function layerOf(facts: GeoJsonFacts, { file, spoolPath, opening, strings }: ReadFile): NativeLayer {
  const shown = listFields(facts)
  const fields = shown.map(({ index, kinds: found }) => ({ column: index, datatype: datatypeOfKinds(found) }))
  const declared = fields.map(({ datatype }) => datatype)
  const { crs } = facts
  return {
    name: facts.name ?? basename(file.path, extname(file.path)),
    format: facts.isSequence ? 'GeoJSONSeq' : 'GeoJSON',
    columns: { declared, ...(strings === undefined ? {} : { strings }) },
    check: { findNotes: () => findNotes(facts, shown) },
    native: {
      fields: shown.map(({ name }, index) => ({ name, datatype: storedAs(declared[index] ?? 'STRING') })),
      types: declared.map((datatype) => columnTypes[datatype]),
      geometry: geometryOf(facts.geometries),
      count: facts.count,
      openReader(srs) {
        const reproject = createReproject(() => opening.gdal, { crs, srs, folder: opening.job.folder })
        return spooledFeatureReader({ path: spoolPath, fields, reproject })
      },
    },
  }
}

/** Returns the datatype of the stored values: times are stored as strings. */
function storedAs(datatype: Datatype): Datatype {
  return datatype === 'TIME' ? 'STRING' : datatype
}

const columnTypes: Readonly<Record<Datatype, ColumnType>> = {
  INTEGER: 'Double',
  BIGINT: 'Double',
  REAL: 'Double',
  STRING: 'String',
  DATE: 'String',
  TIME: 'String',
  DATETIME: 'String',
}

type FieldColumn = GeoJsonColumn & { readonly index: number }

/** Returns the columns in order. Omits ids that are only feature numbers, or duplicate a property. */
function listFields({ columns, hasNegativeIds }: GeoJsonFacts): FieldColumn[] {
  const [ids, ...properties] = columns.all
  const isNumber = !hasNegativeIds && ((ids?.kinds ?? 0) & ~(kinds.integer | kinds.long | kinds.wide)) === 0
  const areIdsShown = !isNumber && !properties.some(({ name }) => name === 'id')
  return columns.ordered().flatMap((index) => {
    const column = columns.all[index]
    return column === undefined || (index === 0 && !areIdsShown) ? [] : [{ ...column, index }]
  })
}

/** Returns the geometry type; undefined if there are several families. */
function geometryOf({ types, hasZ }: GeometryFacts): GeometryParts | undefined {
  const found = Array.from({ length: 32 }, (_, type) => type).filter((type) => (types & (1 << type)) !== 0)
  const parts = found.map(partsOfWkbType)
  const family = parts[0]?.family
  if (family === undefined || parts.some((part) => part?.family !== family)) return undefined
  return { family, isMulti: parts.some((part) => part?.isMulti === true), hasZ }
}

function findNotes({ geometries }: GeoJsonFacts, shown: readonly GeoJsonColumn[]): string[] {
  const booleans = shown
    .filter((column) => (column.kinds & kinds.boolean) !== 0 && datatypeOfKinds(column.kinds) !== 'STRING')
    .map(({ name }) => JSON.stringify(name))
  const dropped = 'Positions have more than three coordinates; only the first three were loaded.'
  const boolean = `Boolean values were stored as 1 and 0 in: ${booleans.join(', ')}.`
  return [...(geometries.hasLongPositions ? [dropped] : []), ...(booleans.length > 0 ? [boolean] : [])]
}

/** Creates the reader of the features of a spool file. */
export function spooledFeatureReader({ path, fields, reproject }: SpoolColumns): FeatureReader {
  const ranks = new Int32Array(1 << 16).fill(-1)
  for (const [rank, { column }] of fields.entries()) ranks[column] = rank
  const isInOrder = fields.every(({ column }, rank) => column === rank + 1)
  const areNumbers = fields.map(({ datatype }) => numbers.has(datatype))
  const places = new Int32Array(fields.length)
  const visitAt = (value: MutableValue, at: number, visit: (value: Value) => void) => {
    const form = value.bytes[at + 2]
    value.column = ranks[value.view.getUint16(at, true)] as number
    if (form === valueFormats.none || value.column < 0) return
    pointValue(value, { at: at + valueHeaderBytes, form, isNumber: areNumbers[value.column] as boolean })
    visit(value)
  }
  return {
    *all() {
      for (const piece of readSpool(path)) {
        const failed = reproject(piece)
        for (const start of piece.starts) {
          const feature = featureAt(piece, start)
          const fault = failed.get(start)
          yield fault === undefined ? feature : { fault, ...feature }
        }
      }
    },
    readGeometry: readSpooledGeometry,
    eachProperty(feature, visit) {
      const { bytes, view } = feature
      // A single object is reused, since there are millions of values.
      const value: MutableValue = { bytes, view, column: 0, type: 'String', at: 0, size: 0 }
      if (isInOrder && !isUnsorted(feature)) {
        eachValueAt(feature, (at) => visitAt(value, at, visit))
        return
      }
      // The last value of a repeated property counts.
      places.fill(-1)
      eachValueAt(feature, (at) => {
        places[ranks[view.getUint16(at, true)] as number] = at
      })
      for (const at of places) if (at >= 0) visitAt(value, at, visit)
    },
  }
}

/** Points a value to the stored number, or to the number as it is written. */
function pointValue(value: MutableValue, { at, form, isNumber }: StoredValue): void {
  const isString = form === valueFormats.string
  if (isNumber && !isString) {
    value.type = numberTypes[form as 0 | 1]
    value.at = at
    value.size = 8
  } else {
    value.type = 'String'
    value.at = isString ? at + 4 : at + 12
    value.size = value.view.getUint32(value.at - 4, true)
  }
}

/** Calls `visit` with the position of each value of a feature. */
function eachValueAt({ bytes, view, properties }: FlatFeature, visit: (at: number) => void): void {
  let at = properties + 4
  const end = at + view.getUint32(properties, true)
  while (at < end) {
    visit(at)
    const form = bytes[at + 2]
    at += valueHeaderBytes
    if (form === valueFormats.none) continue
    if (form !== valueFormats.string) at += 8
    at += 4 + view.getUint32(at, true)
  }
}
