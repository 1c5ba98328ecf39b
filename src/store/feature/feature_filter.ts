import { filterSrs } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { filterOperators } from '../../contract/routes/feature.ts'
import { quoteName } from '../../core/sql_quote.ts'
import { findHint } from '../../core/suggest.ts'
import type { Bbox } from '../../geo/bbox.ts'
import type { Geometry } from '../../geo/geometry.ts'
import { mercatorHalfWorld } from '../../geo/mercator.ts'
import { onMap } from '../../geo/on_map.ts'
import { formatWkt } from '../../geo/wkt.ts'
import type { Layer } from '../layer/stored_layer.ts'
import { likeSql } from '../like_pattern.ts'
import { type Bindings, transformSql } from './feature_sql.ts'
import { checkPattern, checkText, comparedType, type FieldType, parseCompared } from './field_value.ts'
import { expressionSql, type FilterExpression } from './filter_expression.ts'

/** A filter of features; all conditions have to hold. */
export interface FeatureFilter {
  /** Query parameters `fld_name`, `fld_name__op`, `id` and `id__op`, in order. */
  readonly fields?: readonly (readonly [name: string, text: string])[]
  readonly intersects?: Geometry | undefined
  /** EPSG code of `intersects`. @default 3857 */
  readonly intersectsSrs?: number | undefined
  /** Box in EPSG:3857. */
  readonly bbox?: Bbox | undefined
  /** String that a searchable field has to contain. */
  readonly like?: string | undefined
  /** String that a searchable field has to contain, ignoring case. */
  readonly ilike?: string | undefined
  /** Condition of a protocol with nested filters. */
  readonly expression?: FilterExpression | undefined
  /** Range of ids: a batch of a longer read, not a condition of the request. */
  readonly ids?: { readonly above?: number; readonly upTo?: number }
}

/** Returns whether a filter has no conditions. */
export function isEmptyFilter({
  fields = [],
  intersects,
  bbox,
  like,
  ilike,
  expression,
}: FeatureFilter): boolean {
  return (
    fields.length === 0 && [intersects, bbox, like, ilike, expression].every((part) => part === undefined)
  )
}

/**
 * Returns the conditions of a filter as SQL on the columns of the layer's table; `true` for an empty filter.
 *
 * @throws {Problem} request/invalid for an unknown field or operator, feature/invalid for a value of the wrong type
 */
export function filterSql(layer: Layer, filter: FeatureFilter, bindings: Bindings): string {
  const { intersects, bbox, like, ilike } = filter
  const conditions = (filter.fields ?? []).map(([name, text]) => parameterSql(layer, [name, text], bindings))
  const { above, upTo } = filter.ids ?? {}
  if (above !== undefined) conditions.push(`id > ${bindings.bind(above, 'bigint')}`)
  if (upTo !== undefined) conditions.push(`id <= ${bindings.bind(upTo, 'bigint')}`)
  if (intersects !== undefined) {
    conditions.push(
      intersectsSql(layer, { area: intersects, srs: filter.intersectsSrs ?? filterSrs }, bindings),
    )
  }
  if (bbox !== undefined) conditions.push(boxSql(layer, bbox, bindings))
  if (like !== undefined) conditions.push(containsSql(layer, `strpos(%, ${bindText(bindings, like)}) > 0`))
  if (filter.expression !== undefined) conditions.push(expressionSql(layer, filter.expression, bindings))
  // As ILIKE does, but without converting the pattern for every row.
  if (ilike !== undefined)
    conditions.push(containsSql(layer, `strpos(lower(%), lower(${bindText(bindings, ilike)})) > 0`))
  return conditions.length === 0 ? 'true' : conditions.join(' and ')
}

/** Returns SQL that is true for features that intersect a box. */
function boxSql(layer: Layer, bbox: Bbox, bindings: Bindings): string {
  const [west, south, east, north] = bbox
  if (west < -mercatorHalfWorld || east > mercatorHalfWorld) {
    const ring = [west, south, east, south, east, north, west, north, west, south]
    const area: Geometry = { family: 'POLYGON', isMulti: false, hasZ: false, parts: [[ring]] }
    return intersectsSql(layer, { area, srs: filterSrs }, bindings)
  }
  const box = `ST_MakeEnvelope(${bbox.map((edge) => bindings.bind(edge, 'float8')).join(', ')}, ${filterSrs})`
  return `ST_Intersects(geom, ${transformSql(box, filterSrs, layer.srs)})`
}

/** Returns SQL that is true for features that intersect a geometry. */
function intersectsSql(
  layer: Layer,
  { area, srs }: { readonly area: Geometry; readonly srs: number },
  bindings: Bindings,
): string {
  const geometry = `ST_GeomFromText(${bindings.bind(formatWkt(onMap(area, srs)), 'text')}, ${Math.trunc(srs)})`
  return `ST_Intersects(geom, ${transformSql(geometry, srs, layer.srs)})`
}

