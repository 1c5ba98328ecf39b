import type { LineCap, LineJoin } from '../../style/symbol_layer.ts'
import type { CoverageBuffer } from './coverage.ts'

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
export function strokeLine(coverage: CoverageBuffer, line: StrokeLine, pen: Pen): void {
  const vertices = readVertices(line)
  if (pen.width <= 0) {
    addHairline(coverage, vertices, line.isClosed)
    return
  }
  const stroker = new Stroker(coverage, pen, vertices)
  if (vertices.count === 1) stroker.dot()
  else if (line.isClosed && vertices.count > 2) stroker.ring()
  else if (vertices.count > 1) stroker.open()
}

/**
 * Adds a hairline: one pixel high where the line is flat, one pixel wide where it is steep, as the lines of width 0 of Qt. All
 * parts have the same orientation, so that none is lost where they overlap.
 */
function addHairline(coverage: CoverageBuffer, { count, values }: Vertices, isClosed: boolean): void {
  for (let at = 0; at < (isClosed && count > 2 ? count : count - 1); at += 1) {
    const next = at + 1 === count ? 0 : at + 1
    coverage.addContour(hairlineOf(values, vertexSize * at, vertexSize * next))
  }
}

const hairline = new Float64Array(8)

/** Returns the contour of a segment of a hairline; the same array for all. */
function hairlineOf(values: Float64Array, start: number, end: number): Float64Array {
  const ax = values[start + vertex.x] ?? 0
  const ay = values[start + vertex.y] ?? 0
  const bx = values[end + vertex.x] ?? 0
  const by = values[end + vertex.y] ?? 0
  const isFlat = Math.abs(bx - ax) >= Math.abs(by - ay)
  const isForward = isFlat ? bx > ax : by > ay
  const fromX = isForward ? ax : bx
  const fromY = isForward ? ay : by
  const toX = isForward ? bx : ax
  const toY = isForward ? by : ay
  const dx = isFlat ? 0 : 0.5
  const dy = isFlat ? -0.5 : 0
  hairline[0] = fromX + dx
  hairline[1] = fromY + dy
  hairline[2] = toX + dx
  hairline[3] = toY + dy
  hairline[4] = toX - dx
  hairline[5] = toY - dy
  hairline[6] = fromX - dx
  hairline[7] = fromY - dy
  return hairline
}

/** Distinct vertices of a line. */
interface Vertices {
  readonly count: number
  /** Several values of each vertex, see `vertex`. */
  readonly values: Float64Array
}

/** Places of the values of a vertex: its position, and direction and length of the segment that starts at it. */
const vertex = { x: 0, y: 1, dirX: 2, dirY: 3, length: 4 } as const

const vertexSize = 5

/** Memory for the vertices of the lines that are not very long. */
const knownVertices = new Float64Array(vertexSize * 2 ** 12)

function readVertices({ coordinates, isClosed }: StrokeLine): Vertices {
  const size = vertexSize * (coordinates.length >>> 1)
  const values = size > knownVertices.length ? new Float64Array(size) : knownVertices
  let end = 0
  for (let at = 0; at + 1 < coordinates.length; at += 2) {
    const x = coordinates[at] ?? 0
    const y = coordinates[at + 1] ?? 0
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue
    const last = end - vertexSize
    if (end > 0 && isNear(x - (values[last] ?? 0), y - (values[last + vertex.y] ?? 0))) continue
    values[end] = x
    values[end + vertex.y] = y
    end += vertexSize
  }
  const isRepeated = (last: number) =>
    isNear((values[0] ?? 0) - (values[last] ?? 0), (values[1] ?? 0) - (values[last + 1] ?? 0))
  while (isClosed && end > vertexSize && isRepeated(end - vertexSize)) end -= vertexSize
  measureSegments(values, end)
  return { count: end / vertexSize, values }
}

function measureSegments(values: Float64Array, end: number): void {
  for (let at = 0; at < end; at += vertexSize) {
    const next = at + vertexSize === end ? 0 : at + vertexSize
    const dx = (values[next + vertex.x] ?? 0) - (values[at + vertex.x] ?? 0)
    const dy = (values[next + vertex.y] ?? 0) - (values[at + vertex.y] ?? 0)
    const root = Math.sqrt(dx * dx + dy * dy)
    // `Math.hypot` is slow, but squares of very large or small numbers exceed the range of numbers.
    const isExact = root > 1e-150 && root < 1e150
    const distance = isExact ? root : Math.hypot(dx, dy) || 1
    values[at + vertex.dirX] = dx / distance
    values[at + vertex.dirY] = dy / distance
    values[at + vertex.length] = distance
  }
}

