import type { Bbox } from '../../src/geo/bbox.ts'
import { clipGeometry } from '../../src/geo/clip.ts'
import {
  PackedGeometry,
  packGeometry,
  type TileGeometry,
  unpackGeometry,
} from '../../src/geo/packed_geometry.ts'
import { tidyGeometry } from '../../src/geo/tile_geometry.ts'

/** Clips a geometry as lists of numbers; with the boxes of its runs as cached geometries are clipped. */
export function clip(geometry: TileGeometry, box: Bbox, { isCached = false } = {}): TileGeometry {
  const packed = packGeometry(geometry)
  return unpackGeometry(clipGeometry(isCached ? packed.copy() : packed, box, new PackedGeometry()))
}

/** Tidies a geometry as lists of numbers. */
export function tidy(geometry: TileGeometry): TileGeometry {
  return unpackGeometry(tidyGeometry(packGeometry(geometry)))
}
