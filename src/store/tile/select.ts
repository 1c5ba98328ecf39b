import type { Queryable } from '../../database/database.ts'
import { clipGeometry } from '../../geo/clip.ts'
import type { TileFeature } from '../../geo/mvt.ts'
import type { TileGeometry } from '../../geo/tile_geometry.ts'
import { parseTwkb } from '../../geo/twkb.ts'
import { createBindings } from '../feature/binding.ts'
import type { Layer } from '../layer.ts'
import { attributeSql, attributeValues } from './attribute.ts'
import type { TileGrid } from './grid.ts'
import { shapeSql, smallShapeSql, tileFamily } from './shape.ts'
import { columnSql, isPointLayer, rowSql, tileSource } from './source.ts'
import { type Crowd, thinCrowd } from './thin.ts'

/** Up to so many features are thinned here: one plain statement finds all that there is. */
const fewFeatures = 1024

/** Most points and small shapes of a layer in a tile. */
const mostSmall = 8192

/** What of a layer goes into a tile. */
export interface TileSelection {
  readonly layer: Layer
  readonly grid: TileGrid
  /** Whether the database cuts great shapes, which it may refuse where they are not valid. */
  readonly cuts: boolean
}

/**
 * Selects the features of a tile, in the order of ids. Points and shapes smaller than a cell are thinned to one a cell;
 * in a crowd, cells are joined until few enough are left. Cells of no size keep everything.
 */
export async function selectTileFeatures(
  database: Queryable,
  selection: TileSelection,
): Promise<TileFeature[]> {
  const { layer, grid } = selection
  const isThinned = grid.cellUnits > 0
  const first = await selectRows(database, selection, isThinned ? { limit: fewFeatures + 1 } : {})
  const rows = first.length <= fewFeatures || !isThinned ? first : await selectThinned(database, selection)
  const small = rows.filter(({ cell }) => cell !== null)
  const crowd = { ids: small.map(({ id }) => id), cells: small.map(({ cell }) => cell ?? 0) }
  const kept = thinCrowd(crowd, mostSmall)
  return rows
    .filter(({ id, cell }) => cell === null || kept.has(id))
    .sort((a, b) => a.id - b.id)
    .flatMap((row) => {
      const geometry = readGeometry(selection, row)
      return geometry === undefined
        ? []
        : [{ id: row.id, geometry, values: attributeValues(layer.fields, row) }]
    })
}

interface TileRow extends Readonly<Record<string, unknown>> {
  readonly id: number
  /** Null for what is kept whatever is around it. */
  readonly cell: number | null
  /** Units, for points. */
  readonly x?: number
  readonly y?: number
  /** TWKB in units, for other shapes. */
  readonly shape?: Uint8Array | null
}

function readGeometry({ layer, grid }: TileSelection, { x, y, shape }: TileRow): TileGeometry | undefined {
  if (x !== undefined && y !== undefined) return { family: 'point', parts: [[[x, y]]] }
  return shape ? clipGeometry(parseTwkb(shape, tileFamily(layer)), grid.unitBox) : undefined
}

interface RowChoice {
  readonly limit?: number
  /** Of the small ones, the ids to take. */
  readonly small?: ReadonlySet<number>
}

function selectRows(
  database: Queryable,
  { layer, grid, cuts }: TileSelection,
  { limit, small }: RowChoice,
): Promise<TileRow[]> {
  const bindings = createBindings()
  const source = tileSource(layer, grid, bindings)
  const showing = { layer, grid, bindings, cuts }
  const geometry = isPointLayer(layer)
    ? `${columnSql('ST_X(g)', grid, bindings)} as x, ${rowSql('ST_Y(g)', grid, bindings)} as y, ${source.cell} as cell`
    : `case when ${source.isSmall} then ${smallShapeSql(showing)} else ${shapeSql(showing)} end as shape,
       case when ${source.isSmall} then ${source.cell} end as cell`
  const isTaken = small && `id = any(${bindings.bind([...small], 'int[]')})`
  const condition = isTaken && (isPointLayer(layer) ? isTaken : `(${isTaken} or not ${source.isSmall})`)
  const text = `select id, ${geometry} ${attributeSql(layer.fields)} from ${source.from}
    ${condition ? `where ${condition}` : ''} ${limit === undefined ? '' : `limit ${limit}`}`
  return database.query<TileRow>(text, bindings.values)
}

/** Thins in the database first, so that a layer of any size takes no more memory here than the cells of a tile. */
async function selectThinned(database: Queryable, selection: TileSelection): Promise<TileRow[]> {
  const crowd = await findCrowd(database, selection)
  return selectRows(database, selection, { small: thinCrowd(crowd, mostSmall) })
}

async function findCrowd(database: Queryable, { layer, grid }: TileSelection): Promise<Crowd> {
  const bindings = createBindings()
  const { from, isSmall, cell } = tileSource(layer, grid, bindings)
  const text = `select array_agg(id)::text as ids, array_agg(cell)::text as cells
    from (select min(id) as id, ${cell} as cell from ${from} where ${isSmall} group by 2) cells`
  const [row] = await database.query<{ ids: string | null; cells: string | null }>(text, bindings.values)
  return { ids: readIntegers(row?.ids), cells: readIntegers(row?.cells) }
}

// Texts of arrays are read ten times as fast as rows.
function readIntegers(text: string | null | undefined): number[] {
  return text ? JSON.parse(`[${text.slice(1, -1)}]`) : []
}
