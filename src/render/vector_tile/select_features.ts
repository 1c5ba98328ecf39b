import { geometryParts } from '../../contract/geometry.ts'
import { tileLimits } from '../../contract/limits.ts'
import type { Queryable } from '../../database/database.ts'
import { clipGeometry } from '../../geo/clip.ts'
import { PackedGeometry, packGeometry, unpackGeometry } from '../../geo/packed_geometry.ts'
import { parseTwkb } from '../../geo/twkb.ts'
import { moveWorldEdges } from '../../geo/world_edge.ts'
import { createBindings } from '../../store/feature/feature_sql.ts'
import { idType } from '../../store/feature/feature_table.ts'
import { chooseSmall } from './choose_small.ts'
import { findCoarseGrid } from './coarse_grid.ts'
import type { TileFeature } from './encode_mvt.ts'
import type { GeometryCache } from './geometry_cache.ts'
import { rankSql } from './importance.ts'
import type { RowSelection } from './row_selection.ts'
import { type PointColumns, selectTilePoints } from './select_points.ts'
import { isAtWorldEdge, type TileGrid, thinFeatures, worldBox } from './tile_grid.ts'
import {
  attributeSql,
  attributeValues,
  completeSql,
  derivedColumns,
  isPointLayer,
  isRecurring,
  largeGeometrySql,
  smallGeometrySql,
  tileSource,
} from './tile_source.ts'

/** Maximum number of features that are selected in one statement and thinned here instead of in the database. */
const maxUnthinned = 1024

/** The part of a layer to select for a tile. */
export interface TileSelection extends Omit<RowSelection, 'limits'> {
  readonly cache: GeometryCache
}

/**
 * Selects the features of a tile, ordered by id. Points and geometries smaller than a cell are thinned to one per cell,
 * the most important; if too many remain, cells are merged. A cell size of 0 keeps all features, or returns undefined if there are too many.
 */
export async function selectTileFeatures(
  database: Queryable,
  selection: TileSelection,
): Promise<Iterable<TileFeature> | undefined> {
  const { grid, cache } = selection
  const cached = cache.find(levelOf(selection), worldBox(grid))
  const rows = await selectTileRows(database, { ...selection, limits: tileLimits }, new Set(cached.keys()))
  return rows && readFeatures({ ...selection, cached }, rows)
}

/** Selects the features of a tile as `selectTileFeatures` does, as rows. Large geometries that are cached are left out. */
export async function selectTileRows(
  database: Queryable,
  selection: RowSelection,
  cached: ReadonlySet<number> = new Set(),
): Promise<TileRow[] | undefined> {
  const { layer, grid, limits } = selection
  const isThinned = grid.cellUnits > 0
  if (isThinned && isPointLayer(layer)) return rowsOf(await selectTilePoints(database, selection))
  const maxRows = isThinned ? maxUnthinned : tileLimits.unsimplified
  const first = await selectRows(database, selection, { cached, limit: maxRows + 1 })
  const isDense = first.length > maxRows
  if (isDense && !isThinned) return undefined
  const rows = isDense ? await selectThinned(database, selection, cached) : first
  const small = rows.filter(({ cell }) => cell !== null)
  const candidates = {
    ids: small.map(({ id }) => id),
    cells: small.map(({ cell }) => cell ?? 0),
    ranks: small.map(({ rank }) => rank ?? 0),
  }
  const kept = thinFeatures(candidates, limits.small)
  return rows.filter(({ id, cell }) => cell === null || kept.has(id)).sort((a, b) => a.id - b.id)
}

function rowsOf({ ids, xs, ys, values }: PointColumns): TileRow[] {
  return ids.map((id, at) => {
    const attributes = values.map((column, field) => [`a${field}`, column[at]])
    return { id, cell: null, x: xs[at] ?? 0, y: ys[at] ?? 0, ...Object.fromEntries(attributes) }
  })
}

/** Geometries that are used for one feature after the other. */
interface Scratch {
  readonly read: PackedGeometry
  readonly clipped: PackedGeometry
}

const unused: Scratch[] = []

/** Coordinates up to which an unused geometry is kept: 512 kB. */
const maxScratch = 2 ** 16

/** Reads features one by one, so that the encoder can interrupt the work. The geometry of each is valid until the next one. */
function* readFeatures(reader: RowReader, rows: readonly TileRow[]): Generator<TileFeature> {
  const scratch = unused.pop() ?? { read: new PackedGeometry(), clipped: new PackedGeometry() }
  try {
    for (const row of rows) {
      const placed = readGeometry(reader, row, scratch)
      if (placed !== undefined)
        yield { id: row.id, ...placed, values: attributeValues(reader.layer.fields, row) }
    }
  } finally {
    const { read, clipped } = scratch
    if (Math.max(read.coordinates.length, clipped.coordinates.length) <= maxScratch) unused.push(scratch)
  }
}

