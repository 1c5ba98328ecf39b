import { boundsOf, boxesOverlap, type OrientedBox } from './oriented_box.ts'

/** Side of a cell in pixels. */
const cellSide = 64

/** Maximum number of cells that a box is listed in; larger boxes are compared with all. */
const maxCells = 1024

/** Boxes that are taken, found by their place. */
export class CollisionIndex {
  readonly #cells = new Map<number, OrientedBox[]>()
  readonly #huge: OrientedBox[] = []
  readonly #all: OrientedBox[] = []

  /** Adds boxes. */
  add(boxes: readonly OrientedBox[]): void {
    for (const box of boxes) {
      this.#all.push(box)
      const keys = cellsOf(box)
      if (keys === undefined) this.#huge.push(box)
      for (const key of keys ?? []) {
        const cell = this.#cells.get(key)
        if (cell === undefined) this.#cells.set(key, [box])
        else cell.push(box)
      }
    }
  }

  /** Reports whether one of the boxes overlaps one that was added. */
  overlaps(boxes: readonly OrientedBox[]): boolean {
    return boxes.some((box) => {
      const keys = cellsOf(box)
      if (keys === undefined) return this.#all.some((other) => boxesOverlap(box, other))
      return (
        this.#huge.some((other) => boxesOverlap(box, other)) ||
        keys.some((key) => this.#cells.get(key)?.some((other) => boxesOverlap(box, other)) ?? false)
      )
    })
  }
}

/** More than the rows of any map, so that keys differ. */
const columnStep = 2 ** 26

/** Keys of the cells that a box touches; undefined if there are too many. */
function cellsOf(box: OrientedBox): number[] | undefined {
  const [minX, minY, maxX, maxY] = boundsOf([box]).map((edge) => Math.floor(edge / cellSide)) as [
    number,
    number,
    number,
    number,
  ]
  if (!((maxX - minX + 1) * (maxY - minY + 1) <= maxCells)) return undefined
  const keys: number[] = []
  for (let row = minY; row <= maxY; row += 1)
    for (let column = minX; column <= maxX; column += 1) keys.push(column * columnStep + row)
  return keys
}
