import { type Bbox, bboxesIntersect } from '../../geo/bbox.ts'
import { boxOfGeometry, countPositions, type TileGeometry } from '../../geo/tile_geometry.ts'

/** Large geometries, simplified for a zoom level: many tiles use each of them, and simplifying takes long. */
export interface GeometryCache {
  /** Returns the cached geometries of a level that intersect a box, by feature id. */
  find(level: string, box: Bbox): Map<number, TileGeometry>
  /** Caches a geometry unless it is too small or too large. */
  add(level: string, id: number, geometry: TileGeometry): void
}

/** Minimum positions of a cached geometry: smaller ones are read faster than looked up. */
const minPositions = 200

/** Maximum positions of the cache: about 32 MB. */
const maxPositions = 2_000_000

interface CachedGeometry {
  readonly geometry: TileGeometry
  readonly box: Bbox
}

/** Creates an empty cache. When it is full, the oldest levels are dropped. */
export function createGeometryCache(): GeometryCache {
  const levels = new Map<string, Map<number, CachedGeometry>>()
  let positions = 0
  const dropOldest = () => {
    const [oldest] = levels
    if (oldest === undefined) return
    for (const { geometry } of oldest[1].values()) positions -= countPositions(geometry)
    levels.delete(oldest[0])
  }
  return {
    find(level, box) {
      const near = [...(levels.get(level) ?? [])].filter(([, cached]) => bboxesIntersect(cached.box, box))
      return new Map(near.map(([id, { geometry }]) => [id, geometry]))
    },
    add(level, id, geometry) {
      const count = countPositions(geometry)
      if (count < minPositions || count > maxPositions || levels.get(level)?.has(id)) return
      while (positions + count > maxPositions) dropOldest()
      const geometries = levels.get(level) ?? new Map<number, CachedGeometry>()
      levels.set(level, geometries.set(id, { geometry, box: boxOfGeometry(geometry) }))
      positions += count
    },
  }
}
