import { type Datatype, type GeometryType, geometryTypeOf, geometryTypes } from '../../contract/geometry.ts'
import type { Pointer } from '../../core/pointer.ts'
import type { Problem } from '../../core/problem.ts'
import { findHint } from '../../core/suggest.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { nameFields } from '../../import/name_fields.ts'
import {
  type ColumnGeometry,
  type GeometryKind,
  hasPostgis,
  type InspectedColumn,
  type InspectedTable,
  inspectTables,
  sampleGeometry,
} from '../../store/classes/geodb_inspect.ts'
import { requireSrs } from '../../store/feature/feature_sql.ts'
import type { PlannedField } from '../../store/layer/plan_fields.ts'
import type { ForeignTable } from '../../store/layer/stored_layer.ts'
import { invalidAt } from '../http/invalid_request.ts'

/** The table and columns of a layer. */
export interface WantedTable {
  readonly schema: string
  readonly table: string
  readonly idColumn: string
  readonly geomColumn: string
  /** Null to read it from the table. */
  readonly geometryType: GeometryType | null
  /** EPSG code; undefined to read it from the table. */
  readonly srs: number | undefined
}

/** A table as a layer. */
export interface FoundTable {
  readonly foreign: Omit<ForeignTable, 'connectionId'>
  readonly geometryType: GeometryType
  readonly srs: number
  /** Fields of the columns with supported types, in the order of the columns. */
  readonly fields: readonly PlannedField[]
}

/**
 * Inspects the tables of layers in one statement, and reads the rows of tables with untyped geometry columns.
 *
 * @throws {Problem} request/invalid with the member and what the table has instead; external/*
 */
export async function findTables(database: Database, wanted: readonly WantedTable[]): Promise<FoundTable[]> {
  await requirePostgis(database)
  const tables = new Map((await inspectTables(database, wanted)).map((table) => [keyOf(table), table]))
  const found: FoundTable[] = []
  for (const one of wanted) {
    const table = tables.get(keyOf(one))
    if (table === undefined) throw missingTable(one)
    if (!table.isReadable)
      throw invalid('table', `the user of the connection has no permission to read "${one.table}"`)
    found.push(await readTable(database, one, table))
  }
  for (const srs of new Set(found.map((one) => one.srs))) await requireSrs(database, srs)
  return found
}

/**
 * Inspects one table.
 *
 * @throws {Problem} request/invalid if it does not exist; external/*
 */
export async function getTable(
  database: Database,
  place: Pick<WantedTable, 'schema' | 'table'>,
): Promise<InspectedTable> {
  await requirePostgis(database)
  const [table] = await inspectTables(database, [place])
  if (table === undefined) throw missingTable(place)
  return table
}

async function requirePostgis(database: Database): Promise<void> {
  if (await hasPostgis(database)) return
  throw invalid('connection', 'the database has no PostGIS', 'Run in that database: create extension postgis')
}

const keyOf = ({ schema, table }: Pick<WantedTable, 'schema' | 'table'>) => JSON.stringify([schema, table])

async function readTable(
  database: Queryable,
  wanted: WantedTable,
  table: InspectedTable,
): Promise<FoundTable> {
  const { schema, idColumn, geomColumn } = wanted
  const id = readIdColumn(wanted, table)
  const column = getColumn(table, geomColumn, 'column_geom')
  if (column.geometry === null)
    throw invalid('column_geom', `column "${geomColumn}" is ${column.type}, not geometry`)
  const geometry = await readGeometryColumn(database, wanted, column.geometry)
  const fields = table.columns.flatMap((one) => {
    const datatype = one.name === idColumn || one.name === geomColumn ? undefined : datatypeOf(one.type)
    return datatype === undefined ? [] : [{ name: one.name, type: one.type, datatype }]
  })
  const named = nameFields(fields).fields
  return {
    ...geometry,
    foreign: { schema, table: wanted.table, idColumn, geomColumn, ...id, isMixed: geometry.isMixed },
    fields: named.map((field, at) => {
      const { name = '', type = '' } = fields[at] ?? {}
      return { ...field, foreign: { name, type } }
    }),
  }
}

function readIdColumn(
  { idColumn }: WantedTable,
  table: InspectedTable,
): Pick<ForeignTable, 'idType' | 'isIdNull'> {
  const { type, isUnique, isNullable } = getColumn(table, idColumn, 'column_id')
  if (datatypeOf(type) !== 'INTEGER' && datatypeOf(type) !== 'BIGINT')
    throw invalid('column_id', `column "${idColumn}" is ${type}, not an integer`)
  if (table.isTable && !isUnique)
    throw invalid('column_id', `column "${idColumn}" is neither a primary key nor unique`)
  return { idType: type === 'bigint' ? 'bigint' : 'integer', isIdNull: isNullable }
}

interface GeometryProperties {
  readonly geometryType: GeometryType
  readonly srs: number
  readonly isMixed: boolean
}

