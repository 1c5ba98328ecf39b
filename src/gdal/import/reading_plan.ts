import { join } from 'node:path'
import type { Datatype, GeometryParts } from '../../contract/geometry.ts'
import { keynamesOf } from '../../contract/keyname.ts'
import { problem } from '../../contract/problems.ts'
import { bytesOf } from '../../core/bytes.ts'
import { cutAtAntimeridian } from '../../geo/antimeridian.ts'
import type { AnyByteGeometry, ByteGeometry } from '../../geo/byte_geometry.ts'
import { ewkbRoom, readWkb, writeEwkb } from '../../geo/wkb.ts'
import { coordinateLimits, findWorld } from '../../geo/world.ts'
import type { ColumnType } from '../flatgeobuf/flat_reader.ts'
import type { OpenGdal } from '../runner/gdal_module.ts'
import type { SourceField, VectorJob, WireLayout } from '../runner/vector_job.ts'
import type { AnySourceLayer, SourceLayer } from '../sources/source.ts'
import { findDeclaredType, readFields } from '../sources/translate.ts'
import { lastCell } from './bad_keys.ts'
import { type ColumnPlan, type ColumnUse, isField } from './copy_row.ts'
import type { FeatureReader } from './feature_reader.ts'
import type { Features } from './feature_scan.ts'
import type { FitRules } from './fit_geometry.ts'
import { guessedDatatype } from './guess_datatype.ts'
import { wrappingReader } from './placed_reader.ts'
import { type Conversion, findConversion, roundingConversions } from './value_convert.ts'

/** How a source is read, and how its features are scanned. */
export interface ReadingPlan {
  readonly source: AnySourceLayer
  readonly job: VectorJob
  readonly columns: readonly PlannedColumn[]
  readonly idColumn: number
  /** Declared geometry type. Read in advance, since a source cannot be accessed while it is translated. */
  readonly declared: GeometryParts | undefined
  /** Number of features, if it is known without reading them. */
  readonly total: number | undefined
  /** Path of the intermediate file. */
  readonly path: string
  readonly rules: FitRules
}

/** A field of the source, and its use. */
export interface PlannedColumn extends SourceField {
  readonly keyname: string
  readonly use: ColumnUse
  /** Whether its datatype is inferred from the strings. */
  readonly isGuessed?: boolean
}

/**
 * Plans how a source is read.
 *
 * @throws {Problem} source/unreadable, request/invalid
 */
export function planReading(openGdal: OpenGdal, source: AnySourceLayer, job: VectorJob): ReadingPlan {
  const isNative = 'native' in source
  const fields = (isNative ? source.native.fields : readFields(source)).map((field) => {
    const { strings } = source.columns ?? {}
    return strings === undefined ? field : { ...field, name: strings.readName(field.name) }
  })
  const idColumn = findIdColumn(source, fields, job)
  const { family, isMulti, skipOthers, fix } = job
  const rules = {
    family,
    isMulti,
    skipOthers,
    fix,
    limits: coordinateLimits(job.srs),
    repair: createRepair(openGdal, job.srs),
  }
  return {
    source,
    job,
    columns: planColumns(source, { fields, job, idColumn }),
    idColumn,
    declared: isNative ? source.native.geometry : findDeclaredType(source),
    total: isNative ? source.native.count : (source.check?.total ?? countQuickly(openGdal, source)),
    path: join(job.folder, 'features.fgb'),
    rules,
  }
}

function countQuickly(openGdal: OpenGdal, { layer }: SourceLayer): number | undefined {
  return layer.testCapability(openGdal().OLCFastFeatureCount) ? layer.features.count() : undefined
}

interface ColumnChoice {
  readonly fields: readonly SourceField[]
  readonly job: VectorJob
  readonly idColumn: number
}

function planColumns(
  { columns: { uses, infersDatatypes = false, declared = [] } = {} }: AnySourceLayer,
  { fields, job: { wanted }, idColumn }: ColumnChoice,
): PlannedColumn[] {
  const shown = fields.filter(({ name }) => uses?.get(name) === undefined)
  const keynames = keynamesOf(shown.map(({ name }) => name))
  const datatypeOf = new Map(wanted?.fields.map(({ keyname, datatype }) => [keyname, datatype]))
  let next = 0
  return fields.map((field, index) => {
    const use = uses?.get(field.name)
    if (use !== undefined) return { ...field, keyname: '', use }
    const keyname = keynames[next] ?? ''
    next += 1
    if (index === idColumn) return { ...field, keyname, use: 'ID' }
    const known = datatypeOf.get(keyname)
    if (known === undefined && wanted?.keepsOthers === false) return { ...field, keyname, use: 'NONE' }
    return {
      ...field,
      keyname,
      use: known ?? declared[index] ?? field.datatype,
      isGuessed: infersDatatypes && known === undefined,
    }
  })
}

/** Returns the layout of the rows, with the inferred datatypes if they are known. */
export function layoutOf(
  { columns }: Pick<ReadingPlan, 'columns'>,
  settled: readonly ColumnPlan[] | undefined,
): Pick<WireLayout, 'fields' | 'keynames'> {
  const loaded = columns.flatMap(({ name, keyname, use: planned }, index) => {
    const use = settled?.[index]?.use ?? planned
    return isField(use) ? [{ name, keyname, use }] : []
  })
  return {
    fields: loaded.map(({ name, use }) => ({ name, datatype: use })),
    keynames: loaded.map(({ keyname }) => keyname),
  }
}

