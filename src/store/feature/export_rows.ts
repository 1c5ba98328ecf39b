import { type ExportFormat, freeColumnName, geometryColumnName } from '../../contract/export_formats.ts'
import { type Datatype, geometryParts } from '../../contract/geometry.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { Layer, LayerField } from '../layer/stored_layer.ts'
import { type Bindings, createBindings, type Statement } from './bindings.ts'
import { columnTypes } from './column_sql.ts'
import { type FeatureFilter, filterSql } from './feature_filter.ts'
import { featuresSql } from './feature_table.ts'
import { transformSql } from './geometry_sql.ts'
import { allDigits, concatSql, valueSql } from './json_sql.ts'
import { isTemporalType } from './temporal_value.ts'

/** A column of an exported file. */
export interface ExportColumn {
  readonly name: string
  readonly datatype: Datatype
  /** The field whose values it holds; undefined where it holds the ids of the features. */
  readonly field: LayerField | undefined
}

/** What of a layer is exported. */
export interface ExportSelection {
  /** EPSG code of the coordinates. */
  readonly srs: number
  readonly columns: readonly ExportColumn[]
  readonly filter: FeatureFilter
}

/** What stands in a column of a row: JSON, or a text that is to become JSON. */
export type ColumnForm = 'json' | 'text'

/** A column of a row, and the SQL that gives it. Null is null in both forms. */
interface JsonColumn {
  readonly form: ColumnForm
  readonly sql: string
}

/**
 * Gives the statement whose rows are the id and the geometry of each feature as JSON, then its values, in the order of
 * ids; and what the values are. Who writes files puts them together: the database would take longer for that than for
 * all else.
 *
 * @see RFC 7946 clause 3.2
 */
export function geojsonStatement(
  layer: Layer,
  selection: ExportSelection,
): Statement & { readonly forms: readonly ColumnForm[] } {
  const bindings = createBindings()
  const geometry = `ST_AsGeoJSON(${geometryOf(layer, selection)}, ${allDigits}, 0)`
  const columns = selection.columns.map(({ field }) => jsonColumn(field))
  const list = ['id::text', geometry, ...columns.map(({ sql }) => sql)].join(', ')
  return {
    text: `select ${list} from ${selected(layer, selection, bindings)}`,
    values: bindings.values,
    forms: columns.map(({ form }) => form),
  }
}

function jsonColumn(field: LayerField | undefined): JsonColumn {
  if (field === undefined) return { form: 'json', sql: 'id::text' }
  const column = quoteName(field.columnName)
  if (field.datatype === 'STRING') return { form: 'text', sql: column }
  if (field.datatype === 'DATE' || field.datatype === 'TIME') return { form: 'text', sql: `${column}::text` }
  return { form: 'json', sql: valueSql(field, 'iso') }
}

/** What a table of text looks like. */
export interface TableForm {
  readonly separator: ',' | ';'
  /** Whether lines end with a carriage return before the line feed. */
  readonly hasReturns: boolean
}

/**
 * Gives the statement that writes each feature as a line of comma-separated values, geometry first. Texts are quoted and
 * nothing else is, so that an empty text is none that is missing. Control characters are written as `escapeControl` says.
 *
 * @see RFC 4180
 */
export function tableStatement(layer: Layer, selection: ExportSelection, form: TableForm): Statement {
  const bindings = createBindings()
  const geometry = geometryOf(layer, selection)
  const cells = [
    `'"' || ST_AsText(${geometry}, ${allDigits}) || '"'`,
    ...selection.columns.map(({ field }) => (field === undefined ? 'id::text' : cellSql(field))),
  ]
  // A line of one empty cell would be no line to many readers.
  const only = cells.length === 1 ? [`coalesce(${cells[0]}, '""')`] : cells
  const pieces = only.flatMap((cell, at) => (at === 0 ? [cell] : [`'${form.separator}'`, cell]))
  const line = concatSql([...pieces, ...(form.hasReturns ? [`'${controlMark}r'`] : [])])
  return { text: `select ${line} from ${selected(layer, selection, bindings)}`, values: bindings.values }
}

