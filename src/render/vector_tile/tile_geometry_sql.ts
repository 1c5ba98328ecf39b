import { geometryParts } from '../../contract/geometry.ts'
import { mercatorHalfWorld } from '../../geo/mercator.ts'
import type { Bindings } from '../../store/feature/bindings.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import type { TileGrid } from './tile_grid.ts'
import { boxSql, columnSql, places, rowSql } from './tile_source.ts'

/**
 * Shapes that take more bytes are cut to the neighbourhood of the tile before they are simplified. Only those: where rings
 * cross each other, the fast way of cutting fills what it should not.
 */
const manyBytes = 512 * 1024

/** What shapes are made for. */
export interface Showing {
  readonly layer: Layer
  readonly grid: TileGrid
  readonly bindings: Bindings
  /** Whether the database cuts great shapes, which it may refuse where they are not valid. */
  readonly cuts: boolean
}

/** Returns SQL that holds where a shape is given as a whole, whatever the tile. */
export function wholeSql({ cuts }: Showing): string {
  return cuts ? `ST_MemSize(g) <= ${manyBytes}` : 'true'
}

/**
 * Returns SQL of the geometry `g` as TWKB, simplified, in units from the corner of the world. It reaches as far beyond the
 * tile as it likes: simplifying comes before clipping, so that shapes meet where tiles meet.
 */
export function shapeSql(showing: Showing): string {
  const { layer, grid, bindings, cuts } = showing
  const { wide, cell } = grid
  const plain = geometryParts(layer.geometryType).hasZ ? 'ST_Force2D(g)' : 'g'
  const cut = `ST_ClipByBox2D(${plain}, ${boxSql(wide, 3857, bindings)})`
  const near = cuts ? `case when ${wholeSql(showing)} then ${plain} else ${cut} end` : plain
  const simple = cell === 0 ? near : `ST_Simplify(${near}, ${bindings.bind(cell, 'float8')}, true)`
  const numbers = [mercatorHalfWorld, -mercatorHalfWorld, grid.scale, -grid.scale]
  const bound = numbers.map((value) => bindings.bind(value, 'float8'))
  return `ST_AsTWKB(ST_TransScale(${simple}, ${bound.join(', ')}), 0)`
}

/** Returns SQL that draws a small shape as its box, at least one unit wide and high, so that it does not vanish. */
export function smallShapeSql({ layer, grid, bindings }: Showing): string {
  const { box } = places
  const x0 = columnSql(`ST_XMin(${box})`, grid, bindings)
  const y0 = rowSql(`ST_YMax(${box})`, grid, bindings)
  const x1 = `${columnSql(`ST_XMax(${box})`, grid, bindings)} + 1`
  const y1 = `${rowSql(`ST_YMin(${box})`, grid, bindings)} + 1`
  const { family } = geometryParts(layer.geometryType)
  if (family === 'POLYGON') return `ST_AsTWKB(ST_MakeEnvelope(${x0}, ${y0}, ${x1}, ${y1}), 0)`
  const corner = `ST_MakePoint(${x0}, ${y0})`
  if (family === 'POINT') return `ST_AsTWKB(${corner}, 0)`
  return `ST_AsTWKB(ST_MakeLine(${corner}, ST_MakePoint(${x1}, ${y1})), 0)`
}