const bindText = (bindings: Bindings, text: string) =>
  bindings.bind(checkText({ keyname: 'like' }, text), 'text')

/** Combines a condition on each searchable field with `or`; `%` stands for the column. */
function containsSql({ fields }: Layer, condition: string): string {
  const columns = fields.filter(({ textSearch }) => textSearch).map((field) => quoteName(field.columnName))
  const options = columns.map((column) => condition.replace('%', () => `${column}::text`))
  return options.length === 0 ? 'false' : `(${options.join(' or ')})`
}

type Operator = (operand: Operand) => string

interface Operand {
  readonly field: FieldType
  readonly column: string
  readonly text: string
  readonly bindings: Bindings
}

/** Converts the column of integers, which are compared with any number. */
const comparedColumn = ({ datatype }: FieldType, column: string) =>
  comparedType(datatype) === 'numeric' ? `${column}::numeric` : column

const compare =
  (sign: string): Operator =>
  ({ field, column, text, bindings }) => {
    const value = parseCompared(field, text)
    return `${comparedColumn(field, column)} ${sign} ${bindings.bind(value.text, value.type)}`
  }

const matches =
  (condition: string): Operator =>
  ({ field, column, text, bindings }) =>
    `${condition.replace('%', () => `${column}::text`).replace('?', () => bindings.bind(checkText(field, text), 'text'))}`

const like =
  (matchCase: boolean): Operator =>
  ({ field, column, text, bindings }) => {
    // Only % and _ are special.
    const options = { matchCase, hasEscapes: false }
    return likeSql(`${column}::text`, bindings.bind(checkPattern(field, text, options), 'text'), options)
  }

const inList =
  (condition: string): Operator =>
  ({ field, column, text, bindings }) => {
    const items = text === '' ? [] : text.split(',').map((item) => item.replaceAll(/%2c/gi, ','))
    const values = items.map((item) => parseCompared(field, item))
    const usual = comparedType(field.datatype)
    // Dates are midnights where one of the values has a time.
    const type = values.find((value) => value.type !== usual)?.type ?? usual
    const list = bindings.bind(
      values.map((value) => value.text),
      `${type}[]`,
    )
    return `${comparedColumn(field, column)} ${condition} (${list})`
  }

const isNull: Operator = ({ field, column, text }) => {
  const wanted = { yes: true, true: true, '1': true, no: false, false: false, '0': false }[text.toLowerCase()]
  if (wanted === undefined)
    throw problem('feature/invalid', `field "${field.keyname}": isnull is "${text}", expected yes or no`)
  return `${column} is ${wanted ? '' : 'not '}null`
}

const operators: Readonly<Record<(typeof filterOperators)[number], Operator>> = {
  eq: compare('='),
  ne: compare('<>'),
  gt: compare('>'),
  ge: compare('>='),
  lt: compare('<'),
  le: compare('<='),
  like: like(true),
  ilike: like(false),
  startswith: matches('starts_with(%, ?)'),
  isnull: isNull,
  in: inList('= any'),
  notin: inList('<> all'),
}

function parameterSql(layer: Layer, [name, text]: readonly [string, string], bindings: Bindings): string {
  const { field, column, operator } = findTarget(layer, name)
  return `(${operator({ field, column, text, bindings })})`
}

interface Target {
  readonly field: FieldType
  readonly column: string
  readonly operator: Operator
}

const idField = { keyname: 'id', datatype: 'INTEGER' } as const

function findTarget(layer: Layer, name: string): Target {
  const targets = new Map<string, Pick<Target, 'field' | 'column'>>(
    layer.fields.map((field) => [`fld_${field.keyname}`, { field, column: quoteName(field.columnName) }]),
  )
  targets.set('id', { field: idField, column: 'id' })
  // Keynames may contain two underscores: a field of the complete name takes precedence.
  const exact = targets.get(name)
  if (exact !== undefined) return { ...exact, operator: compare('=') }
  const at = name.lastIndexOf('__')
  const target = at < 0 ? undefined : targets.get(name.slice(0, at))
  if (target === undefined) {
    const word = at < 0 ? name : name.slice(0, at)
    const field = word.replace(/^fld_/, '')
    const hint = findHint(field, ['id', ...layer.fields.map(({ keyname }) => keyname)])
    throw problem('request/invalid', `${name}: the layer has no field "${field}"`, { hint })
  }
  const word = name.slice(at + 2)
  const operator = filterOperators.find((known) => known === word)
  if (operator !== undefined) return { ...target, operator: operators[operator] }
  throw problem(
    'request/invalid',
    `${name}: unknown operator "${word}", expected ${filterOperators.join(', ')}`,
    {
      hint: findHint(word, filterOperators),
    },
  )
}
