import type { Queryable } from '../../database/database.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { mercatorWorld } from '../../geo/mercator.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import type { PixelGrid } from '../../render/raster/warp.ts'
import { transformDefinedPoints } from '../../store/transform_points.ts'

/** Positions on a frame in another reference system, row by row. */
export interface FrameGrid {
  /** Distance of the positions in pixels. */
  readonly step: number
  readonly columns: number
  /** x and y of each position; NaN where the reference system has none. */
  readonly points: Float64Array
  /** Circumference of the world in the reference system, where x is repeated. */
  readonly period?: number
}

/** Largest and smallest distance of positions in pixels, and maximum number of positions. */
const limits = { maxStep: 8, minStep: 2, points: 2 ** 14, refinedPoints: 2 ** 16 }

/** Maximum deviation of an interpolated position from the exact one, in pixels of the frame. */
const maxDeviation = 0.25

const grids = new WeakMap<ImageFrame, Map<number, Promise<FrameGrid>>>()

/** Finds positions on a frame in another reference system, close enough together that others can be interpolated. */
export function findFrameGrid(database: Queryable, frame: ImageFrame, srs: number): Promise<FrameGrid> {
  const known = grids.get(frame) ?? new Map<number, Promise<FrameGrid>>()
  grids.set(frame, known)
  const found = known.get(srs) ?? createGrid(database, frame, srs)
  known.set(srs, found)
  return found
}

async function createGrid(database: Queryable, frame: ImageFrame, srs: number): Promise<FrameGrid> {
  const period = frame.system && periods[srs]
  let step = Math.max(limits.maxStep, Math.ceil(Math.sqrt((frame.width * frame.height) / limits.points)))
  for (;;) {
    const { columns, points: places } = listGridPoints(frame, step)
    const points = await transformDefinedPoints(database, places, {
      from: frame.system?.srs ?? 3857,
      to: srs,
    })
    const grid = { step, columns, points, ...(period === undefined ? {} : { period }) }
    const next = Math.floor(step / 2)
    const isRefined = next >= limits.minStep && 2 * places.length <= limits.refinedPoints
    if (!isRefined || isStraight(grid)) return grid
    step = next
  }
}

/** Lengths after which x is repeated, by EPSG code. */
const periods: Readonly<Record<number, number>> = { 3857: mercatorWorld, 4326: 360 }

function listGridPoints(
  { box, width, height }: ImageFrame,
  step: number,
): { readonly columns: number; readonly points: Float64Array } {
  const [columns, rows] = [Math.ceil(width / step) + 1, Math.ceil(height / step) + 1]
  const [scaleX, scaleY] = [(box[2] - box[0]) / width, (box[3] - box[1]) / height]
  const points = new Float64Array(2 * columns * rows)
  for (let at = 0; at < columns * rows; at += 1) {
    const [column, row] = [at % columns, Math.floor(at / columns)]
    points.set([box[0] + column * step * scaleX, box[3] - row * step * scaleY], 2 * at)
  }
  return { columns, points }
}

/**
 * Reports whether positions between those of a grid can be interpolated: whether every other one nearly lies in the middle of its
 * neighbours. The deviation at half the distance is a quarter.
 */
function isStraight({ step, columns, points, period }: FrameGrid): boolean {
  const rows = points.length / (2 * columns)
  const at = (column: number, row: number, axis: number) => points[2 * (row * columns + column) + axis] ?? 0
  for (let row = 0; row + 2 < rows; row += 2)
    for (let column = 0; column + 2 < columns; column += 2) {
      const ends = [0, 1].map((axis) => [at(column, row, axis), at(column + 2, row + 2, axis)] as const)
      const lengths = ends.map(([a, b]) => b - a)
      const middle = [0, 1].map((axis) => at(column + 1, row + 1, axis))
      // Cells that cross the antimeridian are straight where their neighbours are.
      const isOut = [...ends.flat(), ...middle].every(Number.isNaN)
      if (isOut || (period !== undefined && Math.abs(lengths[0] ?? 0) > period / 2)) continue
      const pixel = Math.hypot(...lengths) / (2 * step * Math.SQRT2)
      const deviation = Math.hypot(...ends.map(([a, b], axis) => (a + b) / 2 - (middle[axis] ?? 0)))
      if (!(deviation <= 4 * maxDeviation * pixel)) return false
    }
  return true
}

/** Returns a grid whose positions lie at most half the world to the west or east of a position, if x is repeated. */
export function centreGrid(grid: FrameGrid, x = middleOf(grid)): FrameGrid {
  const { period, points } = grid
  if (period === undefined) return grid
  const start = x - period / 2
  const move = (value: number, at: number) =>
    at % 2 === 0 ? value - Math.floor((value - start) / period) * period : value
  return { ...grid, points: points.map(move) }
}

/** Returns x of the position in the middle of a frame, or of any other. */
function middleOf({ columns, points }: FrameGrid): number {
  const rows = points.length / (2 * columns)
  const middle = points[2 * (Math.floor(rows / 2) * columns + Math.floor(columns / 2))] ?? 0
  return Number.isFinite(middle) ? middle : (points.find((x, at) => at % 2 === 0 && Number.isFinite(x)) ?? 0)
}

/** Returns the box of the positions of a grid; undefined if there is none. */
export function boxOfGrid({ points }: FrameGrid): Bbox | undefined {
  const box = [Infinity, Infinity, -Infinity, -Infinity] as [number, number, number, number]
  for (let at = 0; at < points.length; at += 2) {
    const [x = Number.NaN, y = Number.NaN] = [points[at], points[at + 1]]
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue
    box[0] = Math.min(box[0], x)
    box[1] = Math.min(box[1], y)
    box[2] = Math.max(box[2], x)
    box[3] = Math.max(box[3], y)
  }
  return box[0] < box[2] && box[1] < box[3] ? box : undefined
}

/** Plans an image of a box with about as many pixels along its sides as a frame, and a margin of a pixel. */
export function planArea({ width, height }: ImageFrame, [minX, minY, maxX, maxY]: Bbox): ImageFrame {
  // The diagonals have equally many pixels.
  const step = Math.hypot(maxX - minX, maxY - minY) / Math.hypot(width, height)
  const [columns, rows] = [Math.ceil((maxX - minX) / step) + 2, Math.ceil((maxY - minY) / step) + 2]
  const box = [minX - step, maxY + step - rows * step, minX - step + columns * step, maxY + step] as const
  return { box, width: columns, height: rows }
}

/** How positions become pixels of a source. */
export interface PixelMove {
  /** Returns the pixel of a position. */
  readonly move: (x: number, y: number) => readonly [x: number, y: number]
  /** Pixels along a unit of x. */
  readonly pixelsPerUnit: number
}

/** Returns a grid whose positions are moved to pixels. */
export function moveGrid(
  { step, columns, points, period }: FrameGrid,
  { move, pixelsPerUnit }: PixelMove,
): PixelGrid {
  const positions = new Float64Array(points.length)
  for (let at = 0; at < points.length; at += 2) positions.set(move(points[at] ?? 0, points[at + 1] ?? 0), at)
  return { step, columns, positions, ...(period === undefined ? {} : { period: period * pixelsPerUnit }) }
}
