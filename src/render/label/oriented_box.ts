import type { Bbox } from '../../geo/bbox.ts'

/** A rectangle in any direction, in pixels. */
export interface OrientedBox {
  /** Center. */
  readonly x: number
  readonly y: number
  /** Half of the length along the direction, and across. */
  readonly halfWidth: number
  readonly halfHeight: number
  /** Cosine and sine of the direction. */
  readonly cos: number
  readonly sin: number
}

/** Creates a box from its center, size and direction in radians. */
export function createBox(
  [x, y]: readonly [number, number],
  [width, height]: readonly [number, number],
  angle = 0,
): OrientedBox {
  return { x, y, halfWidth: width / 2, halfHeight: height / 2, cos: Math.cos(angle), sin: Math.sin(angle) }
}

/** Returns the box grown by a distance on all sides. */
export function growBox(box: OrientedBox, distance: number): OrientedBox {
  return { ...box, halfWidth: box.halfWidth + distance, halfHeight: box.halfHeight + distance }
}

/** Returns the bounding box of oriented boxes. */
export function boundsOf(boxes: readonly OrientedBox[]): Bbox {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y, halfWidth, halfHeight, cos, sin } of boxes) {
    const reachX = Math.abs(cos) * halfWidth + Math.abs(sin) * halfHeight
    const reachY = Math.abs(sin) * halfWidth + Math.abs(cos) * halfHeight
    minX = Math.min(minX, x - reachX)
    minY = Math.min(minY, y - reachY)
    maxX = Math.max(maxX, x + reachX)
    maxY = Math.max(maxY, y + reachY)
  }
  return [minX, minY, maxX, maxY]
}

/** Reports whether two boxes overlap by the separating axis theorem; boxes that only touch do not. */
export function boxesOverlap(a: OrientedBox, b: OrientedBox): boolean {
  return !isSeparated(a, b) && !isSeparated(b, a)
}

/** Smaller overlaps are rounding errors. */
const tolerance = 1e-6

/** Reports whether an edge of the first box separates the boxes. */
function isSeparated(a: OrientedBox, b: OrientedBox): boolean {
  const [dx, dy] = [b.x - a.x, b.y - a.y]
  // The axes of the second box, seen from the first one.
  const cos = Math.abs(a.cos * b.cos + a.sin * b.sin)
  const sin = Math.abs(a.cos * b.sin - a.sin * b.cos)
  const along = Math.abs(dx * a.cos + dy * a.sin)
  const across = Math.abs(dy * a.cos - dx * a.sin)
  return (
    along >= a.halfWidth + b.halfWidth * cos + b.halfHeight * sin - tolerance ||
    across >= a.halfHeight + b.halfWidth * sin + b.halfHeight * cos - tolerance
  )
}
