import type { Bbox } from '../../geo/bbox.ts'

/**
 * Part of a map whose labels are placed at once, in pixels of 1/96 inch.
 *
 * Frames that lie side by side, metatiles, agree about the labels on their common edges, the seams, without knowing each
 * other: labels whose anchors are near a corner of metatiles are placed first, by all four of them alike, since they depend
 * on nothing else. Labels near a seam follow; they depend on those at the two ends of the seam. Labels inside the frame come
 * last and do not leave it. For this, the geometries of a margin around the frame must be known, and labels near seams must
 * not extend farther from their anchors than `seamReach`.
 */
export interface LabelFrame {
  /** Area to label. */
  readonly box: Bbox
  /** Area that no label leaves. */
  readonly bounds: Bbox
  /** Sides with another frame beyond; undefined for an image of its own. */
  readonly seams?: {
    readonly left: boolean
    readonly top: boolean
    readonly right: boolean
    readonly bottom: boolean
  }
}

/** Maximum distance of labels near seams from their anchors, in pixels. */
export const seamReach = 128

/** Half of the side of the square around a corner of frames whose labels are placed first. Labels of two seams do not meet outside. */
export const cornerReach = 2 * seamReach

/** Margin around a frame with seams whose geometries must be known. */
export const frameMargin = cornerReach

/** Labels that are placed together: in the order of `stage`, and those of one key never meet those of another in a stage. */
export interface LabelGroup {
  /** 0 for those near a corner, 1 near a seam, 2 inside. */
  readonly stage: 0 | 1 | 2
  readonly key: string
}

/** Group of the labels inside a frame. */
export const insideGroup: LabelGroup = { stage: 2, key: '' }

/** Returns the group of an anchor; undefined if its labels are not seen in the frame. */
export function findGroup(frame: LabelFrame, [x, y]: readonly [number, number]): LabelGroup | undefined {
  const { box, seams } = frame
  const isInside = x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3]
  if (seams === undefined) return isInside ? insideGroup : undefined
  const sidesX: Sides = [seams.left ? box[0] : undefined, seams.right ? box[2] : undefined]
  const sidesY: Sides = [seams.top ? box[1] : undefined, seams.bottom ? box[3] : undefined]
  const corner = [findSide(x, sidesX, cornerReach), findSide(y, sidesY, cornerReach)]
  if (corner[0] !== undefined && corner[1] !== undefined) return { stage: 0, key: corner.join(' ') }
  const alongY = findSide(x, sidesX, seamReach)
  if (alongY !== undefined && y >= box[1] && y <= box[3]) return { stage: 1, key: `${alongY} x` }
  const alongX = findSide(y, sidesY, seamReach)
  if (alongX !== undefined && x >= box[0] && x <= box[2]) return { stage: 1, key: `${alongX} y` }
  return isInside ? insideGroup : undefined
}

/** Coordinates of the two sides of a frame; undefined for one that is not a seam. */
type Sides = readonly [low: number | undefined, high: number | undefined]

/** Finds the side that a coordinate is near. */
function findSide(value: number, [low, high]: Sides, reach: number): 'low' | 'high' | undefined {
  if (low !== undefined && Math.abs(value - low) <= reach) return 'low'
  return high !== undefined && Math.abs(value - high) <= reach ? 'high' : undefined
}

/** Returns the area that a label with an anchor may cover. */
export function allowedArea(
  frame: LabelFrame,
  { stage, key }: LabelGroup,
  [x, y]: readonly [number, number],
): Bbox {
  const { box, bounds, seams } = frame
  if (stage === 2) return intersect(box, bounds)
  const near = intersect([x - seamReach, y - seamReach, x + seamReach, y + seamReach], bounds)
  if (stage === 0 || seams === undefined) return near
  // The squares around the corners at both ends of the seam are out of bounds.
  if (key.endsWith('y'))
    return intersect(near, [
      seams.left ? box[0] + cornerReach : -Infinity,
      -Infinity,
      seams.right ? box[2] - cornerReach : Infinity,
      Infinity,
    ])
  return intersect(near, [
    -Infinity,
    seams.top ? box[1] + cornerReach : -Infinity,
    Infinity,
    seams.bottom ? box[3] - cornerReach : Infinity,
  ])
}

function intersect(a: Bbox, b: Bbox): Bbox {
  return [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])]
}
