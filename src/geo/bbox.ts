/** Box `[minX, minY, maxX, maxY]`, in the units of its reference system. */
export type Bbox = readonly [minX: number, minY: number, maxX: number, maxY: number]

/** Gives a box that is larger on each side; a negative margin makes it smaller. */
export function expandBbox([minX, minY, maxX, maxY]: Bbox, margin: number): Bbox {
  return [minX - margin, minY - margin, maxX + margin, maxY + margin]
}

/** Tells whether two boxes have a point in common. */
export function bboxesIntersect(a: Bbox, b: Bbox): boolean {
  return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}
