import type { PixelGrid } from '../raster/warp.ts'

/** Rows of a target, whose positions in a raster are those of a grid. */
export interface GridRows {
  readonly grid: PixelGrid
  readonly top: number
  readonly height: number
}

/** Positions of the rows of a target in a raster. */
export interface GridExtent {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  /** Pixels of the raster along a pixel of the target, where it is most detailed. */
  readonly shrinking: number
}

/** Size of a raster in pixels. */
interface RasterSize {
  readonly width: number
  readonly height: number
}

/** Returns the part of a raster that rows of a target show; undefined if they show nothing. */
export function findExtent({ grid, top, height }: GridRows, size: RasterSize): GridExtent | undefined {
  const { step, columns, positions, period } = grid
  const rows = positions.length / (2 * columns)
  const [first, last] = [Math.floor(top / step), Math.min(rows - 1, Math.ceil((top + height) / step))]
  const extent = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity, shrinking: Infinity }
  for (let row = Math.min(first, rows - 2); row < last; row += 1)
    for (let column = 0; column + 1 < columns; column += 1) {
      const corners = [0, 1, columns, columns + 1].map((more) => {
        const at = 2 * (row * columns + column + more)
        return [positions[at] ?? Number.NaN, positions[at + 1] ?? Number.NaN] as const
      })
      const cell = boxOf(corners)
      // A cell that crosses the antimeridian shows both ends of the raster.
      const isCut = period !== undefined && cell.right - cell.left > period / 2
      const across = isCut ? { left: 0, right: size.width } : cell
      const isNear = across.left < size.width && across.right > 0 && cell.top < size.height && cell.bottom > 0
      if (!isNear) continue
      extent.left = Math.min(extent.left, across.left)
      extent.right = Math.max(extent.right, across.right)
      extent.top = Math.min(extent.top, cell.top)
      extent.bottom = Math.max(extent.bottom, cell.bottom)
      if (!isCut) extent.shrinking = Math.min(extent.shrinking, Math.sqrt(areaOf(corners)) / step)
    }
  if (!(extent.left < extent.right)) return undefined
  return Number.isFinite(extent.shrinking) ? extent : { ...extent, shrinking: 1 }
}

type Corner = readonly [x: number, y: number]

function boxOf(corners: readonly Corner[]): Omit<GridExtent, 'shrinking'> {
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
}

/** Returns the area of a cell by its corners, row by row. */
function areaOf(corners: readonly Corner[]): number {
  const [[ax, ay] = [0, 0], [bx, by] = [0, 0], [cx, cy] = [0, 0], [dx, dy] = [0, 0]] = corners
  return Math.abs((dx - ax) * (cy - by) - (cx - bx) * (dy - ay)) / 2
}
