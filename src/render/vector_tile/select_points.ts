import type { Queryable } from '../../database/database.ts'
import { createBindings } from '../../store/feature/feature_sql.ts'
import { idType, isForeign } from '../../store/feature/feature_table.ts'
import { chooseMerged, chooseSmall, maxCandidates } from './choose_small.ts'
import { rankSql } from './importance.ts'
import type { RowSelection } from './row_selection.ts'
import { cellsOf, thinPlaces } from './tile_grid.ts'
import { attributeSql, derivedColumns, isRecurring, tileSource } from './tile_source.ts'

/** Part of the limit up to which points are selected with their attributes and thinned here instead of before. */
const unthinnedPart = 0.5

/** Points of a tile or an image as columns: the values of a point have the same index in each. */
export interface PointColumns {
  readonly ids: readonly number[]
  /** Positions in units. */
  readonly xs: readonly number[]
  readonly ys: readonly number[]
  /** Values of each field. */
  readonly values: readonly (readonly unknown[])[]
}

/** Points that are not thinned yet. */
interface RankedPoints extends PointColumns {
  /** Higher for more important features; empty if only their order counts. */
  readonly ranks: readonly number[]
}

/**
 * Selects the points of a tile or an image, ordered by id, and thins them to one per cell, the most important; if too many
 * remain, cells are merged.
 */
export async function selectTilePoints(database: Queryable, selection: RowSelection): Promise<PointColumns> {
  const { layer, limits } = selection
  const hasFields = layer.fields.length > 0
  const maxRows = hasFields ? Math.floor(unthinnedPart * limits.small) : maxCandidates(limits.small)
  const first = await readPoints(database, selection, { limit: maxRows + 1 })
  if (first.ids.length <= maxRows) return thinPoints(first, selection)
  // Without fields, these were all candidates already.
  const choose = hasFields ? chooseSmall : chooseMerged
  const ids = await choose(database, selection, limits.small)
  return thinPoints(await readPoints(database, selection, { ids, limit: limits.features }), selection)
}

function thinPoints(points: RankedPoints, { grid, limits }: RowSelection): PointColumns {
  const { ids, xs, ys, ranks } = points
  return sortById(points, thinPlaces({ ids, cells: cellsOf(xs, ys, grid), ranks }, limits.small))
}

/** Returns the points at some places of the columns, ordered by id. Sorts the places. */
function sortById({ ids, xs, ys, values }: PointColumns, places: Int32Array): PointColumns {
  places.sort((a, b) => (ids[a] ?? 0) - (ids[b] ?? 0))
  const pick = <T>(column: readonly T[]) => Array.from(places, (place) => column[place] as T)
  return { ids: pick(ids), xs: pick(xs), ys: pick(ys), values: values.map(pick) }
}

/** Joins points of several selections, ordered by id. */
export function joinPoints(selections: readonly PointColumns[]): PointColumns {
  const [first, ...others] = selections
  if (first !== undefined && others.length === 0) return first
  const join = <T>(column: (points: PointColumns) => readonly T[]) => selections.flatMap(column)
  const ids = join((points) => points.ids)
  const joined = {
    ids,
    xs: join(({ xs }) => xs),
    ys: join(({ ys }) => ys),
    values: (first?.values ?? []).map((_, field) => join(({ values }) => values[field] ?? [])),
  }
  return sortById(joined, Int32Array.from(ids.keys()))
}

interface PointChoice {
  readonly limit: number
  /** Ids of the points to read; all if it is missing. */
  readonly ids?: ReadonlySet<number>
}

/**
 * Reads points. They are transferred as one row with a JSON array per column, which is parsed several times as fast as
 * separate rows.
 */
async function readPoints(
  database: Queryable,
  { layer, grid, importance }: RowSelection,
  { limit, ids }: PointChoice,
): Promise<RankedPoints> {
  const bindings = createBindings()
  const { fields } = layer
  // A table of others may have no index of ids.
  const isLookup = ids !== undefined && !isForeign(layer)
  const { from } = tileSource(isLookup ? { ...layer, ids } : layer, grid, bindings)
  const condition =
    ids === undefined || isLookup ? '' : `where id = any(${bindings.bind([...ids], `${idType(layer)}[]`)})`
  const rank = rankSql(layer, importance)
  const points = `select id, ${derivedColumns.column} as x, ${derivedColumns.row} as y
    ${rank === undefined ? '' : `, ${rank} as rank`} ${attributeSql(fields)} from ${from} ${condition} limit ${limit}`
  const numbers = ['id', 'x', 'y', ...(rank === undefined ? [] : ['rank'])].map(
    (name) => `'[' || array_to_string(array_agg(${name}), ',') || ']' as ${name}`,
  )
  // BIGINT values are transferred as strings, because numbers beyond 2^53 would lose digits.
  const attributes = fields.map(
    ({ datatype }, at) => `json_agg(a${at}${datatype === 'BIGINT' ? '::text' : ''})::text as a${at}`,
  )
  const [row = {}] = await database.query<Record<string, string | null>>(
    `select ${[...numbers, ...attributes].join(', ')} from (${points}) points`,
    bindings.values,
    // A list of ids needs its own query plan.
    { prepared: ids === undefined && isRecurring(layer) },
  )
  const read = <T>(name: string): T[] => JSON.parse(row[name] ?? '[]')
  const values = fields.map((_, at) => read(`a${at}`))
  return { ids: read('id'), xs: read('x'), ys: read('y'), ranks: read('rank'), values }
}
