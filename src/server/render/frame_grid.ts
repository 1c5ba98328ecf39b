import type { ImageFrame } from '../../render/image/image_features.ts'
import type { PixelGrid } from '../../render/raster/warp.ts'

/** Distance of the positions of a grid, in pixels: between them, the error of interpolation is less than a pixel. */
const step = 16

/** Positions on a frame, in EPSG:3857, row by row. */
export interface FrameGrid {
  readonly step: number
  readonly columns: number
  /** x and y of each position. */
  readonly points: Float64Array
}

/** Lists positions on a frame and its right and lower edge. */
export function listGridPoints({ box, width, height }: ImageFrame): FrameGrid {
  const [columns, rows] = [Math.ceil(width / step) + 1, Math.ceil(height / step) + 1]
  const [scaleX, scaleY] = [(box[2] - box[0]) / width, (box[3] - box[1]) / height]
  const points = new Float64Array(2 * columns * rows)
  for (let at = 0; at < columns * rows; at += 1) {
    const [column, row] = [at % columns, Math.floor(at / columns)]
    points.set([box[0] + column * step * scaleX, box[3] - row * step * scaleY], 2 * at)
  }
  return { step, columns, points }
}

/** Returns a grid whose positions are moved to pixels. */
export function moveGrid(
  { columns, points }: Pick<FrameGrid, 'columns' | 'points'>,
  move: (x: number, y: number) => readonly [x: number, y: number],
): PixelGrid {
  const positions = new Float64Array(points.length)
  for (let at = 0; at < points.length; at += 2) positions.set(move(points[at] ?? 0, points[at + 1] ?? 0), at)
  return { step, columns, positions }
}