/** Gives the first line of a table: the names of its columns. */
export function tableHeader({ columns }: ExportSelection, { separator, hasReturns }: TableForm): string {
  const names = [freeColumnName(geometryColumnName, columns), ...columns.map(({ name }) => name)]
  const cells = names.map((name) => (/[",;\s]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name))
  return `${cells.join(separator)}${hasReturns ? '\r' : ''}\n`
}

/** What becomes of features on their way into rows. */
export interface RowForm {
  /** What becomes of geometry: a text of WKT before the values, or required of every feature. */
  readonly geometry?: ExportFormat['geometry'] | undefined
  /** Regular expression of the characters that become question marks. */
  readonly lacking?: string | undefined
}

/**
 * Gives the statement whose rows are the id as `int8`, the geometry as EWKB, and the values; dates and times as text. The
 * geometries are all of the layer's own type.
 */
export function rowsStatement(
  layer: Layer,
  selection: ExportSelection,
  { geometry: use, lacking }: RowForm,
): Statement {
  const bindings = createBindings()
  const geometry = uniformSql(layer, geometryOf(layer, selection))
  const shapes =
    use === 'text'
      ? ['null::bytea', `ST_AsText(${geometry}, ${allDigits})`]
      : [`ST_AsEWKB(${geometry}, 'NDR')`]
  const pattern = lacking === undefined ? undefined : bindings.bind(lacking, 'text')
  const values = selection.columns.map((column) => {
    const sql = columnSql(column)
    const isText = pattern !== undefined && column.field?.datatype === 'STRING'
    return isText ? `regexp_replace(${sql}, ${pattern}, '?', 'g')` : sql
  })
  const rows = selected(layer, selection, bindings)
  const condition = use === 'needed' ? 'where not ST_IsEmpty(geom)' : ''
  const text = `select ${['id::bigint', ...shapes, ...values].join(', ')} from ${rows} ${condition}`
  return { text, values: bindings.values }
}

function columnSql({ field, datatype }: ExportColumn): string {
  if (field === undefined) return `id::${columnTypes[datatype]}`
  const column = quoteName(field.columnName)
  if (field.datatype === 'DATETIME') return `to_json(${column}) #>> '{}'`
  return isTemporalType(field.datatype) ? `${column}::text` : column
}

// Tables elsewhere may mix single shapes into a layer of several, and flat ones into one with Z.
function uniformSql({ foreign, geometryType }: Layer, geometry: string): string {
  if (foreign?.isMixed !== true) return geometry
  const { isMulti, hasZ } = geometryParts(geometryType)
  const whole = isMulti ? `ST_Multi(${geometry})` : geometry
  return hasZ ? `ST_Force3D(${whole})` : whole
}

function cellSql(field: LayerField): string {
  const column = quoteName(field.columnName)
  if (field.datatype === 'STRING') return `'"' || ${escapeControl(`replace(${column}, '"', '""')`)} || '"'`
  return field.datatype === 'DATETIME' ? `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')` : `${column}::text`
}

/** Stands before a letter that means a control character; rows on their way are lines, and have none of their own. */
export const controlMark = '\u0003'

/** Letters behind the mark, and what they mean. */
export const controlLetters: Readonly<Record<string, string>> = {
  '1': '\u0001',
  '2': '\u0002',
  '3': controlMark,
  n: '\n',
  r: '\r',
}

/** Gives SQL that writes the control characters that rows of text cannot hold with the mark. */
function escapeControl(text: string): string {
  // The mark itself first: what is written with it later is not to be marked again.
  const letters = ['3', ...Object.keys(controlLetters).filter((letter) => letter !== '3')]
  const escaped = letters.reduce(
    (sql, letter) => `replace(${sql}, chr(${controlLetters[letter]?.charCodeAt(0)}), chr(3) || '${letter}')`,
    text,
  )
  return `case when ${text} ~ '[\\x01-\\x03\\n\\r]' then ${escaped} else ${text} end`
}

function geometryOf({ srs: from }: Layer, { srs: to }: ExportSelection): string {
  return transformSql('geom', from, to)
}

// Sorting comes first and writing last: the first feature leaves before the last one is written.
function selected(layer: Layer, { filter }: ExportSelection, bindings: Bindings): string {
  const condition = filterSql(layer, filter, bindings)
  return `(select * from ${featuresSql(layer)} where ${condition} order by id) sorted`
}
