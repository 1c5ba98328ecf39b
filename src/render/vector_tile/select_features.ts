import { geometryParts } from '../../contract/geometry.ts'
import type { Queryable } from '../../database/database.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { clipGeometry } from '../../geo/clip.ts'
import { moveGeometry, type TileGeometry } from '../../geo/tile_geometry.ts'
import { parseTwkb } from '../../geo/twkb.ts'
import { leadAroundEdges } from '../../geo/world_edge.ts'
import { createBindings } from '../../store/feature/bindings.ts'
import { idType } from '../../store/feature/feature_table.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import type { TileFeature } from './encode_mvt.ts'
import type { GeometryCache } from './geometry_cache.ts'
import { type Crowd, thinCrowd } from './thin_features.ts'
import { attributeSql, attributeValues } from './tile_attributes.ts'
import { shapeSql, smallShapeSql, wholeSql } from './tile_geometry_sql.ts'
import type { TileGrid } from './tile_grid.ts'
import { isPointLayer, places, selectPoints, tileSource } from './tile_source.ts'

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
  readonly shapes: GeometryCache
}

/**
 * Selects the features of a tile, in the order of ids. Points and shapes smaller than a cell are thinned to one a cell;
 * in a crowd, cells are joined until few enough are left. Cells of no size keep everything.
 */
export async function selectTileFeatures(
  database: Queryable,
  selection: TileSelection,
): Promise<TileFeature[]> {
  const { layer, grid, shapes } = selection
  const isThinned = grid.cellUnits > 0
  const known = shapes.find(levelOf(selection), worldBox(grid))
  const first = await selectRows(database, selection, { known, ...(isThinned && { limit: fewFeatures + 1 }) })
  const isCrowd = isThinned && first.length > fewFeatures
  const rows = isCrowd ? await selectThinned(database, selection, known) : first
  const small = rows.filter(({ cell }) => cell !== null)
  const crowd = { ids: small.map(({ id }) => id), cells: small.map(({ cell }) => cell ?? 0) }
  const kept = thinCrowd(crowd, mostSmall)
  return rows
    .filter(({ id, cell }) => cell === null || kept.has(id))
    .sort((a, b) => a.id - b.id)
    .flatMap((row) => {
      const geometry = readGeometry({ ...selection, known }, row)
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
  /** TWKB of a box in units of the tile, for small shapes. */
  readonly small?: Uint8Array | null
  /** TWKB in units of the world, for great ones; null where it is known. */
  readonly great?: Uint8Array | null
  /** Whether a great shape is all there. */
  readonly whole?: boolean
}

type KnownShapes = ReadonlyMap<number, TileGeometry>

interface RowReader extends TileSelection {
  readonly known: KnownShapes
}

function readGeometry(
  reader: RowReader,
  { id, x, y, small, great, whole }: TileRow,
): TileGeometry | undefined {
  if (x !== undefined && y !== undefined) return { family: 'POINT', parts: [[[x, y]]] }
  const { layer, grid, known, shapes } = reader
  const [left, top] = grid.corner
  const { family } = geometryParts(layer.geometryType)
  if (small) return clipGeometry(parseTwkb(small, family), grid.unitBox)
  const shape = great ? parseTwkb(great, family) : known.get(id)
  if (shape === undefined) return undefined
  if (great && whole) shapes.keep(levelOf(reader), id, shape)
  return moveGeometry(clipGeometry(inSight(shape, grid), worldBox(grid)), -left, -top)
}

/** Takes outlines out of sight that run along an end of the world, where the tile lies at one. */
function inSight(shape: TileGeometry, grid: TileGrid): TileGeometry {
  const [minX, minY, maxX, maxY] = worldBox(grid)
  const { worldUnits: size } = grid
  const isAtEnd = Math.min(minX, minY) <= 0 || Math.max(maxX, maxY) >= size
  return isAtEnd ? leadAroundEdges(shape, { size, reach: size }) : shape
}

/** The box of a tile in units of the world. */
function worldBox({ unitBox: [minX, minY, maxX, maxY], corner: [left, top] }: TileGrid): Bbox {
  return [minX + left, minY + top, maxX + left, maxY + top]
}

const levelOf = ({ layer, grid }: TileSelection) =>
  [layer.resourceId, layer.tableName, layer.dataVersion, grid.scale, grid.cellUnits].join(' ')

interface RowChoice {
  readonly limit?: number
  /** Of the small ones, the ids to take. */
  readonly small?: ReadonlySet<number>
  readonly known: KnownShapes
}

async function selectRows(
  database: Queryable,
  selection: TileSelection,
  { limit, small, known }: RowChoice,
): Promise<TileRow[]> {
  const bindings = createBindings()
  const { layer, grid } = selection
  const source = tileSource(layer, grid, bindings)
  const showing = { ...selection, bindings }
  const geometry = isPointLayer(layer)
    ? `${places.column} as x, ${places.row} as y, ${source.cell} as cell`
    : `case when ${source.isSmall} then ${smallShapeSql(showing)} end as small,
       case when not ${source.isSmall} and id <> all(${bindings.bind([...known.keys()], `${idType(layer)}[]`)})
            then ${shapeSql(showing)} end as great, ${wholeSql(showing)} as whole,
       case when ${source.isSmall} then ${source.cell} end as cell`
  const isTaken = small && `id = any(${bindings.bind([...small], `${idType(layer)}[]`)})`
  const condition = isTaken && (isPointLayer(layer) ? isTaken : `(${isTaken} or not ${source.isSmall})`)
  const text = `select id, ${geometry} ${attributeSql(layer.fields)} from ${source.from}
    ${condition ? `where ${condition}` : ''} ${limit === undefined ? '' : `limit ${limit}`}`
  // A list of ids wants a plan of its own.
  const prepared = small === undefined
  const { values } = bindings
  const { fields } = layer
  if (isPointLayer(layer) && grid.cellUnits > 0)
    return (await selectPoints(database, { text, values, fields, prepared })) as TileRow[]
  const rows = await database.query<TileRow>(text, values, { prepared })
  return idType(layer) === 'integer' ? rows : rows.map((row) => ({ ...row, id: Number(row.id) }))
}

/** Thins in the database first, so that a layer of any size takes no more memory here than the cells of a tile. */
async function selectThinned(
  database: Queryable,
  selection: TileSelection,
  known: KnownShapes,
): Promise<TileRow[]> {
  const crowd = await findCrowd(database, selection)
  return selectRows(database, selection, { known, small: thinCrowd(crowd, mostSmall) })
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
