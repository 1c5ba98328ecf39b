import { bytesOf } from '../../core/bytes.ts'
import { bboxAround, bboxAt, type PackedBboxes } from '../../geo/bbox.ts'
import type { FlatItems } from '../flatgeobuf/spatial_index.ts'

/** A node of a tree, with its range of cells of the level. */
interface PackedNode {
  /** Node number; the root is 1. */
  readonly number: number
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
}

/** A tree of nodes in the format of the R*Tree module of SQLite. */
export interface PackedRtree {
  readonly nodes: readonly Pick<PackedNode, 'number' | 'bytes'>[]
  /** Parent of each node except the root. */
  readonly parents: readonly { readonly number: number; readonly parent: number }[]
  /** Node of each feature, in the order of the features. */
  readonly nodeOf: Uint32Array
}

/** Maximum number of cells in a node, for any page size. */
const cellsPerNode = 51
/** Size of a cell: a number of eight bytes, and four bounds of four bytes. */
const cellBytes = 24
/** Size of the header: depth of the tree, in the root, and number of cells. */
const headBytes = 4
const nodeBytes = headBytes + cellsPerNode * cellBytes
const rootNumber = 1

interface Cells {
  readonly numbers: BigInt64Array
  readonly boxes: PackedBboxes
}

/**
 * Packs spatially sorted features into nodes that are as full as possible. Inserting them one by one takes several times
 * as long, and leaves nodes half empty.
 *
 * @see https://www.sqlite.org/rtree.html Shadow Tables
 */
export function packRtree(items: FlatItems, order: Uint32Array): PackedRtree {
  const nodeOf = new Uint32Array(items.count)
  let cells = cellsOf(items, order)
  let level = packLevel(cells, { depth: 0, first: rootNumber + 1 })
  for (const { number, start, end } of level)
    for (const item of order.subarray(start, end)) nodeOf[item] = number
  const nodes = [...level]
  const parents: { number: number; parent: number }[] = []
  for (let depth = 1; level.length > 1; depth += 1) {
    cells = cellsAbove(cells, level)
    level = packLevel(cells, { depth, first: rootNumber + 1 + nodes.length })
    for (const { number: parent, start, end } of level)
      for (const below of cells.numbers.subarray(start, end)) parents.push({ number: Number(below), parent })
    nodes.push(...level)
  }
  return { nodes, parents, nodeOf }
}

/** Packs cells into nodes of about the same size, numbered from `first`; a single node is the root. */
function packLevel(cells: Cells, { depth, first }: { depth: number; first: number }): PackedNode[] {
  const size = cells.numbers.length
  const count = Math.max(1, Math.ceil(size / cellsPerNode))
  return Array.from({ length: count }, (_, at) => {
    const start = Math.floor((at * size) / count)
    const end = Math.floor(((at + 1) * size) / count)
    const isRoot = count === 1
    const bytes = writeNode(cells, [start, end], isRoot ? depth : 0)
    return { number: isRoot ? rootNumber : first + at, bytes, start, end }
  })
}

function cellsAbove({ boxes }: Cells, nodes: readonly PackedNode[]): Cells {
  const above = new Float64Array(4 * nodes.length)
  for (const [at, { start, end }] of nodes.entries()) above.set(bboxAround(boxes, start, end), 4 * at)
  return { numbers: BigInt64Array.from(nodes, ({ number }) => BigInt(number)), boxes: above }
}

function cellsOf(items: FlatItems, order: Uint32Array): Cells {
  const numbers = new BigInt64Array(order.length)
  const boxes = new Float64Array(4 * order.length)
  for (let cell = 0; cell < order.length; cell += 1) {
    const item = order[cell] ?? 0
    numbers[cell] = items.ids[item] ?? 0n
    boxes.set(items.boxes.subarray(4 * item, 4 * item + 4), 4 * cell)
  }
  return { numbers, boxes }
}

type Range = readonly [start: number, end: number]

function writeNode({ numbers, boxes }: Cells, [start, end]: Range, depth: number): Buffer {
  const { bytes, view } = bytesOf(Buffer.alloc(nodeBytes))
  view.setUint16(0, depth)
  view.setUint16(2, end - start)
  for (let cell = start; cell < end; cell += 1) {
    const at = headBytes + (cell - start) * cellBytes
    const [west, south, east, north] = bboxAt(boxes, cell)
    view.setBigInt64(at, numbers[cell] ?? 0n)
    view.setFloat32(at + 8, roundDown(west))
    view.setFloat32(at + 12, roundUp(east))
    view.setFloat32(at + 16, roundDown(south))
    view.setFloat32(at + 20, roundUp(north))
  }
  return bytes
}

/** Bounds of the relative and absolute rounding error of a 32-bit float, and its maximum value. */
const offBy = 2 ** -23
const least = 2 ** -149
const greatest = 2 ** 128 - 2 ** 104

// Rounded boxes must contain the exact ones.
function roundDown(value: number): number {
  const near = Math.fround(value)
  if (near <= value) return near
  return Math.min(greatest, Math.fround(value - Math.abs(value) * offBy - least))
}

function roundUp(value: number): number {
  return -roundDown(-value)
}
