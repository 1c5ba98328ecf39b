import { type Bbox, bboxesIntersect } from '../../geo/bbox.ts'
import type { Part } from '../../geo/geometry.ts'
import { boxOfSequences, countPositions, type TileGeometry } from '../../geo/tile_geometry.ts'

/** Large geometries, simplified for a zoom level: many tiles use each of them, and simplifying takes long. */
export interface GeometryCache {
  /**
   * Returns the cached geometries of a level whose bounding box intersects a box, by feature id, without the parts whose bounding
   * box does not.
   */
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
  /** Bounding boxes of the parts. */
  readonly partBoxes: readonly Bbox[]
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
      const near = new Map<number, TileGeometry>()
      for (const [id, cached] of levels.get(level) ?? [])
        if (bboxesIntersect(cached.box, box)) near.set(id, nearParts(cached, box))
      return near
    },
    add(level, id, geometry) {
      const count = countPositions(geometry)
      if (count < minPositions || count > maxPositions || levels.get(level)?.has(id)) return
      while (positions + count > maxPositions) dropOldest()
      const geometries = levels.get(level) ?? new Map<number, CachedGeometry>()
      levels.set(level, geometries.set(id, measure(geometry)))
      positions += count
    },
  }
}

function measure(geometry: TileGeometry): CachedGeometry {
  const partBoxes = geometry.parts.map(boxOfSequences)
  // Of two corners of each part.
  const box = boxOfSequences(partBoxes)
  return { geometry, box, partBoxes }
}

function nearParts({ geometry: { family, parts }, partBoxes }: CachedGeometry, box: Bbox): TileGeometry {
  const isNear = (_: Part, at: number) => bboxesIntersect(partBoxes[at] ?? box, box)
  return { family, parts: parts.length === 1 ? parts : parts.filter(isNear) }
}
