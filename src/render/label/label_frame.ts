import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import type { OrientedBox } from './oriented_box.ts'

/**
 * Part of a map whose labels are placed at once, in pixels of 1/96 inch.
 *
 * Frames that lie side by side, metatiles, agree about the labels on their common edges, the seams, without knowing each
 * other. Labels whose anchors are near a corner of metatiles are placed first, by all four of them alike: from everything
 * that lies within half a frame of the corner, of which all four know everything. Labels near a seam follow, from what lies
 * within half a frame of the seam, then those inside. Each time, the more important labels of all groups around take part,
 * so that no label takes the place of a more important one that is placed later.
 */
export interface LabelFrame {
  /** Area to label. Frames with seams are squares of `frameSide`. */
  readonly box: Bbox
  /** Area that no label leaves. */
  readonly bounds: Bbox
  /** Sides with another frame beyond; undefined for an image of its own. */
  readonly seams?: LabelSeams
  /** Width of the world in a frame that shows all of it: what leaves it on one side enters it on the other. */
  readonly period?: number
}

/** Sides of a frame with another frame beyond. */
export interface LabelSeams {
  readonly left: boolean
  readonly top: boolean
  readonly right: boolean
  readonly bottom: boolean
}

/** Side of frames with seams, in pixels. */
export const frameSide = 1024

/** Margin around a frame with seams whose geometries must be known. */
export const frameMargin = frameSide / 2

/**
 * Distance from its anchor that any label may extend to, horizontally and vertically. Farther, labels end where those of
 * another group may begin, or at the edge of the frame.
 */
export const labelReach = { x: 256, y: 128 } as const

/** Half of the sides of the rectangle around a corner of frames: labels of two seams do not meet outside. */
const cornerReach = { x: labelReach.x, y: 3 * labelReach.y } as const

/** Labels that are placed together. Those of different groups of a stage never meet. */
export interface LabelGroup {
  /** 0 for those near a corner, 1 near a seam, 2 inside. */
  readonly stage: 0 | 1 | 2
  readonly key: string
  /** Area that its labels do not leave. */
  readonly domain: Bbox
}

/** A group of labels of a frame, and the area whose features decide about them. */
export interface LabelWindow {
  readonly key: string
  readonly area: Bbox
}

const insideGroups = new WeakMap<LabelFrame, LabelGroup>()

/** Returns the group of the labels inside a frame: the same object for all of them. */
export function insideGroup(frame: LabelFrame): LabelGroup {
  const known = insideGroups.get(frame)
  if (known !== undefined) return known
  const { box, bounds, period = 0 } = frame
  const [minX, minY, maxX, maxY] = intersect(box, bounds)
  const domain = [minX - period / 2, minY, maxX + period / 2, maxY] as const
  const group: LabelGroup = { stage: 2, key: keyOfCell([0, 0]), domain }
  insideGroups.set(frame, group)
  return group
}

/** Returns the group of an anchor; undefined if it has no influence on the labels of the frame. */
export function findGroup(frame: LabelFrame, anchor: readonly [number, number]): LabelGroup | undefined {
  const { box, bounds, seams, period } = frame
  if (seams === undefined) return isIn(box, anchor) ? insideGroup(frame) : undefined
  if (!isIn(intersect(bounds, expandBbox(box, frameMargin)), anchor)) return undefined
  // All of the world has no neighbours.
  if (period !== undefined) return insideGroup(frame)
  const { stage, key, domain } = groupBySeams({ box, seams }, anchor)
  return { stage, key, domain: intersect(domain, bounds) }
}

/** Reports whether a position lies in a box or on its edge. */
export function isIn([minX, minY, maxX, maxY]: Bbox, [x, y]: readonly [number, number]): boolean {
  return x >= minX && x <= maxX && y >= minY && y <= maxY
}

function groupBySeams(
  { box: [minX, minY, maxX, maxY], seams }: { readonly box: Bbox; readonly seams: LabelSeams },
  [x, y]: readonly [number, number],
): LabelGroup {
  const [seamX, seamY] = [nearest(x, [minX, maxX]), nearest(y, [minY, maxY])]
  const hasX = seamX === minX ? seams.left : seams.right
  const hasY = seamY === minY ? seams.top : seams.bottom
  const awayX = hasX ? Math.abs(x - seamX) : Number.POSITIVE_INFINITY
  const awayY = hasY ? Math.abs(y - seamY) : Number.POSITIVE_INFINITY
  const cell = [Math.floor((x - minX) / frameSide), Math.floor((y - minY) / frameSide)] as const
  const [left, top] = [minX + cell[0] * frameSide, minY + cell[1] * frameSide]
  const [right, bottom] = [left + frameSide, top + frameSide]
  if (awayX <= cornerReach.x && awayY <= cornerReach.y)
    return { stage: 0, key: keyOfCorner(seamX, seamY), domain: squareAround(seamX, seamY) }
  // Labels near upright seams stay out of the reach of those near level ones.
  const reach = 2 * labelReach.y
  if (awayX <= labelReach.x) {
    const upper = top === minY && !seams.top ? top : top + reach
    const lower = top === minY && !seams.bottom ? bottom : bottom - reach
    const domain = [seamX - frameMargin, upper, seamX + frameMargin, lower] as const
    return { stage: 1, key: `x ${seamX} ${cell[1]}`, domain }
  }
  if (awayY <= labelReach.y)
    return { stage: 1, key: `y ${seamY} ${cell[0]}`, domain: [left, seamY - reach, right, seamY + reach] }
  return { stage: 2, key: keyOfCell(cell), domain: [left, top, right, bottom] }
}

const keyOfCorner = (x: number, y: number) => `corner ${x} ${y}`
const keyOfCell = (cell: readonly [number, number]) => `inside ${cell.join(' ')}`

/** Moves boxes into the copies of the world that a frame continues with. */
export function continued(boxes: readonly OrientedBox[], { period }: LabelFrame): readonly OrientedBox[] {
  if (period === undefined) return boxes
  return [0, -period, period].flatMap((by) => boxes.map((box) => ({ ...box, x: box.x + by })))
}

/** Lists the groups whose labels are seen in a frame, stage by stage. */
export function listWindows(frame: LabelFrame): readonly (readonly LabelWindow[])[] {
  const { box, seams } = frame
  const [minX, minY, maxX, maxY] = box
  const inside = { key: insideGroup(frame).key, area: box }
  if (seams === undefined) return [[inside]]
  const xs = [...(seams.left ? [minX] : []), ...(seams.right ? [maxX] : [])]
  const ys = [...(seams.top ? [minY] : []), ...(seams.bottom ? [maxY] : [])]
  const corners = xs.flatMap((x) =>
    ys.map((y) => ({ key: keyOfCorner(x, y), area: squareAround(x, y) }) as const),
  )
  const upright = xs.map(
    (x) => ({ key: `x ${x} 0`, area: [x - frameMargin, minY, x + frameMargin, maxY] }) as const,
  )
  const level = ys.map(
    (y) => ({ key: `y ${y} 0`, area: [minX, y - frameMargin, maxX, y + frameMargin] }) as const,
  )
  return [corners, [...upright, ...level], [inside]]
}

function nearest(value: number, [low, high]: readonly [number, number]): number {
  return Math.abs(value - low) <= Math.abs(value - high) ? low : high
}

function squareAround(x: number, y: number): Bbox {
  return expandBbox([x, y, x, y], frameMargin)
}

function intersect(a: Bbox, b: Bbox): Bbox {
  return [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])]
}
