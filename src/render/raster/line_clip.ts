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
    const [x, y] = [coordinates[at] ?? 0, coordinates[at + 1] ?? 0]
    if (!(x >= minX && x <= maxX && y >= minY && y <= maxY)) return false
  }
  return true
}

class LineCutter {
  readonly #box: Bbox
  readonly #pieces: LinePiece[] = []
  #piece: number[] = []
  #start = 0
  #distance = 0

  constructor(box: Bbox) {
    this.#box = box
  }

  add(coordinates: Float64Array, from: number, to: number): void {
    const [x0, y0] = [coordinates[from] ?? 0, coordinates[from + 1] ?? 0]
    const [dx, dy] = [(coordinates[to] ?? 0) - x0, (coordinates[to + 1] ?? 0) - y0]
    // Square roots suffice, and are faster than `Math.hypot`; infinite and other invalid positions remain so.
    const length = Math.sqrt(dx * dx + dy * dy)
    // A position that is not a number, or infinitely far away, interrupts the line.
    const span = Number.isFinite(length) ? this.#findSpan({ x0, y0, dx, dy }) : undefined
    if (span === undefined) this.#end()
    else this.#addSpan({ x0, y0, dx, dy, length }, span)
    if (Number.isFinite(length)) this.#distance += length
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

  #addSpan({ x0, y0, dx, dy, length }: Segment & { length: number }, [start, end]: Span): void {
    if (start > 0) this.#end()
    if (this.#piece.length === 0) {
      this.#start = this.#distance + start * length
      this.#piece.push(x0 + dx * start, y0 + dy * start)
    }
    this.#piece.push(x0 + dx * end, y0 + dy * end)
    if (end < 1) this.#end()
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

  /** Finds the part of a segment inside of the box, from 0 to 1. @see Liang and Barsky 1984 */
  #findSpan({ x0, y0, dx, dy }: Segment): Span | undefined {
    const [minX, minY, maxX, maxY] = this.#box
    const [x1, y1] = [x0 + dx, y0 + dy]
    // Most segments lie completely inside, or beyond one side.
    if (
      x0 >= minX &&
      x0 <= maxX &&
      y0 >= minY &&
      y0 <= maxY &&
      x1 >= minX &&
      x1 <= maxX &&
      y1 >= minY &&
      y1 <= maxY
    )
      return whole
    if (
      (x0 < minX && x1 < minX) ||
      (x0 > maxX && x1 > maxX) ||
      (y0 < minY && y1 < minY) ||
      (y0 > maxY && y1 > maxY)
    )
      return undefined
    let [start, end] = [0, 1]
    const sides = [
      [-dx, x0 - minX],
      [dx, maxX - x0],
      [-dy, y0 - minY],
      [dy, maxY - y0],
    ] as const
    for (const [speed, room] of sides) {
      if (speed === 0 && room < 0) return undefined
      if (speed < 0) start = Math.max(start, room / speed)
      else if (speed > 0) end = Math.min(end, room / speed)
    }
    return start <= end ? [start, end] : undefined
  }
}

interface Segment {
  readonly x0: number
  readonly y0: number
  readonly dx: number
  readonly dy: number
}

type Span = readonly [start: number, end: number]

const whole: Span = [0, 1]
