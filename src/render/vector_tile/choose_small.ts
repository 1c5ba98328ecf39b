import type { Queryable } from '../../database/database.ts'
import { createBindings } from '../../store/feature/feature_sql.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { rankSql } from './importance.ts'
import type { RowSelection } from './row_selection.ts'
import { type ThinningCandidates, type TileGrid, thinFeatures } from './tile_grid.ts'
import { isPointLayer, mergedCellSql, tileSource } from './tile_source.ts'

/** Least and greatest maximum number of candidates. */
const candidateLimits = { least: 2 ** 16, most: 2 ** 20 }

/** Returns the maximum number of features, or of cells with the best feature of each, from which some are chosen here. */
export function maxCandidates(limit: number): number {
  return Math.min(candidateLimits.most, Math.max(candidateLimits.least, 4 * limit))
}

/** The part of a layer of which points and small geometries are chosen. */
type Choice = Pick<RowSelection, 'layer' | 'grid' | 'importance'>

/** Returns the ids of the points and small geometries of a tile that are kept, at most `limit`. */
export async function chooseSmall(database: Queryable, choice: Choice, limit: number): Promise<Set<number>> {
  const most = maxCandidates(limit)
  const { sql, ...statement } = candidatesOf(choice)
  const candidates = await readCandidates(database, { ...statement, sql: `${sql} limit ${most + 1}` })
  return candidates.ids.length <= most
    ? thinFeatures(candidates, limit)
    : chooseMerged(database, choice, limit)
}

/** Returns the ids of those that are kept where they are known to be more than `maxCandidates`: the database merges cells first. */
export async function chooseMerged(database: Queryable, choice: Choice, limit: number): Promise<Set<number>> {
  const { sql, ...statement } = candidatesOf(choice)
  const merged = mergedCellSql(excessMerges(choice.layer, choice.grid, maxCandidates(limit)))
  const best = statement.hasRank
    ? `select best[2]::bigint as id, best[1] as rank, cell
        from (select max(array[rank, id]) as best, ${merged} as cell from (${sql} offset 0) small group by 2) cells`
    : `select max(id) as id, ${merged} as cell from (${sql} offset 0) small group by 2`
  return thinFeatures(await readCandidates(database, { ...statement, sql: best }), limit)
}

interface CandidateStatement {
  /** Selects `id`, `cell` and, if there is one, `rank`. */
  readonly sql: string
  readonly values: readonly unknown[]
  readonly hasRank: boolean
}

function candidatesOf({ layer, grid, importance }: Choice): CandidateStatement {
  const bindings = createBindings()
  const { from, isSmall, cell } = tileSource(layer, grid, bindings)
  const rank = rankSql(layer, importance)
  const sql = `select id, ${cell} as cell ${rank === undefined ? '' : `, ${rank} as rank`} from ${from} where ${isSmall}`
  return { sql, values: bindings.values, hasRank: rank !== undefined }
}

async function readCandidates(
  database: Queryable,
  { sql, values, hasRank }: CandidateStatement,
): Promise<ThinningCandidates> {
  const columns = ['id', 'cell', ...(hasRank ? ['rank'] : [])]
  const lists = columns.map((name) => `array_agg(${name})::text as ${name}s`)
  const text = `select ${lists.join(', ')} from (${sql}) candidates`
  const [row] = await database.query<Record<'ids' | 'cells' | 'ranks', string | null>>(text, values)
  return { ids: readNumbers(row?.ids), cells: readNumbers(row?.cells), ranks: readNumbers(row?.ranks) }
}

/** Returns how many times cells have to be merged so that a tile or an image has at most a number of cells. */
function excessMerges(layer: Layer, { unitBox, ...grid }: TileGrid, most: number): number {
  const [minX, minY, maxX, maxY] = unitBox
  const side = isPointLayer(layer) ? grid.pointCellUnits : grid.cellUnits
  const cells = ((maxX - minX) / side) * ((maxY - minY) / side)
  return Math.max(0, Math.ceil(Math.log2(cells / most) / 2))
}

// Parsing arrays as text is ten times as fast as reading rows.
function readNumbers(text: string | null | undefined): number[] {
  return text ? JSON.parse(`[${text.slice(1, -1)}]`) : []
}