async function readGeometryColumn(
  database: Queryable,
  wanted: WantedTable,
  column: ColumnGeometry,
): Promise<GeometryProperties> {
  const isTyped = !/^GEOMETRYZ?M?$/.test(column.type)
  const typed = isTyped ? [asLayerType(column.type)] : []
  const isFullyTyped = isTyped && column.srs !== 0
  // If the type of the column is incomplete, the rows decide.
  const place = { schema: wanted.schema, table: wanted.table, column: wanted.geomColumn }
  const kinds = isFullyTyped ? [] : await sampleGeometry(database, place)
  const [geometryType = wanted.geometryType ?? typeOf(kinds, wanted)] = typed
  const srs = column.srs === 0 ? srsOf(kinds, wanted) : column.srs
  if (wanted.geometryType !== null && wanted.geometryType !== geometryType)
    throw invalid('geometry_type', `the table has ${geometryType}, not ${wanted.geometryType}`)
  if (wanted.srs !== undefined && wanted.srs !== srs)
    throw invalid('srs/id', `the table is in EPSG:${srs}, not EPSG:${wanted.srs}`)
  return { geometryType, srs, isMixed: !isFullyTyped }
}

function asLayerType(type: string): GeometryType {
  const found = geometryTypes.find((known) => known === type)
  if (found === undefined) throw invalid('column_geom', `the table has ${type}, which layers do not support`)
  return found
}

function typeOf(kinds: readonly GeometryKind[], { table, geomColumn }: WantedTable): GeometryType {
  const place = 'geometry_type'
  if (kinds.length === 0)
    throw invalid(
      place,
      `column "${geomColumn}" has no geometry type, and "${table}" has no geometries to read it from`,
    )
  const names = [...new Set(kinds.map(({ type, hasM }) => `${type}${hasM ? 'M' : ''}`))]
  const families = [...new Set(names.map((name) => name.replace(/^MULTI/, '')))]
  const [family] = families
  if (families.length > 1 || (family !== 'POINT' && family !== 'LINESTRING' && family !== 'POLYGON'))
    throw invalid(place, `the table has ${names.join(', ')}`, 'Set the geometry type that the layer shows.')
  const isMulti = kinds.some(({ type }) => type.startsWith('MULTI'))
  return geometryTypeOf({ family, isMulti, hasZ: kinds.some(({ hasZ }) => hasZ) })
}

function srsOf(kinds: readonly GeometryKind[], { table, geomColumn, srs }: WantedTable): number {
  const codes = [...new Set(kinds.map((kind) => kind.srs))]
  const [first = srs] = codes
  if (first === undefined)
    throw invalid(
      'srs',
      `column "${geomColumn}" has no reference system, and "${table}" has no geometries to read it from`,
    )
  const hint = `Run in that database: select UpdateGeometrySRID(…) for column "${geomColumn}", with the EPSG code.`
  if (first === 0 && codes.length === 1)
    throw invalid(
      'column_geom',
      `the geometries of "${table}" have no reference system: their SRID is 0`,
      hint,
    )
  if (srs !== undefined && codes.includes(srs)) return srs
  if (codes.length > 1)
    throw invalid(
      'srs',
      `the geometries are in EPSG:${codes.join(', EPSG:')}`,
      'Set the reference system that the layer shows.',
    )
  return first
}

function getColumn({ columns, table }: InspectedTable, name: string, member: string): InspectedColumn {
  const found = columns.find((column) => column.name === name)
  if (found !== undefined) return found
  const names = columns.map((column) => column.name)
  const listed = names.length === 0 ? 'none' : names.slice(0, 20).join(', ')
  throw invalid(
    member,
    `table "${table}" has no column "${name}"; its columns: ${listed}`,
    findHint(name, names),
  )
}

function missingTable({ schema, table }: Pick<WantedTable, 'schema' | 'table'>): Problem {
  return invalid('table', `schema "${schema}" has no table or view "${table}"`)
}

function invalid(member: string, message: string, hint?: string): Problem {
  const pointer: Pointer = `/geodb_layer/${member}`
  return invalidAt(pointer, message, hint)
}

const datatypes: Readonly<Record<string, Datatype>> = {
  smallint: 'INTEGER',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  real: 'REAL',
  'double precision': 'REAL',
  numeric: 'REAL',
  date: 'DATE',
  'time without time zone': 'TIME',
  'time with time zone': 'TIME',
  'timestamp without time zone': 'DATETIME',
  'timestamp with time zone': 'DATETIME',
}

/** Types without a field datatype. */
const unreadable = /(^|\.)(geometry|geography|raster|bytea|topogeometry)(\[\])?$/

/** Returns the field datatype of a column type: STRING unless it is a number, date or time; undefined if unsupported. */
export function datatypeOf(type: string): Datatype | undefined {
  return unreadable.test(type) ? undefined : (datatypes[type] ?? 'STRING')
}
