import type { Expression, Representation } from './expression.ts'
import { ExpressionFault } from './expression_tokens.ts'

const missing: Expression = { op: 'literal', value: null }

/**
 * Returns a call of `represent_value()`: of a field, or of any value and the name of the field that has its labels.
 *
 * @throws {ExpressionFault} where QGIS finds no field
 */
export function representationOf(
  [operand = missing, name]: readonly Expression[],
  offset: number,
): Representation {
  if (name?.op === 'literal' && name.value !== null)
    return { op: 'represent', operand, field: String(name.value) }
  const isOwn = name === undefined || name.op === 'literal'
  if (isOwn && operand.op === 'field') return { op: 'represent', operand, field: operand.name }
  const message = isOwn
    ? 'represent_value() expects a field, or a value and the name of a field'
    : 'represent_value() expects the name of a field as a constant'
  throw new ExpressionFault(message, offset)
}

/** Finds the labels of the values of a field, as a JSON object by value; undefined if it has none. */
export type FindLabels = (field: string) => string | undefined

/** Returns an expression, a style or a part of one whose values of fields without labels have those that are found. */
export function bindLabels<T>(value: T, find: FindLabels): T {
  // Generic over all places of expressions in a style. What does not change remains the same object, with its origin.
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((one) => bindLabels(one, find))
    return items.some((one, at) => one !== value[at]) ? (items as T) : value
  }
  const changed = Object.entries(value).flatMap(([name, one]) => {
    const bound = bindLabels(one, find)
    return bound === one ? [] : [[name, bound] as const]
  })
  const labels = isUnbound(value) ? find(value.field) : undefined
  if (changed.length === 0 && labels === undefined) return value
  return { ...value, ...Object.fromEntries(changed), ...(labels === undefined ? {} : { labels }) }
}

const isUnbound = (value: object): value is Representation =>
  'op' in value && value.op === 'represent' && !('labels' in value)

/** Maximum number of tables of labels that are remembered. */
const maxTables = 8

const tables = new Map<string, ReadonlyMap<string, string>>()

/** Reads the labels of a `Representation`, with a small cache: a table may have 100,000 labels, and is used for every image. */
export function readLabels(text: string): ReadonlyMap<string, string> {
  const known = tables.get(text)
  if (known !== undefined) return known
  const table = new Map(Object.entries(JSON.parse(text) as Record<string, string>))
  if (tables.size >= maxTables) tables.clear()
  tables.set(text, table)
  return table
}
