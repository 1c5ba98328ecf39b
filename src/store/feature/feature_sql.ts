import type { Datatype } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { Queryable } from '../../database/database.ts'
import type { LayerField } from '../layer/stored_layer.ts'
import { isTemporalType, type TemporalType, temporalUnits } from './field_value.ts'

/** Format of dates and times: an object of their parts, or an ISO 8601 string. */
export type TemporalFormat = 'obj' | 'iso'

/** A SQL expression of JSON text, or the name of a column with JSON text. */
export type JsonSql = string

/** Maximum number of arguments of a call, below PostgreSQL's limit of 100. */
const maxArguments = 90

/** JSON text that is the same in every row. */
export interface JsonText {
  readonly text: string
}

/** A member of a JSON object: name and value, which may be a nested object. */
export type JsonMember = readonly [name: string, value: JsonSql | JsonText | readonly JsonMember[]]

/**
 * Returns SQL that writes a JSON object. Names are bound, never part of the SQL. Concatenating is three times as fast as
 * `json_build_object`, and faster with fewer pieces.
 */
export function objectSql(bindings: Bindings, members: readonly JsonMember[]): JsonSql {
  const pieces: string[] = []
  let pending = ''
  const flush = () => {
    if (pending !== '') pieces.push(bindings.bind(pending, 'text'))
    pending = ''
  }
  const write = (object: readonly JsonMember[]) => {
    pending += '{'
    for (const [at, [name, value]] of object.entries()) {
      pending += `${at === 0 ? '' : ','}${JSON.stringify(name)}:`
      if (typeof value === 'string') {
        flush()
        pieces.push(value)
      } else if ('text' in value) pending += value.text
      else write(value)
    }
    pending += '}'
  }
  write(members)
  flush()
  return concatSql(pieces)
}

/** Returns SQL that concatenates any number of strings; null counts as empty. */
export function concatSql(pieces: readonly string[]): string {
  if (pieces.length <= maxArguments) return `concat(${pieces.join(', ')})`
  const groups = Array.from({ length: Math.ceil(pieces.length / maxArguments) }, (_, at) =>
    concatSql(pieces.slice(at * maxArguments, (at + 1) * maxArguments)),
  )
  return concatSql(groups)
}

/** Returns SQL that writes the value of a field as JSON. */
export function valueSql(field: LayerField, format: TemporalFormat): JsonSql {
  const column = quoteName(field.columnName)
  const { datatype } = field
  if (datatype === 'INTEGER') return `coalesce(${column}::text, 'null')`
  // JSON readers lose digits of larger numbers.
  if (datatype === 'BIGINT')
    return `case when ${column} is null then 'null' when ${column} between -9007199254740991 and 9007199254740991
            then ${column}::text else '"' || ${column} || '"' end`
  if (format === 'obj' && isTemporalType(datatype)) return partsSql(column, datatype)
  return `coalesce(to_json(${column})::text, 'null')`
}

function partsSql(column: string, type: TemporalType): JsonSql {
  const members = temporalUnits(type).map((unit, at) => {
    const part = `extract(${unit} from ${column})`
    return `'${at === 0 ? '{' : ','}"${unit}":', ${unit === 'second' ? `trunc(${part})` : part}`
  })
  return `case when ${column} is null then 'null' else concat(${members.join(', ')}, '}') end`
}

/** Decimal places that represent any double exactly; PostGIS writes no more than needed. */
export const allDigits = 30

/** Returns SQL that writes a geometry as JSON, a WKT string or a GeoJSON object, without loss of precision. */
export function geometrySql(geometry: string, format: 'wkt' | 'geojson'): JsonSql {
  return format === 'wkt'
    ? `coalesce('"' || ST_AsText(${geometry}, ${allDigits}) || '"', 'null')`
    : `coalesce(ST_AsGeoJSON(${geometry}, ${allDigits}, 0), 'null')`
}

/** Column type of each datatype. */
export const columnTypes: Readonly<Record<Datatype, string>> = {
  INTEGER: 'integer',
  BIGINT: 'bigint',
  REAL: 'double precision',
  STRING: 'text',
  DATE: 'date',
  TIME: 'time(0)',
  DATETIME: 'timestamp(0)',
}

/** Returns SQL that transforms a geometry between reference systems, given as EPSG codes. */
export function transformSql(geometry: string, from: number, to: number): string {
  return from === to ? geometry : `ST_Transform(${geometry}, ${Math.trunc(to)})`
}

/**
 * Makes sure that the database supports a reference system.
 *
 * @throws {Problem} request/invalid
 */
export async function requireSrs(tx: Queryable, srs: number): Promise<void> {
  // Larger numbers would fail in the database.
  const rows = Number.isSafeInteger(srs)
    ? await tx.query('select from spatial_ref_sys where srid = $1::bigint', [srs])
    : []
  if (rows.length === 0) throw problem('request/invalid', `srs: unknown reference system EPSG:${srs}`)
}

/**
 * Converts the error of a statement with client geometry into feature/invalid if PostGIS rejected the geometry, for
 * example coordinates outside the reference system.
 */
export function geometryProblem(error: unknown): unknown {
  if (!isProblem(error, 'database/query') && !isProblem(error, 'external/database')) return error
  const { sqlstate } = error.data
  if (sqlstate === 'XX000')
    return problem('feature/invalid', `invalid geometry: ${error.message}`, { cause: error })
  const isData = typeof sqlstate === 'string' && sqlstate.startsWith('22')
  return isData ? problem('feature/invalid', error.message, { cause: error }) : error
}

/** Collects the values of a statement while its text is composed. */
export interface Bindings {
  /** Values of the parameters `$1`, `$2`, …. */
  readonly values: readonly unknown[]
  /** Adds a value and returns its parameter with the type, such as `$3::text`. */
  bind(value: unknown, type: string): string
}

/** Creates an empty list of values. */
export function createBindings(): Bindings {
  const values: unknown[] = []
  return {
    values,
    bind(value, type) {
      values.push(value)
      return `$${values.length}::${type}`
    },
  }
}

/** A statement and the values of its parameters. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}
