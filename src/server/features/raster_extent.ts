import type { Bbox } from '../../geo/bbox.ts'
import { lonLatBbox } from '../../geo/mercator.ts'
import type { Raster } from '../../store/classes/raster_layer.ts'

/** Gives the box around a picture in degrees. */
export function rasterExtent({ geoTransform, xsize, ysize }: Raster): Bbox {
  const [left = 0, stepX = 0, turnX = 0, top = 0, turnY = 0, stepY = 0] = geoTransform
  const corners = [
    [0, 0],
    [xsize, 0],
    [0, ysize],
    [xsize, ysize],
  ] as const
  const xs = corners.map(([column, row]) => left + column * stepX + row * turnX)
  const ys = corners.map(([column, row]) => top + column * turnY + row * stepY)
  return lonLatBbox([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)])
}
