import { bytesOf } from '../../core/bytes.ts'
import { type Bbox, bboxAround, emptyBbox, growBbox, type PackedBboxes } from '../../geo/bbox.ts'

/** Features of a file to index, in file order: id, bounding box and size of each. */
export class FlatItems {
  /** Bounding box of all features. */
  readonly bounds = emptyBbox()
  count = 0
  #ids = new BigInt64Array(1024)
  #boxes = new Float64Array(4 * 1024)
  #ends = new Float64Array(1024)

  /** Adds the next feature; `end` is its end, relative to the start of the first feature. */
  add({ id, box, end }: { readonly id: bigint; readonly box: Bbox; readonly end: number }): void {
    if (this.count === this.#ends.length) {
      const ids = new BigInt64Array(2 * this.count)
      ids.set(this.#ids)
      this.#ids = ids
      this.#boxes = enlarge(this.#boxes)
      this.#ends = enlarge(this.#ends)
    }
    this.#ids[this.count] = id
    this.#boxes.set(box, 4 * this.count)
    this.#ends[this.count] = end
    this.count += 1
    growBbox(this.bounds, box)
  }

  /** Ids in file order. Features that are added later may be missing. */
  get ids(): BigInt64Array {
    return this.#ids
  }

  /** Bounding boxes in file order. Features that are added later may be missing. */
  get boxes(): PackedBboxes {
    return this.#boxes
  }

  /** Returns the start of a feature, relative to the start of the first feature. */
  start(item: number): number {
    return item === 0 ? 0 : (this.#ends[item - 1] ?? 0)
  }

  /** Returns the size of a feature in bytes. */
  size(item: number): number {
    return (this.#ends[item] ?? 0) - this.start(item)
  }
}

function enlarge(numbers: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * numbers.length)
  larger.set(numbers)
  return larger
}

/** Number of entries in a node: the default of the format. */
export const nodeSize = 16
const nodeBytes = 40

/** Number of bits of an integer that a double represents exactly. */
const exactBits = 53
/** Bits of the Hilbert curve along each axis. */
const curveBits = 16

/**
 * Sorts the features along a Hilbert curve through the centres of their bounding boxes, so that neighbours are stored
 * near each other.
 */
export function sortByHilbert(items: FlatItems): Uint32Array {
  const [west, south, east, north] = items.bounds
  const steps = 2 ** curveBits - 1
  const scale = (span: number) => (span > 0 ? steps / span : 0)
  const [toX, toY] = [scale(east - west), scale(north - south)]
  // Distance and index combined in one float, since floats are sorted numerically.
  const numberBits = Math.ceil(Math.log2(items.count + 1))
  const lost = 2 ** Math.max(0, 2 * curveBits + numberBits - exactBits)
  const keys = new Float64Array(items.count)
  const { boxes } = items
  const middle = (at: number) => ((boxes[at] ?? 0) + (boxes[at + 2] ?? 0)) / 2
  for (let item = 0; item < items.count; item += 1) {
    const x = Math.floor((middle(4 * item) - west) * toX)
    const y = Math.floor((middle(4 * item + 1) - south) * toY)
    keys[item] = Math.floor(hilbertDistance(x, y) / lost) * 2 ** numberBits + item
  }
  keys.sort()
  return Uint32Array.from(keys, (key) => key % 2 ** numberBits)
}

/**
 * Computes the distance of a point along the Hilbert curve. A square consists of four squares that the curve traverses
 * in turn, with the first and the last one transposed.
 */
function hilbertDistance(x: number, y: number): number {
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
 * Writes the index of sorted features: a tree of nodes with 16 entries each, root first. An entry is a bounding box,
 * and the number of the first child node, or the offset of a feature.
 *
 * @see https://github.com/flatgeobuf/flatgeobuf packed Hilbert R-tree
 */
export function writeIndex(items: FlatItems, order: Uint32Array): Buffer {
  const levels = levelSizes(order.length)
  const nodeCount = levels.reduce((sum, size) => sum + size, 0)
  const { bytes, view } = bytesOf(Buffer.alloc(nodeBytes * nodeCount))
  const write = (node: number, boxes: Float64Array, { box, points }: { box: number; points: number }) => {
    const start = nodeBytes * node
    for (let at = 0; at < 4; at += 1) view.setFloat64(start + 8 * at, boxes[4 * box + at] ?? 0, true)
    view.setUint32(start + 32, points % 2 ** 32, true)
    view.setUint32(start + 36, Math.floor(points / 2 ** 32), true)
  }
  let first = nodeCount - order.length
  let at = 0
  for (let nth = 0; nth < order.length; nth += 1) {
    const box = order[nth] ?? 0
    write(first + nth, items.boxes, { box, points: at })
    at += items.size(box)
  }
  let boxes = sortBoxes(items.boxes, order)
  for (const size of levels.slice(1)) {
    boxes = parentBoxes(boxes, size)
    for (let box = 0; box < size; box += 1)
      write(first - size + box, boxes, { box, points: first + nodeSize * box })
    first -= size
  }
  return bytes
}

function sortBoxes(boxes: Float64Array, order: Uint32Array): Float64Array<ArrayBuffer> {
  const sorted = new Float64Array(4 * order.length)
  for (let nth = 0; nth < order.length; nth += 1)
    for (let at = 0; at < 4; at += 1) sorted[4 * nth + at] = boxes[4 * (order[nth] ?? 0) + at] ?? 0
  return sorted
}

/** Returns the bounding boxes of the parent nodes. */
function parentBoxes(boxes: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const above = new Float64Array(4 * size)
  for (let node = 0; node < size; node += 1) {
    const end = Math.min(nodeSize * (node + 1), boxes.length / 4)
    above.set(bboxAround(boxes, nodeSize * node, end), 4 * node)
  }
  return above
}

/** Returns the number of nodes of each level, from the features to the root. */
function levelSizes(count: number): number[] {
  const levels = [count]
  for (let size = count; size > 1 || levels.length === 1; levels.push(size)) size = Math.ceil(size / nodeSize)
  return levels
}
