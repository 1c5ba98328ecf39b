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
import { requireSrs } from '../../store/feature/geometry_sql.ts'
import type { PlannedField } from '../../store/layer/plan_fields.ts'
import type { ForeignTable } from '../../store/layer/stored_layer.ts'
import { invalidAt } from '../http/invalid_request.ts'

/** What a layer is to be of. */
export interface WantedTable {
  readonly schema: string
  readonly table: string
  readonly idColumn: string
  readonly geomColumn: string
  /** Null reads it from the table. */
  readonly geometryType: GeometryType | null
  /** EPSG code; undefined reads it from the table. */
  readonly srs: number | undefined
}

/** What a table makes of a layer. */
export interface FoundTable {
  readonly foreign: Omit<ForeignTable, 'connectionId'>
  readonly geometryType: GeometryType
  readonly srs: number
  /** A field for each column that has values a field can have, in the order of the columns. */
  readonly fields: readonly PlannedField[]
}

/**
 * Looks at the tables of some layers, all in one statement, those excepted that do not say what they hold.
 *
 * @throws {Problem} request/invalid naming the member and what the table has instead; external/*
 */
export async function findTables(database: Database, wanted: readonly WantedTable[]): Promise<FoundTable[]> {
  await requirePostgis(database)
  const tables = new Map((await inspectTables(database, wanted)).map((table) => [keyOf(table), table]))
  const found: FoundTable[] = []
  for (const one of wanted) {
    const table = tables.get(keyOf(one))
    if (table === undefined) throw withoutTable(one)
    if (!table.isReadable) throw invalid('table', `the login of the connection may not read "${one.table}"`)
    found.push(await readTable(database, one, table))
  }
  for (const srs of new Set(found.map((one) => one.srs))) await requireSrs(database, srs)
  return found
}

/**
 * Looks at one table.
 *
 * @throws {Problem} request/invalid where it is not there; external/*
 */
export async function getTable(
  database: Database,
  place: Pick<WantedTable, 'schema' | 'table'>,
): Promise<InspectedTable> {
  await requirePostgis(database)
  const [table] = await inspectTables(database, [place])
  if (table === undefined) throw withoutTable(place)
  return table
}

async function requirePostgis(database: Database): Promise<void> {
  if (await hasPostgis(database)) return
  throw invalid('connection', 'the database has no PostGIS', 'There, run: create extension postgis')
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
  const shape = await readShape(database, wanted, column.geometry)
  const fields = table.columns.flatMap((one) => {
    const datatype = one.name === idColumn || one.name === geomColumn ? undefined : datatypeOf(one.type)
    return datatype === undefined ? [] : [{ name: one.name, type: one.type, datatype }]
  })
  const named = nameFields(fields).fields
  return {
    ...shape,
    foreign: { schema, table: wanted.table, idColumn, geomColumn, ...id, isMixed: shape.isMixed },
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
    throw invalid('column_id', `column "${idColumn}" is ${type}: ids are whole numbers`)
  if (table.isTable && !isUnique)
    throw invalid('column_id', `column "${idColumn}" is no primary key and not unique`)
  return { idType: type === 'bigint' ? 'bigint' : 'integer', isIdNull: isNullable }
}

interface Shape {
  readonly geometryType: GeometryType
  readonly srs: number
  readonly isMixed: boolean
}

async function readShape(database: Queryable, wanted: WantedTable, column: ColumnGeometry): Promise<Shape> {
  const isTyped = !/^GEOMETRYZ?M?$/.test(column.type)
  const typed = isTyped ? [asLayerType(column.type)] : []
  const saysAll = isTyped && column.srs !== 0
  // What the column does not say, the rows have to.
  const place = { schema: wanted.schema, table: wanted.table, column: wanted.geomColumn }
  const kinds = saysAll ? [] : await sampleGeometry(database, place)
  const [geometryType = wanted.geometryType ?? typeOf(kinds, wanted)] = typed
  const srs = column.srs === 0 ? srsOf(kinds, wanted) : column.srs
  if (wanted.geometryType !== null && wanted.geometryType !== geometryType)
    throw invalid('geometry_type', `the table holds ${geometryType}, not ${wanted.geometryType}`)
  if (wanted.srs !== undefined && wanted.srs !== srs)
    throw invalid('srs/id', `the table is in EPSG:${srs}, not EPSG:${wanted.srs}`)
  return { geometryType, srs, isMixed: !saysAll }
}

function asLayerType(type: string): GeometryType {
  const found = geometryTypes.find((known) => known === type)
  if (found === undefined) throw invalid('column_geom', `the table holds ${type}, which no layer is made of`)
  return found
}

function typeOf(kinds: readonly GeometryKind[], { table, geomColumn }: WantedTable): GeometryType {
  const place = 'geometry_type'
  if (kinds.length === 0)
    throw invalid(
      place,
      `column "${geomColumn}" does not say what it holds, and "${table}" has no geometry yet`,
    )
  const names = [...new Set(kinds.map(({ type, hasM }) => `${type}${hasM ? 'M' : ''}`))]
  const families = [...new Set(names.map((name) => name.replace(/^MULTI/, '')))]
  const [family] = families
  if (families.length > 1 || (family !== 'POINT' && family !== 'LINESTRING' && family !== 'POLYGON'))
    throw invalid(place, `the table holds ${names.join(', ')}: name the type that the layer shows`)
  const isMulti = kinds.some(({ type }) => type.startsWith('MULTI'))
  return geometryTypeOf({ family, isMulti, hasZ: kinds.some(({ hasZ }) => hasZ) })
}

function srsOf(kinds: readonly GeometryKind[], { table, geomColumn, srs }: WantedTable): number {
  const codes = [...new Set(kinds.map((kind) => kind.srs))]
  const [first = srs] = codes
  if (first === undefined)
    throw invalid(
      'srs',
      `column "${geomColumn}" names no reference system, and "${table}" has no geometry yet`,
    )
  const hint = `There, run: select UpdateGeometrySRID(…) for column "${geomColumn}", with the EPSG code.`
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
      `the geometries are in EPSG:${codes.join(', EPSG:')}: name the one that the layer shows`,
    )
  return first
}

function getColumn({ columns, table }: InspectedTable, name: string, member: string): InspectedColumn {
  const found = columns.find((column) => column.name === name)
  if (found !== undefined) return found
  const names = columns.map((column) => column.name)
  const listed = names.length === 0 ? 'none' : names.slice(0, 20).join(', ')
  throw invalid(member, `"${table}" has no column "${name}", only: ${listed}`, findHint(name, names))
}

function withoutTable({ schema, table }: Pick<WantedTable, 'schema' | 'table'>): Problem {
  return invalid('table', `there is no table or view "${table}" in schema "${schema}"`)
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

/** What is no value that a field could have. */
const unreadable = /(^|\.)(geometry|geography|raster|bytea|topogeometry)(\[\])?$/

/** Gives the datatype of a field that stands for a column: text for what is not a number or a moment. */
export function datatypeOf(type: string): Datatype | undefined {
  return unreadable.test(type) ? undefined : (datatypes[type] ?? 'STRING')
}
