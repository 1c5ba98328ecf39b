import { type Bbox, bboxAround, bboxesIntersect } from '../../geo/bbox.ts'
import type { PackedGeometry } from '../../geo/packed_geometry.ts'

/** Large geometries, simplified for a zoom level: many tiles use each of them, and simplifying takes long. */
export interface GeometryCache {
  /** Returns the cached geometries of a level whose bounding box intersects a box, by feature id. */
  find(level: string, box: Bbox): Map<number, PackedGeometry>
  /** Caches a copy of a geometry unless it is too small or too large. */
  add(level: string, id: number, geometry: PackedGeometry): void
}

/** Minimum positions of a cached geometry: smaller ones are read faster than looked up. */
const minPositions = 200

/** Maximum positions of the cache: about 32 MB. */
const maxPositions = 2_000_000

interface CachedGeometry {
  readonly geometry: PackedGeometry
  readonly box: Bbox
}

/** Creates an empty cache. When it is full, the oldest levels are dropped. */
export function createGeometryCache(): GeometryCache {
  const levels = new Map<string, Map<number, CachedGeometry>>()
  let positions = 0
  const dropOldest = () => {
    const [oldest] = levels
    if (oldest === undefined) return
    for (const { geometry } of oldest[1].values()) positions -= geometry.length / 2
    levels.delete(oldest[0])
  }
  return {
    find(level, box) {
      const near = new Map<number, PackedGeometry>()
      for (const [id, cached] of levels.get(level) ?? [])
        if (bboxesIntersect(cached.box, box)) near.set(id, cached.geometry)
      return near
    },
    add(level, id, geometry) {
      const count = geometry.length / 2
      if (count < minPositions || count > maxPositions || levels.get(level)?.has(id)) return
      while (positions + count > maxPositions) dropOldest()
      const geometries = levels.get(level) ?? new Map<number, CachedGeometry>()
      levels.set(level, geometries.set(id, measure(geometry.copy())))
      positions += count
    },
  }
}

function measure(geometry: PackedGeometry): CachedGeometry {
  const boxes = geometry.runBoxes ?? new Float64Array()
  return { geometry, box: bboxAround(boxes, 0, boxes.length / 4) }
}
