import type { Queryable } from '../../database/database.ts'
import { createBindings } from '../../store/feature/feature_sql.ts'
import type { RowSelection } from './row_selection.ts'
import type { TileGrid } from './tile_grid.ts'
import { fromSql, sizeSql } from './tile_source.ts'

/** How many times the cells of a dense layer may be doubled. */
const maxDoublings = 12

/**
 * Returns the grid with the smallest cells in which the lines or polygons of a dense layer are within the limits: those smaller
 * than a cell are thinned to one per cell. So a layer is as complete in one part of the map as in another, however many
 * geometries it has. Larger geometries are simplified as before.
 */
export async function findCoarseGrid(database: Queryable, selection: RowSelection): Promise<TileGrid> {
  const { grid } = selection
  const counts = await countBySize(database, selection)
  let doublings = 0
  while (doublings < maxDoublings && !isWithinLimits(selection, counts, doublings)) doublings += 1
  return doublings === 0 ? grid : coarsen(selection, doublings)
}

/** Counts geometries by the number of doublings from which on they are smaller than a cell. */
async function countBySize(database: Queryable, { layer, grid }: RowSelection): Promise<readonly number[]> {
  const bindings = createBindings()
  const from = fromSql(layer, grid, bindings)
  const cell = bindings.bind(grid.cell, 'float8')
  const doublings = `floor(ln(greatest(${sizeSql} / ${cell}, 0.5)) / ln(2)) + 1`
  const rows = await database.query<{ doublings: number; count: number }>(
    `select least(${doublings}, ${maxDoublings + 1})::int as doublings, count(*)::int as count from ${from} group by 1`,
    bindings.values,
  )
  const counts: number[] = Array(maxDoublings + 2).fill(0)
  for (const row of rows) counts[row.doublings] = row.count
  return counts
}

function isWithinLimits(
  { grid, limits, fillsCells = false }: RowSelection,
  counts: readonly number[],
  doublings: number,
): boolean {
  const sum = (some: readonly number[]) => some.reduce((total, count) => total + count, 0)
  const [small, large] = [sum(counts.slice(0, doublings + 1)), sum(counts.slice(doublings + 1))]
  if (large > limits.features - limits.small) return false
  // Cells that are not filled are merged instead.
  if (!fillsCells || small <= limits.small) return true
  const [minX, minY, maxX, maxY] = grid.unitBox
  const side = grid.cellUnits * 2 ** doublings
  return Math.ceil((maxX - minX) / side + 1) * Math.ceil((maxY - minY) / side + 1) <= limits.small
}

function coarsen({ grid, fillsCells = false }: RowSelection, doublings: number): TileGrid {
  const cellUnits = grid.cellUnits * 2 ** doublings
  return {
    ...grid,
    cellUnits,
    cell: grid.cell * 2 ** doublings,
    cellOffset: Math.ceil(grid.cellOffset / cellUnits) * cellUnits,
    tolerance: grid.tolerance ?? grid.cell,
    fillsCells,
  }
}
