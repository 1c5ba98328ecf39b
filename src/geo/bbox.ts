/** Box `[minX, minY, maxX, maxY]`, in the units of its reference system. */
export type Bbox = readonly [minX: number, minY: number, maxX: number, maxY: number]

/** A box that can be extended. */
export type MutableBbox = [minX: number, minY: number, maxX: number, maxY: number]

/** Returns an empty box, which intersects no other. */
export function emptyBbox(): MutableBbox {
  return [Infinity, Infinity, -Infinity, -Infinity]
}

/** Extends a box by another one. */
export function growBbox(box: MutableBbox, [minX, minY, maxX, maxY]: Bbox): void {
  if (minX < box[0]) box[0] = minX
  if (minY < box[1]) box[1] = minY
  if (maxX > box[2]) box[2] = maxX
  if (maxY > box[3]) box[3] = maxY
}

/** Returns the box around some boxes; undefined without any. */
export function joinBboxes(boxes: Iterable<Bbox>): Bbox | undefined {
  const joined = emptyBbox()
  for (const box of boxes) growBbox(joined, box)
  return joined[0] <= joined[2] ? joined : undefined
}

/** Extends a box by a position. */
export function extendBbox(box: MutableBbox, x: number, y: number): void {
  if (x < box[0]) box[0] = x
  if (y < box[1]) box[1] = y
  if (x > box[2]) box[2] = x
  if (y > box[3]) box[3] = y
}

/** Returns a box with a margin on each side; a negative margin shrinks it. */
export function expandBbox([minX, minY, maxX, maxY]: Bbox, margin: number): Bbox {
  return [minX - margin, minY - margin, maxX + margin, maxY + margin]
}

/** Returns whether two boxes have a point in common. */
export function bboxesIntersect(a: Bbox, b: Bbox): boolean {
  return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}

/**
 * Boxes as four consecutive numbers each. As objects, the boxes of millions of features would take more memory than the
 * features.
 */
export type PackedBboxes = Float64Array

/** Returns a box of a list. */
export function bboxAt(boxes: PackedBboxes, index: number): Bbox {
  const at = 4 * index
  return [boxes[at] ?? 0, boxes[at + 1] ?? 0, boxes[at + 2] ?? 0, boxes[at + 3] ?? 0]
}

/** Returns the bounding box of a range of boxes; `end` is exclusive. */
export function bboxAround(boxes: PackedBboxes, start: number, end: number): Bbox {
  const around = emptyBbox()
  for (let index = start; index < end; index += 1) growBbox(around, bboxAt(boxes, index))
  return around
}
