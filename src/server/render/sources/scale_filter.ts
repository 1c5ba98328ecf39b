import { quoteName } from '../../../core/sql_quote.ts'
import type { FilteredLayer } from '../../../render/vector_tile/tile_source.ts'
import { type Bound, boundsAtScale, includesNull, type TextBound } from '../../../style/rule_bound.ts'
import type { Style } from '../../../style/style_model.ts'

/**
 * Leaves out features that no rule of a style draws at a scale, where the database can tell it by comparing numbers and texts: so the
 * villages of a map of the world are not read, and do not displace its cities where points are dense.
 */
export function limitToScale<L extends FilteredLayer>(layer: L, style: Style, scaleDenom: number): L {
  const bounds = boundsAtScale(style, scaleDenom)?.map((bound) => ({
    ...bound,
    column: columnOf(layer, bound),
  }))
  if (bounds === undefined || bounds.some(({ column }) => column === undefined)) return layer
  const { filter: chosen } = layer
  return {
    ...layer,
    isFilterRecurring: chosen === undefined,
    filter: (bindings) => {
      const tests = bounds.map((bound) => {
        const { column } = bound
        const test =
          'texts' in bound
            ? `= any(${bindings.bind(bound.texts, 'text[]')})`
            : `${bound.operator} ${bindings.bind(bound.value, 'float8')}`
        return includesNull(bound) ? `${column} ${test} or ${column} is null` : `${column} ${test}`
      })
      const shown = tests.length === 0 ? 'false' : `(${tests.join(' or ')})`
      return chosen === undefined ? shown : `(${chosen(bindings)} and ${shown})`
    },
  }
}

const numbers: readonly string[] = ['INTEGER', 'BIGINT', 'REAL']
const texts: readonly string[] = ['STRING']

function columnOf({ fields }: FilteredLayer, bound: Bound | TextBound): string | undefined {
  const field = fields.find(({ keyname }) => keyname === bound.name)
  const types = 'texts' in bound ? texts : numbers
  return field !== undefined && types.includes(field.datatype) ? quoteName(field.columnName) : undefined
}