const isNear = (dx: number, dy: number) => Math.abs(dx) < minDistance && Math.abs(dy) < minDistance

/** Number of values that a corner or an end adds to an outline at most: a half circle has the most positions. */
const cornerSize = 2 ** 8

/** Size from which the memory of an outline is not kept for the next one. */
const maxKept = 2 ** 16

/** A contour that grows, as x and y of its positions. */
class Outline {
  coordinates = new Float64Array(2 ** 12)
  end = 0

  /** Makes room for a corner. */
  reserve(): void {
    if (this.end + cornerSize <= this.coordinates.length) return
    const larger = new Float64Array(2 * this.coordinates.length)
    larger.set(this.coordinates)
    this.coordinates = larger
  }

  /** Adds the contour to a path, and begins the next one. */
  finish(coverage: CoverageBuffer): void {
    coverage.addContour(this.coordinates, this.end)
    this.end = 0
    if (this.coordinates.length > maxKept) this.coordinates = new Float64Array(2 ** 12)
  }
}

const outline = new Outline()

/** Smallest angle between two positions of an arc. */
const minArcStep = 0.03

/**
 * Draws the outline of a line. Methods exchange numbers with fractions in arrays: as arguments, each of them would be an
 * object for the garbage collector, and corners are many.
 */
class Stroker {
  readonly #coverage: CoverageBuffer
  readonly #pen: Pen
  readonly #half: number
  readonly #vertices: Vertices
  /** Angle between two positions of an arc, and its cosine. */
  readonly #arcStep: number
  readonly #arcCosine: number
  /** The corner that is being drawn; see `corner`. */
  readonly #corner = new Float64Array(5)

  constructor(coverage: CoverageBuffer, pen: Pen, vertices: Vertices) {
    this.#coverage = coverage
    this.#pen = pen
    this.#half = pen.width / 2
    this.#vertices = vertices
    this.#arcStep = Math.max(minArcStep, 2 * Math.acos(Math.max(0, 1 - arcTolerance / this.#half)))
    this.#arcCosine = Math.cos(this.#arcStep)
  }

