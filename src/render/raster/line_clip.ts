import type { Bbox } from '../../geo/bbox.ts'
import type { StrokeLine } from './stroke.ts'

/** A piece of a line. */
export interface LinePiece extends StrokeLine {
  /** Length of the line before the piece. */
  readonly distance: number
}

/**
 * Returns the pieces of a line inside of a box. Positions that are not numbers interrupt the line.
 *
 * @param joinsEnds whether a piece of a closed line continues over its first position; dash patterns start there
 */
export function clipLine(line: StrokeLine, box: Bbox, joinsEnds = false): LinePiece[] {
  const { coordinates, isClosed } = line
  if (isInside(coordinates, box)) return [{ ...line, distance: 0 }]
  const cutter = new LineCutter(box)
  for (let at = 2; at < coordinates.length; at += 2) cutter.add(coordinates, at - 2, at)
  if (isClosed) cutter.add(coordinates, coordinates.length - 2, 0)
  return cutter.finish(isClosed && joinsEnds)
}

/** Returns whether all positions are numbers inside of a box. */
function isInside(coordinates: Float64Array, [minX, minY, maxX, maxY]: Bbox): boolean {
  for (let at = 0; at < coordinates.length; at += 2) {
    const x = coordinates[at] ?? 0
    const y = coordinates[at + 1] ?? 0
    if (!(x >= minX && x <= maxX && y >= minY && y <= maxY)) return false
  }
  return true
}

class LineCutter {
  readonly #box: Bbox
  readonly #pieces: LinePiece[] = []
  /** Part of the current segment inside of the box: start and end. */
  readonly #span = new Float64Array(2)
  #piece: number[] = []
  #start = 0
  #distance = 0

  constructor(box: Bbox) {
    this.#box = box
  }

  /** Adds the segment between two positions, given by their places in the coordinates. */
  add(coordinates: Float64Array, from: number, to: number): void {
    const x0 = coordinates[from] ?? 0
    const y0 = coordinates[from + 1] ?? 0
    const dx = (coordinates[to] ?? 0) - x0
    const dy = (coordinates[to + 1] ?? 0) - y0
    // Square roots suffice, and are faster than `Math.hypot`; infinite and other invalid positions remain so.
    const length = Math.sqrt(dx * dx + dy * dy)
    // A position that is not a number, or infinitely far away, interrupts the line.
    if (!Number.isFinite(length)) {
      this.#end()
      return
    }
    const distance = this.#distance
    this.#distance = distance + length
    if (!this.#findSpan(coordinates, from, to)) {
      this.#end()
      return
    }
    const start = this.#span[0] ?? 0
    const end = this.#span[1] ?? 0
    if (start > 0) this.#end()
    if (this.#piece.length === 0) {
      this.#start = distance + start * length
      this.#piece.push(x0 + dx * start, y0 + dy * start)
    }
    this.#piece.push(x0 + dx * end, y0 + dy * end)
    if (end < 1) this.#end()
  }

  finish(joinsEnds: boolean): LinePiece[] {
    const [first, ...others] = this.#pieces
    if (!joinsEnds || first === undefined || first.distance > 0 || this.#piece.length === 0) {
      this.#end()
      return this.#pieces
    }
    const coordinates = Float64Array.from([...this.#piece, ...first.coordinates.subarray(2)])
    return [...others, { coordinates, isClosed: false, distance: this.#start }]
  }

  #end(): void {
    if (this.#piece.length > 0)
      this.#pieces.push({
        coordinates: Float64Array.from(this.#piece),
        isClosed: false,
        distance: this.#start,
      })
    this.#piece = []
  }

  /**
   * Finds the part of a segment inside of the box, from 0 to 1, and returns whether there is one.
   *
   * @see Liang and Barsky 1984
   */
  #findSpan(coordinates: Float64Array, from: number, to: number): boolean {
    const box = this.#box
    this.#span[0] = 0
    this.#span[1] = 1
    const outFrom = sidesBeyond(box, coordinates, from)
    const outTo = sidesBeyond(box, coordinates, to)
    // Most segments lie completely inside, or beyond one side.
    if ((outFrom | outTo) === 0) return true
    if ((outFrom & outTo) !== 0) return false
    const isCut = this.#cut(coordinates, from, to) && this.#cut(coordinates, from + 1, to + 1)
    return isCut && (this.#span[0] ?? 0) <= (this.#span[1] ?? 0)
  }

  /** Cuts the span where the segment leaves the box along an axis; returns false if it is beyond the box everywhere. */
  #cut(coordinates: Float64Array, from: number, to: number): boolean {
    const axis = from & 1
    const start = coordinates[from] ?? 0
    const step = (coordinates[to] ?? 0) - start
    const before = start - (this.#box[axis] ?? 0)
    const after = (this.#box[axis + 2] ?? 0) - start
    if (step === 0) return before >= 0 && after >= 0
    const first = step > 0 ? -before / step : after / step
    const last = step > 0 ? after / step : -before / step
    this.#span[0] = Math.max(this.#span[0] ?? 0, first)
    this.#span[1] = Math.min(this.#span[1] ?? 0, last)
    return true
  }
}

/** Sides of a box beyond which a position lies, as bits. */
function sidesBeyond(box: Bbox, coordinates: Float64Array, at: number): number {
  const x = coordinates[at] ?? 0
  const y = coordinates[at + 1] ?? 0
  return (x < box[0] ? 1 : x > box[2] ? 2 : 0) | (y < box[1] ? 4 : y > box[3] ? 8 : 0)
}
