import type { LineCap, LineJoin } from '../../style/symbol_layer.ts'
import type { OutlineSink } from './coverage.ts'

/** Pen of a stroke. */
export interface Pen {
  /** In pixels; 0 is a hairline of one pixel. */
  readonly width: number
  readonly join: LineJoin
  readonly cap: LineCap
  /** Maximum length of a miter, as a multiple of the width; a longer one is a bevel. */
  readonly miterLimit: number
}

/** A line as x and y of its positions, in pixels. A closed line does not repeat its first position. */
export interface StrokeLine {
  readonly coordinates: Float64Array
  readonly isClosed: boolean
}

/** Positions closer than this are one. */
const minDistance = 1e-3

/** Maximum distance between a round join and its segments, in pixels. */
const arcTolerance = 0.06

/** Returns how far a stroke may reach from its line, in pixels. */
export function strokeReach({ width, join, cap, miterLimit }: Pen): number {
  const half = (width || 1) / 2
  return half * Math.max(1.5, join === 'miter' ? miterLimit : 1, cap === 'square' ? Math.SQRT2 : 1)
}

/**
 * Adds the outline of a stroke. Where it overlaps itself, it must be filled with rule `nonzero`.
 *
 * @see https://www.w3.org/TR/SVG2/painting.html#StrokeShape
 */
export function strokeLine(sink: OutlineSink, line: StrokeLine, pen: Pen): void {
  const vertices = readVertices(line)
  if (pen.width <= 0) {
    addHairline(sink, vertices, line.isClosed)
    return
  }
  const half = pen.width / 2
  const stroker = new Stroker(sink, pen, half)
  if (vertices.count === 1) stroker.dot(line.coordinates[0] ?? 0, line.coordinates[1] ?? 0)
  else if (line.isClosed && vertices.count > 2) stroker.ring(vertices)
  else if (vertices.count > 1) stroker.open(vertices)
}

/**
 * Adds a hairline: one pixel high where the line is flat, one pixel wide where it is steep, as the lines of width 0 of Qt. All
 * parts have the same orientation, so that none is lost where they overlap.
 */
function addHairline(sink: OutlineSink, { count, x, y }: Vertices, isClosed: boolean): void {
  for (let at = 0; at < (isClosed && count > 2 ? count : count - 1); at += 1) {
    const next = at + 1 === count ? 0 : at + 1
    const [ax, ay, bx, by] = [x[at] ?? 0, y[at] ?? 0, x[next] ?? 0, y[next] ?? 0]
    const isFlat = Math.abs(bx - ax) >= Math.abs(by - ay)
    const isForward = isFlat ? bx > ax : by > ay
    const [fromX, fromY, toX, toY] = isForward ? [ax, ay, bx, by] : [bx, by, ax, ay]
    const [dx, dy] = isFlat ? [0, -0.5] : [0.5, 0]
    sink.moveTo(fromX + dx, fromY + dy)
    sink.lineTo(toX + dx, toY + dy)
    sink.lineTo(toX - dx, toY - dy)
    sink.lineTo(fromX - dx, fromY - dy)
    sink.close()
  }
}

/** Distinct vertices, and direction and length of the segment that starts at each of them. */
interface Vertices {
  readonly count: number
  readonly x: Float64Array
  readonly y: Float64Array
  readonly dirX: Float64Array
  readonly dirY: Float64Array
  readonly length: Float64Array
}

function readVertices({ coordinates, isClosed }: StrokeLine): Vertices {
  const size = coordinates.length >>> 1
  const [x, y] = [new Float64Array(size), new Float64Array(size)]
  let count = 0
  for (let at = 0; at < size; at += 1) {
    const [nextX, nextY] = [coordinates[2 * at] ?? 0, coordinates[2 * at + 1] ?? 0]
    if (!Number.isFinite(nextX) || !Number.isFinite(nextY)) continue
    if (count > 0 && isNear(nextX - (x[count - 1] ?? 0), nextY - (y[count - 1] ?? 0))) continue
    x[count] = nextX
    y[count] = nextY
    count += 1
  }
  const isRepeated = () => isNear((x[0] ?? 0) - (x[count - 1] ?? 0), (y[0] ?? 0) - (y[count - 1] ?? 0))
  while (isClosed && count > 1 && isRepeated()) count -= 1
  return measureSegments(x, y, count)
}