  /** Draws the left side forward, a cap, the right side backward, and a cap. */
  open(): void {
    const last = this.#vertices.count - 1
    this.#cap(0, 0, -1)
    for (let at = 1; at < last; at += 1) this.#join(at - 1, at, 1)
    this.#cap(last, last - 1, 1)
    for (let at = last - 1; at > 0; at -= 1) this.#join(at - 1, at, -1)
    outline.finish(this.#coverage)
  }

  ring(): void {
    const { count } = this.#vertices
    for (let at = 0; at < count; at += 1) this.#join(at === 0 ? count - 1 : at - 1, at, 1)
    outline.finish(this.#coverage)
    for (let at = count - 1; at >= 0; at -= 1) this.#join(at === 0 ? count - 1 : at - 1, at, -1)
    outline.finish(this.#coverage)
  }

  /** Draws a line without length, which is visible only if its caps extend it. */
  dot(): void {
    if (this.#pen.cap === 'flat') return
    this.#vertices.values[vertex.dirX] = 1
    this.#vertices.values[vertex.dirY] = 0
    this.#cap(0, 0, -1)
    this.#cap(0, 0, 1)
    outline.finish(this.#coverage)
  }

  /** Draws the end of a line at a vertex, along a segment or against it, from its left to its right side. */
  #cap(at: number, segment: number, direction: 1 | -1): void {
    outline.reserve()
    const { values } = this.#vertices
    const corner = this.#corner
    const dirX = direction * (values[vertexSize * segment + vertex.dirX] ?? 0)
    const dirY = direction * (values[vertexSize * segment + vertex.dirY] ?? 0)
    corner[place.inX] = dirX
    corner[place.inY] = dirY
    corner[place.outX] = -dirX
    corner[place.outY] = -dirY
    if (this.#pen.cap === 'round') {
      this.#addArc(at, Math.PI)
      return
    }
    this.#addSides(at)
    if (this.#pen.cap === 'flat') return
    const { coordinates, end } = outline
    for (let side = end - 4; side < end; side += 2) {
      coordinates[side] = (coordinates[side] ?? 0) + dirX * this.#half
      coordinates[side + 1] = (coordinates[side + 1] ?? 0) + dirY * this.#half
    }
  }

  /** Draws the left side of a corner between two segments, in the direction of the line or against it. */
  #join(before: number, after: number, direction: 1 | -1): void {
    outline.reserve()
    const { values } = this.#vertices
    const corner = this.#corner
    const first = vertexSize * (direction > 0 ? before : after)
    const second = vertexSize * (direction > 0 ? after : before)
    const inX = direction * (values[first + vertex.dirX] ?? 0)
    const inY = direction * (values[first + vertex.dirY] ?? 0)
    const outX = direction * (values[second + vertex.dirX] ?? 0)
    const outY = direction * (values[second + vertex.dirY] ?? 0)
    const half = this.#half
    const turn = inX * outY - inY * outX
    const along = inX * outX + inY * outY
    corner[place.inX] = inX
    corner[place.inY] = inY
    corner[place.outX] = outX
    corner[place.outY] = outY
    // Almost straight: one position is enough.
    if (along > 0 && Math.abs(turn) * half < arcTolerance / 4) {
      corner[place.scale] = half / 2
      this.#addMiddle(after)
      return
    }
    corner[place.scale] = half / (1 + along)
    if (turn < 0) {
      // Where the offset segments meet, unless one is too short.
      const reach = half * Math.sqrt((1 - along) / (1 + along))
      const room = Math.min(values[first + vertex.length] ?? 0, values[second + vertex.length] ?? 0)
      if (reach <= room) this.#addMiddle(after)
      else this.#addLoop(after)
      return
    }
    const { join, miterLimit } = this.#pen
    // 1 + cos of the turn is twice the square of the width over the miter.
    if (join === 'round' && along < this.#arcCosine) this.#addArc(after, Math.abs(Math.atan2(turn, along)))
    else if (join === 'miter' && 2 <= miterLimit * miterLimit * (1 + along)) this.#addMiddle(after)
    else this.#addSides(after)
  }

  /** Adds the position where both sides of a corner meet. */
  #addMiddle(at: number): void {
    const corner = this.#corner
    const scale = corner[place.scale] ?? 0
    const { coordinates, end } = outline
    const { values } = this.#vertices
    const x = values[vertexSize * at] ?? 0
    const y = values[vertexSize * at + vertex.y] ?? 0
    coordinates[end] = x + ((corner[place.inY] ?? 0) + (corner[place.outY] ?? 0)) * scale
    coordinates[end + 1] = y - ((corner[place.inX] ?? 0) + (corner[place.outX] ?? 0)) * scale
    outline.end = end + 2
  }

  /** Adds the end of one side of a corner and the start of the other. */
  #addSides(at: number): void {
    const corner = this.#corner
    const half = this.#half
    const { coordinates, end } = outline
    const { values } = this.#vertices
    const x = values[vertexSize * at] ?? 0
    const y = values[vertexSize * at + vertex.y] ?? 0
    coordinates[end] = x + (corner[place.inY] ?? 0) * half
    coordinates[end + 1] = y - (corner[place.inX] ?? 0) * half
    coordinates[end + 2] = x + (corner[place.outY] ?? 0) * half
    coordinates[end + 3] = y - (corner[place.outX] ?? 0) * half
    outline.end = end + 4
  }

  /** Adds both sides of a corner and the corner between them, so that the loop beyond it lies within the stroke. */
  #addLoop(at: number): void {
    this.#addSides(at)
    const { coordinates, end } = outline
    const { values } = this.#vertices
    coordinates[end] = coordinates[end - 2] ?? 0
    coordinates[end + 1] = coordinates[end - 1] ?? 0
    coordinates[end - 2] = values[vertexSize * at] ?? 0
    coordinates[end - 1] = values[vertexSize * at + vertex.y] ?? 0
    outline.end = end + 2
  }

  /** Adds an arc from one side of a corner to the other. */
  #addArc(at: number, angle: number): void {
    const corner = this.#corner
    const half = this.#half
    const { coordinates } = outline
    const { values } = this.#vertices
    const x = values[vertexSize * at] ?? 0
    const y = values[vertexSize * at + vertex.y] ?? 0
    const steps = Math.max(1, Math.ceil(angle / this.#arcStep))
    const cos = Math.cos(angle / steps)
    const sin = Math.sin(angle / steps)
    let dx = corner[place.inY] ?? 0
    let dy = -(corner[place.inX] ?? 0)
    let end = outline.end
    for (let step = 0; step < steps; step += 1) {
      coordinates[end] = x + dx * half
      coordinates[end + 1] = y + dy * half
      end += 2
      const turned = dx * cos - dy * sin
      dy = dx * sin + dy * cos
      dx = turned
    }
    coordinates[end] = x + (corner[place.outY] ?? 0) * half
    coordinates[end + 1] = y - (corner[place.outX] ?? 0) * half
    outline.end = end + 2
  }
}

/** Places of the values of a corner: directions of the segments before and after it, and how far their sides meet from it. */
const place = { inX: 0, inY: 1, outX: 2, outY: 3, scale: 4 } as const
