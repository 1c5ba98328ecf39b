import { geometryParts } from '../../contract/geometry.ts'
import { mercatorHalfWorld } from '../../geo/mercator.ts'
import type { Bindings } from '../../store/feature/bindings.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import type { TileGrid } from './tile_grid.ts'
import { boxSql, columnSql, derivedColumns, rowSql } from './tile_source.ts'

/**
 * Geometries above this size are clipped to the surroundings of the tile before they are simplified. Smaller ones are
 * not, because fast clipping of self-intersecting rings fills wrong areas.
 */
const clipThresholdBytes = 512 * 1024

/** The layer and tile that geometries are selected for. */
export interface GeometryTarget {
  readonly layer: Layer
  readonly grid: TileGrid
  readonly bindings: Bindings
  /** Whether the database clips large geometries, which may fail for invalid ones. */
  readonly clips: boolean
}

/** Returns SQL that is true for geometries that are not clipped to the tile. */
export function completeSql({ clips }: GeometryTarget): string {
  return clips ? `ST_MemSize(g) <= ${clipThresholdBytes}` : 'true'
}

/**
 * Returns SQL of the geometry `g` as TWKB, simplified, in units from the top left corner of the world. It may extend
 * beyond the tile: simplifying precedes clipping, so that geometries match at the edges of adjacent tiles.
 */
export function largeGeometrySql(target: GeometryTarget): string {
  const { layer, grid, bindings, clips } = target
  const { wide, cell } = grid
  const plain = geometryParts(layer.geometryType).hasZ ? 'ST_Force2D(g)' : 'g'
  const clipped = `ST_ClipByBox2D(${plain}, ${boxSql(wide, 3857, bindings)})`
  const near = clips ? `case when ${completeSql(target)} then ${plain} else ${clipped} end` : plain
  const simple = cell === 0 ? near : `ST_Simplify(${near}, ${bindings.bind(cell, 'float8')}, true)`
  const numbers = [mercatorHalfWorld, -mercatorHalfWorld, grid.scale, -grid.scale]
  const bound = numbers.map((value) => bindings.bind(value, 'float8'))
  return `ST_AsTWKB(ST_TransScale(${simple}, ${bound.join(', ')}), 0)`
}

/** Returns SQL of a small geometry as its box, at least one unit wide and high, so that it stays visible. */
export function smallGeometrySql({ layer, grid, bindings }: GeometryTarget): string {
  const { box } = derivedColumns
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