function measureSegments(x: Float64Array, y: Float64Array, count: number): Vertices {
  const [dirX, dirY, length] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)]
  for (let at = 0; at < count; at += 1) {
    const next = at + 1 === count ? 0 : at + 1
    const [dx, dy] = [(x[next] ?? 0) - (x[at] ?? 0), (y[next] ?? 0) - (y[at] ?? 0)]
    const distance = Math.hypot(dx, dy) || 1
    dirX[at] = dx / distance
    dirY[at] = dy / distance
    length[at] = distance
  }
  return { count, x, y, dirX, dirY, length }
}

const isNear = (dx: number, dy: number) => Math.abs(dx) < minDistance && Math.abs(dy) < minDistance

/** A corner: its position, and the segments before and after it in the direction of drawing. */
interface Corner {
  readonly x: number
  readonly y: number
  readonly inX: number
  readonly inY: number
  readonly inLength: number
  readonly outX: number
  readonly outY: number
  readonly outLength: number
}

class Stroker {
  readonly #sink: OutlineSink
  readonly #pen: Pen
  readonly #half: number
  /** Angle between two positions of an arc. */
  readonly #arcStep: number
  #isStarted = false

  constructor(sink: OutlineSink, pen: Pen, half: number) {
    this.#sink = sink
    this.#pen = pen
    this.#half = half
    this.#arcStep = Math.max(0.03, 2 * Math.acos(Math.max(0, 1 - arcTolerance / half)))
  }

  /** Draws the left side forward, a cap, the right side backward, and a cap. */
  open(vertices: Vertices): void {
    const { count, x, y, dirX, dirY } = vertices
    const last = count - 1
    this.#cap({ x: x[0] ?? 0, y: y[0] ?? 0, dirX: -(dirX[0] ?? 0), dirY: -(dirY[0] ?? 0) })
    for (let at = 1; at < last; at += 1) this.#join(cornerAt(vertices, at - 1, at))
    this.#cap({ x: x[last] ?? 0, y: y[last] ?? 0, dirX: dirX[last - 1] ?? 0, dirY: dirY[last - 1] ?? 0 })
    for (let at = last - 1; at > 0; at -= 1) this.#join(reverse(cornerAt(vertices, at - 1, at)))
    this.#finish()
  }

  ring(vertices: Vertices): void {
    const { count } = vertices
    for (let at = 0; at < count; at += 1) this.#join(cornerAt(vertices, at === 0 ? count - 1 : at - 1, at))
    this.#finish()
    for (let at = count - 1; at >= 0; at -= 1)
      this.#join(reverse(cornerAt(vertices, at === 0 ? count - 1 : at - 1, at)))
    this.#finish()
  }

  /** Draws a line without length, which is visible only if its caps extend it. */
  dot(x: number, y: number): void {
    if (this.#pen.cap === 'flat') return
    this.#cap({ x, y, dirX: -1, dirY: 0 })
    this.#cap({ x, y, dirX: 1, dirY: 0 })
    this.#finish()
  }

  #add(x: number, y: number): void {
    if (this.#isStarted) this.#sink.lineTo(x, y)
    else this.#sink.moveTo(x, y)
    this.#isStarted = true
  }

  #finish(): void {
    this.#sink.close()
    this.#isStarted = false
  }