const unknownColumn: Pick<PlannedColumn, 'datatype' | 'use' | 'isGuessed'> = {
  datatype: 'STRING',
  use: 'STRING',
}

/** Applies the datatype that was inferred from the strings. */
export function settleColumn(column: ColumnPlan): ColumnPlan {
  if (column.guess === undefined) return column
  const use = guessedDatatype(column.guess)
  const convert = use === 'STRING' ? undefined : findConversion('STRING', use)
  return {
    ...column,
    use,
    convert,
    guess: undefined,
    blankIsNull: column.blankIsNull === true && use === 'STRING',
  }
}

/**
 * Creates the features of the intermediate file.
 *
 * @param types storage types of its columns
 */
export function featuresOf(
  { columns, job, source, rules }: ReadingPlan,
  types: readonly ColumnType[],
  reader: FeatureReader,
): Features {
  const {
    strings,
    isClamped: findClamped,
    wkt: wktCheck,
    infersDatatypes,
    roundsTimes,
  } = source.columns ?? {}
  // Text tables have no other representation of null.
  const blankIsNull = infersDatatypes === true
  const plans = types.map((type, index): ColumnPlan => {
    const { datatype, use, isGuessed } = columns[index] ?? unknownColumn
    const guess = isGuessed === true ? { kind: undefined } : undefined
    const isString = datatype === 'STRING' && use === 'STRING'
    const convert = isString ? strings?.read : conversionOf(datatype, use, roundsTimes)
    const encoding = isString ? strings?.encoding : undefined
    const wkt = use === 'GEOMETRY' ? wktCheck : undefined
    const isClamped = type === 'Long' ? findClamped : undefined
    return {
      type,
      use,
      convert,
      encoding,
      isClamped,
      wkt,
      guess,
      blankIsNull: blankIsNull && use === 'STRING',
    }
  })
  const placed = wrappingReader(reader, job.srs)
  const names = columns.map(({ keyname, name }) => keyname || name)
  const isAsciiOnly = strings?.settle !== undefined
  const key = findKey(columns, plans, job.key)
  return {
    ...{ reader: placed, columns: plans, names, rules },
    ...(key === undefined
      ? {}
      : { key: { columns: plans, positions: key, isAsciiOnly, last: lastCell(columns, source) } }),
  }
}

/** Returns the positions of the columns of a key; undefined unless each has a known datatype. */
function findKey(
  columns: readonly PlannedColumn[],
  plans: readonly ColumnPlan[],
  key: VectorJob['key'],
): readonly number[] | undefined {
  const positions = key?.map((name) => columns.findIndex(({ keyname }) => keyname === name))
  const isKnown = (position: number) => {
    const plan = plans[position]
    return plan !== undefined && isField(plan.use) && plan.guess === undefined
  }
  return positions?.every(isKnown) ? positions : undefined
}

function conversionOf(from: Datatype, to: ColumnUse, roundsTimes = false): Conversion | undefined {
  if (!isField(to)) return undefined
  if (to !== from) return findConversion(from, to)
  return roundsTimes ? roundingConversions[to] : undefined
}

function findIdColumn(
  { columns: { uses } = {} }: AnySourceLayer,
  all: readonly SourceField[],
  { idSource, idFields }: VectorJob,
): number {
  if (idSource === 'SEQUENCE') return -1
  const column = idFields
    .map((name) => all.findIndex((field) => field.name === name && uses?.get(name) === undefined))
    .find((index) => index >= 0)
  if (column !== undefined) return column
  if (idSource === 'AUTO') return -1
  const names = all
    .map(({ name }) => name)
    .filter((name) => uses?.get(name) === undefined)
    .join(', ')
  throw problem(
    'request/invalid',
    `the source has no field ${idFields.join(' or ')} for ids; its fields are ${names}`,
  )
}

/**
 * Creates a function that repairs lines and polygons: it cuts them at the antimeridian, then makes polygons valid with GDAL.
 * Valid geometries are not changed.
 */
function createRepair(openGdal: OpenGdal, srs: number): (geometry: ByteGeometry) => AnyByteGeometry {
  const world = findWorld(srs)
  return (found) => {
    const cut = world === undefined ? found : cutAtAntimeridian(found, world)
    if (cut.family !== 'POLYGON') return cut
    const geometry = openGdal().Geometry.fromWKB(wkbOf(cut))
    return geometry.isValid() ? cut : readWkb(bytesOf(geometry.makeValid().toWKB('LSB', 'ISO')))
  }
}

function wkbOf(polygon: ByteGeometry): Buffer {
  const sink = { ...bytesOf(Buffer.allocUnsafe(ewkbRoom(polygon))), at: 0 }
  const hasZ = polygon.parts.some((part) => part.some(({ zAt }) => zAt >= 0))
  writeEwkb(sink, polygon, { family: 'POLYGON', isMulti: polygon.parts.length > 1, hasZ, srs: 0 })
  return sink.bytes.subarray(0, sink.at)
}
