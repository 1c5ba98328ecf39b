import {
  type ExportFormat,
  freeColumnName,
  geometryColumnName,
} from '../../contract/formats/export_formats.ts'
import { type Datatype, geometryParts } from '../../contract/geometry.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { Layer, LayerField } from '../layer/stored_layer.ts'
import type { FeatureFilter } from './feature_filter.ts'
import {
  allDigits,
  columnTypes,
  concatSql,
  createBindings,
  type Statement,
  transformSql,
  valueSql,
} from './feature_sql.ts'
import { isTemporalType } from './field_value.ts'
import { type FeaturePage, selectedSql } from './read_features.ts'

/** A column of an exported file. */
export interface ExportColumn {
  readonly name: string
  readonly datatype: Datatype
  /** The field of the values; undefined for the ids of the features. */
  readonly field: LayerField | undefined
}

/** The part of a layer to export. */
export interface ExportSelection extends FeaturePage {
  /** EPSG code of the coordinates. */
  readonly srs: number
  readonly columns: readonly ExportColumn[]
  readonly filter: FeatureFilter
  /** Whether GeoJSON has the geometries. @default true */
  readonly hasGeometry?: boolean
  /** Whether coordinates of GeoJSON have y first. @default false */
  readonly isSwapped?: boolean
}

/** Encoding of a column: JSON, or a string that still has to be encoded as JSON. */
export type ColumnEncoding = 'json' | 'text'

/** A column of a row and its SQL. Null is null in both encodings. */
interface JsonColumn {
  readonly encoding: ColumnEncoding
  readonly sql: string
}

/**
 * Returns the statement that selects the id and geometry of each feature as JSON, then its values, ordered by id; and
 * the encoding of the values. The caller composes the features, because composing them in SQL would take longer than
 * everything else.
 *
 * @see RFC 7946 clause 3.2
 */
export function geojsonStatement(
  layer: Layer,
  selection: ExportSelection,
): Statement & { readonly encodings: readonly ColumnEncoding[] } {
  const bindings = createBindings()
  const geometry =
    selection.hasGeometry === false
      ? 'null::text'
      : `ST_AsGeoJSON(${flipped(geometryOf(layer, selection), selection)}, ${decimalsOf(layer, selection)}, 0)`
  const columns = selection.columns.map(({ field }) => jsonColumn(field))
  const list = ['id::text', geometry, ...columns.map(({ sql }) => sql)].join(', ')
  return {
    text: `select ${list} from ${selectedSql(layer, selection, bindings)}`,
    values: bindings.values,
    encodings: columns.map(({ encoding }) => encoding),
  }
}

const flipped = (geometry: string, { isSwapped = false }: ExportSelection) =>
  isSwapped ? `ST_FlipCoordinates(${geometry})` : geometry

function jsonColumn(field: LayerField | undefined): JsonColumn {
  if (field === undefined) return { encoding: 'json', sql: 'id::text' }
  const column = quoteName(field.columnName)
  if (field.datatype === 'STRING') return { encoding: 'text', sql: column }
  if (field.datatype === 'DATE' || field.datatype === 'TIME')
    return { encoding: 'text', sql: `${column}::text` }
  return { encoding: 'json', sql: valueSql(field, 'iso') }
}

/** Features to write as XML. */
export interface TextSelection extends FeaturePage {
  /** EPSG code of the coordinates. */
  readonly srs: number
  /** Whether the geometries are needed. */
  readonly hasGeometry: boolean
  readonly fields: readonly LayerField[]
  readonly filter: FeatureFilter
}

/**
 * Returns the statement that selects the id of each feature as a string, its geometry as WKB, and its values as strings
 * in the lexical form of XML Schema, in order.
 *
 * @see XML Schema part 2, clause 3.2
 */
export function textStatement(layer: Layer, selection: TextSelection): Statement {
  const bindings = createBindings()
  const { srs, hasGeometry, fields } = selection
  const geometry = hasGeometry
    ? `ST_AsBinary(${uniformSql(layer, transformSql('geom', layer.srs, srs))}, 'NDR')`
    : 'null::bytea'
  const list = ['id::text', geometry, ...fields.map(lexicalSql)].join(', ')
  return {
    text: `select ${list} from ${selectedSql(layer, selection, bindings)}`,
    values: bindings.values,
  }
}

/** Returns SQL of the values of a field as strings in the lexical form of XML Schema. */
export function lexicalSql(field: LayerField): string {
  const column = quoteName(field.columnName)
  if (field.datatype === 'DATETIME') return `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')`
  if (field.datatype === 'REAL') return `replace(${column}::text, 'Infinity', 'INF')`
  return `${column}::text`
}

/** Format of a CSV file. */
export interface CsvFormat {
  readonly separator: ',' | ';'
  /** Whether lines end with a carriage return before the line feed. */
  readonly hasCarriageReturns: boolean
}

/**
 * Returns the statement that writes each feature as a line of comma-separated values, geometry first. Only strings are
 * quoted, so that an empty string differs from null. `escapeControl` encodes control characters.
 *
 * @see RFC 4180
 */
