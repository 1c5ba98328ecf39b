import { type Bounds, growBounds, noBounds } from './export_geometry.ts'

/** Features of a file that is to have a spatial index: the box around each and its size, in the order of the file. */
export class FlatItems {
  /** Box around all of them. */
  readonly bounds = noBounds()
  count = 0
  #boxes = new Float64Array(4 * 1024)
  #ends = new Float64Array(1024)

  /** Adds the next feature: its box, and where it ends, counted from the start of the first. */
  add(box: Bounds, end: number): void {
    if (this.count === this.#ends.length) {
      this.#boxes = grown(this.#boxes)
      this.#ends = grown(this.#ends)
    }
    this.#boxes.set(box, 4 * this.count)
    this.#ends[this.count] = end
    this.count += 1
    growBounds(this.bounds, box)
  }

  /** The box around a feature. It shows those of the list: do not keep it while features are added. */
  box(item: number): Bounds {
    return this.#boxes.subarray(4 * item, 4 * item + 4)
  }

  /** Where a feature starts, counted from the start of the first. */
  start(item: number): number {
    return item === 0 ? 0 : (this.#ends[item - 1] ?? 0)
  }

  /** Bytes of a feature. */
  size(item: number): number {
    return (this.#ends[item] ?? 0) - this.start(item)
  }
}

function grown(numbers: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * numbers.length)
  larger.set(numbers)
  return larger
}

/** Features of a node of the index: what the format takes for usual. */
export const nodeSize = 16
const nodeBytes = 40

/** Bits of a number that floats hold exactly. */
const exactBits = 53
/** Steps of the Hilbert curve along each axis: 2 to this. */
const curveBits = 16

/**
 * Gives the features in an order in which those that are near each other stand near each other: along a Hilbert curve
 * through the centres of their boxes.
 */
export function orderByPlace(items: FlatItems): Uint32Array {
  const [west = 0, south = 0, east = 0, north = 0] = items.bounds
  const steps = 2 ** curveBits - 1
  const scale = (span: number) => (span > 0 ? steps / span : 0)
  const [toX, toY] = [scale(east - west), scale(north - south)]
  // Place and number in one float, so that they are sorted as numbers are.
  const numberBits = Math.ceil(Math.log2(items.count + 1))
  const lost = 2 ** Math.max(0, 2 * curveBits + numberBits - exactBits)
  const keys = new Float64Array(items.count)
  for (let item = 0; item < items.count; item += 1) {
    const [left = 0, bottom = 0, right = 0, top = 0] = items.box(item)
    const x = Math.floor(((left + right) / 2 - west) * toX)
    const y = Math.floor(((bottom + top) / 2 - south) * toY)
    keys[item] = Math.floor(placeOnCurve(x, y) / lost) * 2 ** numberBits + item
  }
  keys.sort()
  return Uint32Array.from(keys, (key) => key % 2 ** numberBits)
}

/**
 * Gives how far along the Hilbert curve a place is: a square is four squares, which the curve goes through in turn, the
 * first and the last of them turned over.
 */
function placeOnCurve(x: number, y: number): number {
  let [column, row, place] = [x, y, 0]
  for (let side = 2 ** (curveBits - 1); side >= 1; side /= 2) {
    const isRight = (column & side) > 0
    const isUpper = (row & side) > 0
    place += side * side * (isRight ? (isUpper ? 2 : 3) : isUpper ? 1 : 0)
    if (isUpper) continue
    if (isRight) [column, row] = [~column, ~row]
    const swapped = column
    column = row
    row = swapped
  }
  return place
}

/**
 * Writes the index of features that stand in an order: a tree of nodes that hold 16 nodes each, root first. A node is
 * the box around what it holds, and the number of the first node of that, or for a feature, where it starts.
 *
 * @see https://github.com/flatgeobuf/flatgeobuf packed Hilbert R-tree
 */
export function writeIndex(items: FlatItems, order: Uint32Array): Buffer {
  const levels = levelSizes(order.length)
  const nodeCount = levels.reduce((sum, size) => sum + size, 0)
  const bytes = Buffer.alloc(nodeBytes * nodeCount)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const write = (node: number, box: Bounds, points: number) => {
    for (let at = 0; at < 4; at += 1) view.setFloat64(nodeBytes * node + 8 * at, box[at] ?? 0, true)
    view.setBigUint64(nodeBytes * node + 32, BigInt(points), true)
  }
  let first = nodeCount - order.length
  let boxes = new Float64Array(4 * order.length)
  let at = 0
  for (const [nth, item] of order.entries()) {
    boxes.set(items.box(item), 4 * nth)
    write(first + nth, items.box(item), at)
    at += items.size(item)
  }
  for (const size of levels.slice(1)) {
    const above = new Float64Array(4 * size)
    for (let nth = 0; nth < size; nth += 1) {
      const box = boxAround(boxes, nodeSize * nth)
      above.set(box, 4 * nth)
      write(first - size + nth, box, first + nodeSize * nth)
    }
    first -= size
    boxes = above
  }
  return bytes
}

function boxAround(boxes: Float64Array, first: number): Bounds {
  const box = noBounds()
  const end = Math.min(first + nodeSize, boxes.length / 4)
  for (let nth = first; nth < end; nth += 1) growBounds(box, boxes.subarray(4 * nth, 4 * nth + 4))
  return box
}

/** How many nodes each level has, features first, to the one at the root. */
function levelSizes(count: number): number[] {
  const levels = [count]
  for (let size = count; size > 1 || levels.length === 1; levels.push(size)) size = Math.ceil(size / nodeSize)
  return levels
}
