import type { GeometryFamily } from '../contract/geometry.ts'
import type { PackedBboxes } from './bbox.ts'
import type { Sequence } from './geometry.ts'

/** A geometry in whole units of a tile, without z; y grows downwards from the top left corner. */
export interface TileGeometry {
  readonly family: GeometryFamily
  readonly parts: readonly (readonly Sequence[])[]
}

/**
 * A tile geometry in arrays that can be used again for the next one, without an object per part, sequence or position: the
 * millions of positions of tiles would be garbage soon after they were read.
 */
export class PackedGeometry {
  family: GeometryFamily = 'POINT'
  /** Coordinates x, y of the positions, `length` of them. */
  coordinates: Float64Array
  length = 0
  /** Index after the last coordinate of each of the `count` sequences. */
  ends: Int32Array
  /** 1 for the first sequence of a part, such as an outer ring; 0 for others. */
  firsts: Uint8Array
  count = 0
  /** Bounding boxes of successive runs of coordinates, for geometries that are clipped again and again. */
  runBoxes: PackedBboxes | undefined

  /** Creates an empty geometry, with room for some coordinates and sequences. */
  constructor(coordinates = 512, sequences = 16) {
    this.coordinates = new Float64Array(coordinates)
    this.ends = new Int32Array(sequences)
    this.firsts = new Uint8Array(sequences)
  }

  /** Removes all sequences. */
  reset(family: GeometryFamily): void {
    this.family = family
    this.length = 0
    this.count = 0
    this.runBoxes = undefined
  }

  /** Makes room for a number of coordinates more. */
  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.coordinates.length) return
    const grown = new Float64Array(Math.max(needed, 2 * this.coordinates.length))
    grown.set(this.coordinates.subarray(0, this.length))
    this.coordinates = grown
  }

  /** Ends a sequence after the last coordinate. */
  endSequence(isFirst: boolean): void {
    if (this.count === this.ends.length) this.#growSequences()
    this.ends[this.count] = this.length
    this.firsts[this.count] = isFirst ? 1 : 0
    this.count += 1
  }

  #growSequences(): void {
    const [ends, firsts] = [new Int32Array(2 * this.count + 1), new Uint8Array(2 * this.count + 1)]
    ends.set(this.ends)
    firsts.set(this.firsts)
    this.ends = ends
    this.firsts = firsts
  }

  /** Replaces the geometry by a point. */
  setPoint(x: number, y: number): void {
    this.reset('POINT')
    this.coordinates[0] = x
    this.coordinates[1] = y
    this.length = 2
    this.endSequence(true)
  }

  /** Returns a copy that takes no more memory than needed, with the boxes of its runs. */
  copy(): PackedGeometry {
    const copy = new PackedGeometry(this.length, this.count)
    copy.family = this.family
    copy.coordinates.set(this.coordinates.subarray(0, this.length))
    copy.length = this.length
    copy.ends.set(this.ends.subarray(0, this.count))
    copy.firsts.set(this.firsts.subarray(0, this.count))
    copy.count = this.count
    copy.runBoxes = boxRuns(copy.coordinates)
    return copy
  }
}

/** Number of coordinates of a run; a run may contain the coordinates of several sequences. */
export const runLength = 64

function boxRuns(coordinates: Float64Array): PackedBboxes {
  const boxes = new Float64Array(4 * Math.ceil(coordinates.length / runLength))
  for (let start = 0, at = 0; start < coordinates.length; start += runLength, at += 4) {
    let minX = coordinates[start] ?? 0
    let minY = coordinates[start + 1] ?? 0
    let [maxX, maxY] = [minX, minY]
    const end = Math.min(start + runLength, coordinates.length)
    for (let next = start + 2; next < end; next += 2) {
      const x = coordinates[next] ?? 0
      const y = coordinates[next + 1] ?? 0
      if (x < minX) minX = x
      else if (x > maxX) maxX = x
      if (y < minY) minY = y
      else if (y > maxY) maxY = y
    }
    boxes[at] = minX
    boxes[at + 1] = minY
    boxes[at + 2] = maxX
    boxes[at + 3] = maxY
  }
  return boxes
}

/** Packs a geometry. */
export function packGeometry({ family, parts }: TileGeometry, into = new PackedGeometry()): PackedGeometry {
  into.reset(family)
  for (const part of parts) {
    for (const [at, sequence] of part.entries()) {
      into.reserve(sequence.length)
      into.coordinates.set(sequence, into.length)
      into.length += sequence.length
      into.endSequence(at === 0)
    }
  }
  return into
}

/** Unpacks a geometry. */
export function unpackGeometry({ family, coordinates, ends, firsts, count }: PackedGeometry): TileGeometry {
  const parts: Sequence[][] = []
  for (let at = 0, start = 0; at < count; at += 1) {
    const end = ends[at] ?? 0
    const sequence = Array.from(coordinates.subarray(start, end))
    if (firsts[at] === 1) parts.push([sequence])
    else parts.at(-1)?.push(sequence)
    start = end
  }
  return { family, parts }
}