  /** Draws the end of a line that runs in a direction, from its left to its right side. */
  #cap({ x, y, dirX, dirY }: { x: number; y: number; dirX: number; dirY: number }): void {
    const half = this.#half
    const [leftX, leftY] = [dirY * half, -dirX * half]
    if (this.#pen.cap === 'round') {
      const angle = Math.atan2(leftY, leftX)
      this.#arc({ x, y, from: angle, to: angle + Math.PI })
      return
    }
    const reach = this.#pen.cap === 'square' ? half : 0
    this.#add(x + leftX + dirX * reach, y + leftY + dirY * reach)
    this.#add(x - leftX + dirX * reach, y - leftY + dirY * reach)
  }

  /** Draws the left side of a corner. */
  #join(corner: Corner): void {
    const { x, y, inX, inY, outX, outY } = corner
    const half = this.#half
    const turn = inX * outY - inY * outX
    const along = inX * outX + inY * outY
    // Almost straight: one position is enough.
    if (along > 0 && Math.abs(turn) * half < arcTolerance / 4) {
      this.#add(x + ((inY + outY) / 2) * half, y - ((inX + outX) / 2) * half)
      return
    }
    if (turn < 0) this.#innerJoin(corner, along)
    else this.#outerJoin(corner, turn, along)
  }

  #outerJoin(corner: Corner, turn: number, along: number): void {
    const { join, miterLimit } = this.#pen
    const { x, y, inX, inY } = corner
    if (join === 'round') {
      const from = Math.atan2(-inX, inY)
      this.#arc({ x, y, from, to: from + Math.abs(Math.atan2(turn, along)) })
      return
    }
    // 1 + cos of the turn is twice the square of the width over the miter.
    if (join === 'miter' && 2 <= miterLimit * miterLimit * (1 + along)) this.#addMiter(corner, along)
    else this.#addBevel(corner)
  }

  /** Draws the inner side of a corner: where the offset segments meet, unless one is too short. */
  #innerJoin(corner: Corner, along: number): void {
    const { inLength, outLength } = corner
    const reach = this.#half * Math.sqrt((1 - along) / (1 + along))
    if (reach <= Math.min(inLength, outLength)) {
      this.#addMiter(corner, along)
      return
    }
    // Through the corner, so that the loop beyond it lies within the stroke.
    const { x, y, inX, inY, outX, outY } = corner
    this.#add(x + inY * this.#half, y - inX * this.#half)
    this.#add(x, y)
    this.#add(x + outY * this.#half, y - outX * this.#half)
  }

  #addMiter({ x, y, inX, inY, outX, outY }: Corner, along: number): void {
    const scale = this.#half / (1 + along)
    this.#add(x + (inY + outY) * scale, y - (inX + outX) * scale)
  }

  #addBevel({ x, y, inX, inY, outX, outY }: Corner): void {
    this.#add(x + inY * this.#half, y - inX * this.#half)
    this.#add(x + outY * this.#half, y - outX * this.#half)
  }

  #arc({ x, y, from, to }: { x: number; y: number; from: number; to: number }): void {
    const steps = Math.max(1, Math.ceil((to - from) / this.#arcStep))
    for (let step = 0; step <= steps; step += 1) {
      const angle = from + ((to - from) * step) / steps
      this.#add(x + Math.cos(angle) * this.#half, y + Math.sin(angle) * this.#half)
    }
  }
}

function cornerAt({ x, y, dirX, dirY, length }: Vertices, before: number, at: number): Corner {
  return {
    x: x[at] ?? 0,
    y: y[at] ?? 0,
    inX: dirX[before] ?? 0,
    inY: dirY[before] ?? 0,
    inLength: length[before] ?? 0,
    outX: dirX[at] ?? 0,
    outY: dirY[at] ?? 0,
    outLength: length[at] ?? 0,
  }
}

function reverse({ x, y, inX, inY, inLength, outX, outY, outLength }: Corner): Corner {
  return {
    ...{ x, y, inX: -outX, inY: -outY, inLength: outLength },
    ...{ outX: -inX, outY: -inY, outLength: inLength },
  }
}