export function csvStatement(layer: Layer, selection: ExportSelection, format: CsvFormat): Statement {
  const bindings = createBindings()
  const geometry = geometryOf(layer, selection)
  const cells = [
    `'"' || ST_AsText(${geometry}, ${decimalsOf(layer, selection)}) || '"'`,
    ...selection.columns.map(({ field }) => (field === undefined ? 'id::text' : cellSql(field))),
  ]
  // Many readers skip a line with a single empty cell.
  const nonEmpty = cells.length === 1 ? [`coalesce(${cells[0]}, '""')`] : cells
  const pieces = nonEmpty.flatMap((cell, at) => (at === 0 ? [cell] : [`'${format.separator}'`, cell]))
  const line = concatSql([...pieces, ...(format.hasCarriageReturns ? [`'${controlMark}r'`] : [])])
  return { text: `select ${line} from ${selectedSql(layer, selection, bindings)}`, values: bindings.values }
}

/** Returns the first line of a CSV file: the names of its columns. */
export function csvHeader(
  { columns }: ExportSelection,
  { separator, hasCarriageReturns }: CsvFormat,
): string {
  const names = [freeColumnName(geometryColumnName, columns), ...columns.map(({ name }) => name)]
  const cells = names.map((name) => (/[",;\s]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name))
  return `${cells.join(separator)}${hasCarriageReturns ? '\r' : ''}\n`
}

/** Conversion of features to rows. */
export interface RowOptions {
  /** Geometry as a WKT string before the values, or required of every feature; by default a column of EWKB. */
  readonly geometry?: ExportFormat['geometry'] | undefined
  /** Regular expression of the characters to replace by question marks. */
  readonly lacking?: string | undefined
}

/**
 * Returns the statement that selects the id as `int8`, the geometry as EWKB, and the values; dates and times as text.
 * All geometries have the geometry type of the layer.
 */
export function rowsStatement(
  layer: Layer,
  selection: ExportSelection,
  { geometry: use, lacking }: RowOptions,
): Statement {
  const bindings = createBindings()
  const geometry = uniformSql(layer, geometryOf(layer, selection))
  const geometries =
    use === 'text'
      ? ['null::bytea', `ST_AsText(${geometry}, ${decimalsOf(layer, selection)})`]
      : [`ST_AsEWKB(${geometry}, 'NDR')`]
  const pattern = lacking === undefined ? undefined : bindings.bind(lacking, 'text')
  const values = selection.columns.map((column) => {
    const sql = columnSql(column)
    const isText = pattern !== undefined && column.field?.datatype === 'STRING'
    return isText ? `regexp_replace(${sql}, ${pattern}, '?', 'g')` : sql
  })
  const rows = selectedSql(layer, selection, bindings)
  const condition = use === 'needed' ? 'where not ST_IsEmpty(geom)' : ''
  const text = `select ${['id::bigint', ...geometries, ...values].join(', ')} from ${rows} ${condition}`
  return { text, values: bindings.values }
}

function columnSql({ field, datatype }: ExportColumn): string {
  if (field === undefined) return `id::${columnTypes[datatype]}`
  const column = quoteName(field.columnName)
  if (field.datatype === 'DATETIME') return `to_json(${column}) #>> '{}'`
  return isTemporalType(field.datatype) ? `${column}::text` : column
}

// Foreign tables may hold single geometries in a multi layer, and 2D geometries in a layer with Z.
function uniformSql({ foreign, geometryType }: Layer, geometry: string): string {
  if (foreign?.isMixed !== true) return geometry
  const { isMulti, hasZ } = geometryParts(geometryType)
  const promoted = isMulti ? `ST_Multi(${geometry})` : geometry
  return hasZ ? `ST_Force3D(${promoted})` : promoted
}

function cellSql(field: LayerField): string {
  const column = quoteName(field.columnName)
  if (field.datatype === 'STRING') return `'"' || ${escapeControl(`replace(${column}, '"', '""')`)} || '"'`
  return field.datatype === 'DATETIME' ? `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')` : `${column}::text`
}

/** Escapes a control character, as mark and letter: rows are transferred as lines, which cannot contain line breaks. */
export const controlMark = '\u0003'

/** Control characters by the letter after the mark. */
export const controlLetters: Readonly<Record<string, string>> = {
  '1': '\u0001',
  '2': '\u0002',
  '3': controlMark,
  n: '\n',
  r: '\r',
}

/** Returns SQL that escapes the control characters that text rows cannot contain. */
function escapeControl(text: string): string {
  // The mark comes first, so that the marks of other characters are not escaped again.
  const letters = ['3', ...Object.keys(controlLetters).filter((letter) => letter !== '3')]
  const escaped = letters.reduce(
    (sql, letter) => `replace(${sql}, chr(${controlLetters[letter]?.charCodeAt(0)}), chr(3) || '${letter}')`,
    text,
  )
  return `case when ${text} ~ '[\\x01-\\x03\\n\\r]' then ${escaped} else ${text} end`
}

/** Decimal places of transformed coordinates: a hundredth of a millimeter in degrees, without errors of the transformation. */
const transformedDecimals = 10

function decimalsOf({ srs: from }: Layer, { srs: to }: ExportSelection): number {
  return from === to ? allDigits : transformedDecimals
}

function geometryOf({ srs: from }: Layer, { srs: to }: ExportSelection): string {
  return transformSql('geom', from, to)
}
