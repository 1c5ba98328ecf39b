import { type Bbox, bboxesIntersect } from '../../geo/bbox.ts'
import { boxOfGeometry, countPositions, type TileGeometry } from '../../geo/tile_geometry.ts'

/** Great shapes as they are simplified for a zoom level: each is needed by many tiles, and takes long to make. */
export interface GeometryCache {
  /** Gives the shapes of a level that are known and reach into a box, by feature id. */
  find(level: string, box: Bbox): Map<number, TileGeometry>
  /** Keeps a shape where that is worth it. */
  keep(level: string, id: number, geometry: TileGeometry): void
}

/** Below that, a shape is made faster than it is looked for. */
const fewPositions = 200

/** Most positions that are kept: about 32 MB. */
const mostPositions = 2_000_000

interface KnownShape {
  readonly geometry: TileGeometry
  readonly box: Bbox
}

/** Starts an empty cache. When it is full, the levels that were begun first are let go. */
export function createGeometryCache(): GeometryCache {
  const levels = new Map<string, Map<number, KnownShape>>()
  let positions = 0
  const dropOldest = () => {
    const [oldest] = levels
    if (oldest === undefined) return
    for (const { geometry } of oldest[1].values()) positions -= countPositions(geometry)
    levels.delete(oldest[0])
  }
  return {
    find(level, box) {
      const near = [...(levels.get(level) ?? [])].filter(([, known]) => bboxesIntersect(known.box, box))
      return new Map(near.map(([id, { geometry }]) => [id, geometry]))
    },
    keep(level, id, geometry) {
      const count = countPositions(geometry)
      if (count < fewPositions || count > mostPositions || levels.get(level)?.has(id)) return
      while (positions + count > mostPositions) dropOldest()
      const shapes = levels.get(level) ?? new Map<number, KnownShape>()
      levels.set(level, shapes.set(id, { geometry, box: boxOfGeometry(geometry) }))
      positions += count
    },
  }
}