/** A selected feature; its attributes are columns `a0`, `a1`, … */
export interface TileRow extends Readonly<Record<string, unknown>> {
  readonly id: number
  /** Number of the cell; null for features that are not thinned. */
  readonly cell: number | null
  /** Higher for more important features, where they are thinned. */
  readonly rank?: number | null
  /** Position in tile units, for points. */
  readonly x?: number
  readonly y?: number
  /** TWKB of a box in tile units, for small geometries. */
  readonly small?: Uint8Array | null
  /** TWKB in world units, for large geometries; null if it is cached. */
  readonly large?: Uint8Array | null
  /** Whether a large geometry is complete, not clipped to the tile. */
  readonly complete?: boolean
}

interface RowReader extends TileSelection {
  readonly cached: ReadonlyMap<number, PackedGeometry>
}

function readGeometry(
  reader: RowReader,
  { id, x, y, small, large, complete }: TileRow,
  { read, clipped }: Scratch,
): Pick<TileFeature, 'geometry' | 'corner'> | undefined {
  if (x !== undefined && y !== undefined) {
    read.setPoint(x, y)
    return { geometry: read }
  }
  const { layer, grid, cached, cache } = reader
  const { family } = geometryParts(layer.geometryType)
  if (small) return { geometry: clipGeometry(parseTwkb(small, family, read), grid.unitBox, clipped) }
  const geometry = large ? parseTwkb(large, family, read) : cached.get(id)
  if (geometry === undefined) return undefined
  if (large && complete) cache.add(levelOf(reader), id, geometry)
  const visible = isAtWorldEdge(grid) ? hideWorldEdges(geometry, grid) : geometry
  return { geometry: clipGeometry(visible, worldBox(grid), clipped), corner: grid.corner }
}

/** Moves outlines along an edge of the world out of the tile, for tiles at an edge. */
function hideWorldEdges(geometry: PackedGeometry, { worldUnits: size }: TileGrid): PackedGeometry {
  return packGeometry(moveWorldEdges(unpackGeometry(geometry), { size, reach: size }))
}

/** Returns whether large geometries of a tile are cached. */
export function hasCached({ cache, ...selection }: Pick<TileSelection, 'layer' | 'grid' | 'cache'>): boolean {
  return cache.find(levelOf(selection), worldBox(selection.grid)).size > 0
}

const levelOf = ({ layer, grid }: Pick<TileSelection, 'layer' | 'grid'>) =>
  [layer.resourceId, layer.tableName, layer.dataVersion, grid.scale, grid.cellUnits].join(' ')

interface RowChoice {
  readonly limit: number
  /** Ids of the small geometries to select; geometries of other layers than points. */
  readonly small?: ReadonlySet<number>
  /** Ids of cached geometries. */
  readonly cached: ReadonlySet<number>
}

async function selectRows(
  database: Queryable,
  selection: RowSelection,
  { limit, small, cached }: RowChoice,
): Promise<TileRow[]> {
  const bindings = createBindings()
  const { layer, grid } = selection
  const source = tileSource(layer, grid, bindings)
  const target = { ...selection, bindings }
  const geometry = isPointLayer(layer)
    ? `${derivedColumns.column} as x, ${derivedColumns.row} as y, ${source.cell} as cell`
    : `case when ${source.isSmall} then ST_AsTWKB(${smallGeometrySql(target)}, 0) end as small,
       case when not ${source.isSmall} and id <> all(${bindings.bind([...cached], `${idType(layer)}[]`)})
            then ${largeGeometrySql(target)} end as large, ${completeSql(target)} as complete,
       case when ${source.isSmall} then ${source.cell} end as cell`
  const rank = grid.cellUnits > 0 ? rankSql(layer, selection.importance) : undefined
  const isSelected = small && `id = any(${bindings.bind([...small], `${idType(layer)}[]`)})`
  const condition = isSelected && `(${isSelected} or not ${source.isSmall})`
  // Beyond the limit, large geometries precede small ones, and important ones others.
  const order = condition ? `order by ${source.isSmall}, ${rank ?? 'id'} desc, id desc` : ''
  const text = `select id, ${geometry}${rank === undefined ? '' : `, ${rank} as rank`} ${attributeSql(layer.fields)} from ${source.from}
    ${condition ? `where ${condition}` : ''} ${order} limit ${limit}`
  // A list of ids needs its own query plan.
  const prepared = small === undefined && isRecurring(layer)
  const rows = await database.query<TileRow>(text, bindings.values, { prepared })
  return idType(layer) === 'integer' ? rows : rows.map((row) => ({ ...row, id: Number(row.id) }))
}

/** Chooses small geometries by their cells alone, so that memory is bounded by these, not by the size of the layer. */
async function selectThinned(
  database: Queryable,
  selection: RowSelection,
  cached: ReadonlySet<number>,
): Promise<TileRow[]> {
  const { limits } = selection
  const coarse = { ...selection, grid: await findCoarseGrid(database, selection) }
  const small = await chooseSmall(database, coarse, limits.small)
  return selectRows(database, coarse, { cached, small, limit: limits.features })
}
