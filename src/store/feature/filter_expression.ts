import { problem } from '../../contract/problems.ts'
import { quoteName } from '../../core/sql_quote.ts'
import { findHint } from '../../core/suggest.ts'
import type { Geometry } from '../../geo/geometry.ts'
import { onMap } from '../../geo/on_map.ts'
import { formatWkt } from '../../geo/wkt.ts'
import type { Layer } from '../layer/stored_layer.ts'
import { likeSql } from '../like_pattern.ts'
import { type Bindings, transformSql } from './feature_sql.ts'
import { checkPattern, comparedType, type FieldType, parseCompared } from './field_value.ts'

/** Operators that compare two values. */
export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

/** Operators that compare the geometry of a feature with another one. */
export const spatialOperators = [
  'equals',
  'disjoint',
  'touches',
  'within',
  'overlaps',
  'crosses',
  'intersects',
  'contains',
] as const

/** Operator that compares the geometry of a feature with another one. */
export type SpatialOperator = (typeof spatialOperators)[number]

/** A field, by its keyname, the id, or a string that is parsed by the datatype of the field it is compared with. */
export type Operand = { readonly field: string } | { readonly isId: true } | { readonly literal: string }

/** A geometry of a filter, in an EPSG reference system. */
export interface FilterGeometry {
  readonly geometry: Geometry
  readonly srs: number
}

/** A condition on features, composed of others. */
export type FilterExpression =
  | { readonly kind: 'and' | 'or'; readonly items: readonly FilterExpression[] }
  | { readonly kind: 'not'; readonly item: FilterExpression }
  | {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly left: Operand
      readonly right: Operand
      /** Whether the case of strings matters. */
      readonly matchCase: boolean
    }
  | { readonly kind: 'between'; readonly field: string; readonly lower: string; readonly upper: string }
  | {
      readonly kind: 'like'
      readonly field: string
      /** Pattern of SQL, with a backslash as the escape character. */
      readonly pattern: string
      readonly matchCase: boolean
    }
  | { readonly kind: 'null'; readonly field: string }
  | { readonly kind: 'no-geometry' }
  /** Features by their ids, in decimal digits. */
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | ({ readonly kind: 'spatial'; readonly operator: SpatialOperator } & FilterGeometry)
  | ({
      readonly kind: 'distance'
      /** Whether features within the distance match, or the ones beyond it. */
      readonly isWithin: boolean
      readonly distance: number
      /** On the surface of the earth, or in units of the layer's reference system. */
      readonly unit: 'metre' | 'srs'
    } & FilterGeometry)

/**
 * Returns an expression as SQL on the columns of the layer's table. Its depth must be limited.
 *
 * @throws {Problem} request/invalid for an unknown field, feature/invalid for a value of the wrong type
 */
export function expressionSql(layer: Layer, expression: FilterExpression, bindings: Bindings): string {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return combineSql(layer, expression, bindings)
    case 'not':
      return `(not ${expressionSql(layer, expression.item, bindings)})`
    case 'compare':
      return compareSql(layer, expression, bindings)
    case 'between': {
      const { field, column } = columnOf(layer, expression.field)
      const [lower, upper] = [expression.lower, expression.upper].map((text) =>
        bindLiteral(field, text, bindings),
      )
      return `(${comparable(field, column)} between ${lower} and ${upper})`
    }
    case 'like':
      return matchSql(layer, expression, bindings)
    case 'null':
      return `(${columnOf(layer, expression.field).column} is null)`
    case 'no-geometry':
      return '(geom is null)'
    case 'ids':
      return `(id = any(${bindings.bind(expression.ids, 'bigint[]')}))`
    case 'spatial':
      return spatialSql(layer, expression, bindings)
    case 'distance':
      return distanceSql(layer, expression, bindings)
  }
}

type Kind<K extends FilterExpression['kind']> = Extract<FilterExpression, { readonly kind: K }>

