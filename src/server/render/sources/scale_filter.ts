import { quoteName } from '../../../core/sql_quote.ts'
import type { FilteredLayer } from '../../../render/vector_tile/tile_source.ts'
import { type Bound, boundsAtScale } from '../../../style/rule_bound.ts'
import type { Style } from '../../../style/style_model.ts'

/**
 * Leaves out features that no rule of a style draws at a scale, where the database can tell it by comparing numbers: so the
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
    filter: (bindings) => {
      // Styles may take an absent value as 0.
      const tests = bounds.map(
        ({ column, operator, value }) =>
          `${column} ${operator} ${bindings.bind(value, 'float8')} or ${column} is null`,
      )
      const shown = tests.length === 0 ? 'false' : `(${tests.join(' or ')})`
      return chosen === undefined ? shown : `(${chosen(bindings)} and ${shown})`
    },
  }
}

const numbers: readonly string[] = ['INTEGER', 'BIGINT', 'REAL']

function columnOf({ fields }: FilteredLayer, { name }: Bound): string | undefined {
  const field = fields.find(({ keyname }) => keyname === name)
  return field !== undefined && numbers.includes(field.datatype) ? quoteName(field.columnName) : undefined
}