function combineSql(layer: Layer, { kind, items }: Kind<'and' | 'or'>, bindings: Bindings): string {
  if (items.length === 0) return kind === 'and' ? 'true' : 'false'
  return `(${items.map((item) => expressionSql(layer, item, bindings)).join(` ${kind} `)})`
}

function compareSql(layer: Layer, expression: Kind<'compare'>, bindings: Bindings): string {
  const { left, right, operator, matchCase } = expression
  const fields = [left, right].flatMap((operand) => operandColumn(layer, operand) ?? [])
  const [first, second] = fields
  if (first === undefined) throw problem('request/invalid', 'A comparison needs a field of the layer.')
  const type =
    second === undefined || areComparable(first.field, second.field)
      ? first.field
      : ({ keyname: first.field.keyname, datatype: 'STRING' } as const)
  const sides = [left, right].map((operand) => {
    const sql =
      'literal' in operand
        ? bindLiteral(type, operand.literal, bindings)
        : comparable(type, operandColumn(layer, operand)?.column ?? 'id')
    return matchCase || type.datatype !== 'STRING' ? sql : `lower(${sql})`
  })
  return `(${sides.join(` ${operator} `)})`
}

/** Tells whether values of two fields are compared as such. Others are compared as strings. */
function areComparable(...fields: readonly [FieldType, FieldType]): boolean {
  const [first, second] = fields.map(({ datatype }) => comparedType(datatype))
  return first === second || fields.every(({ datatype }) => datatype === 'DATE' || datatype === 'DATETIME')
}

const idColumn = { field: { keyname: 'id', datatype: 'BIGINT' }, column: 'id' } as const

function operandColumn(layer: Layer, operand: Operand): Column | undefined {
  if ('field' in operand) return columnOf(layer, operand.field)
  return 'isId' in operand ? idColumn : undefined
}

function matchSql(
  layer: Layer,
  { field: name, pattern, matchCase }: Kind<'like'>,
  bindings: Bindings,
): string {
  const { field, column } = columnOf(layer, name)
  const options = { matchCase, hasEscapes: true }
  const bound = bindings.bind(checkPattern(field, pattern, options), 'text')
  return `(${likeSql(`${column}::text`, bound, options)})`
}

function spatialSql(layer: Layer, { operator, ...target }: Kind<'spatial'>, bindings: Bindings): string {
  return `(ST_${operator}(geom, ${transformSql(geometrySql(target, bindings), target.srs, layer.srs)}))`
}

function distanceSql(layer: Layer, expression: Kind<'distance'>, bindings: Bindings): string {
  const { isWithin, distance, unit, srs } = expression
  const target = geometrySql(expression, bindings)
  const [left, right] =
    unit === 'srs'
      ? ['geom', transformSql(target, srs, layer.srs)]
      : [
          `${transformSql('geom', layer.srs, 4326)}::geography`,
          `${transformSql(target, srs, 4326)}::geography`,
        ]
  const within = `ST_DWithin(${left}, ${right}, ${bindings.bind(distance, 'float8')})`
  return isWithin ? `(${within})` : `(not ${within})`
}

function geometrySql({ geometry, srs }: FilterGeometry, bindings: Bindings): string {
  return `ST_GeomFromText(${bindings.bind(formatWkt(onMap(geometry, srs)), 'text')}, ${Math.trunc(srs)})`
}

interface Column {
  readonly field: FieldType
  readonly column: string
}

function columnOf({ fields }: Layer, keyname: string): Column {
  const field = fields.find((one) => one.keyname === keyname)
  if (field !== undefined) return { field, column: quoteName(field.columnName) }
  const hint = findHint(
    keyname,
    fields.map((one) => one.keyname),
  )
  throw problem('request/invalid', `The layer has no field "${keyname}".`, { hint })
}

/** Converts a column to the type in which it is compared. */
function comparable({ datatype }: FieldType, column: string): string {
  const type = comparedType(datatype)
  return type === 'numeric' || type === 'text' ? `${column}::${type}` : column
}

function bindLiteral(field: FieldType, text: string, bindings: Bindings): string {
  const value = parseCompared(field, text)
  return bindings.bind(value.text, value.type)
}
