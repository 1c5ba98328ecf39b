import type { PixelGeometry } from '../draw/pixel_geometry.ts'
import type { LabelSpec } from './label_spec.ts'

/** Lines whose labels are equal. */
interface EqualLines<P> {
  readonly spec: LabelSpec
  /** That of the first of them. */
  readonly place: P
  readonly lines: Float64Array[]
}

/** Lines of a layer that have one label where they meet. */
export class MergedLines<P> {
  readonly #groups = new Map<string, EqualLines<P>>()

  /** Adds the lines of a feature, with its place in the order of drawing. */
  add(spec: LabelSpec, { parts }: PixelGeometry, place: P): void {
    const key = JSON.stringify(spec)
    const group = this.#groups.get(key) ?? { spec, place, lines: [] }
    this.#groups.set(key, group)
    for (const part of parts) for (const line of part) if (line.length >= 4) group.lines.push(line)
  }

  /** Returns each line that was joined from others, or met none, as a geometry of its own. */
  *join(): Generator<Omit<EqualLines<P>, 'lines'> & { readonly geometry: PixelGeometry }> {
    for (const { spec, place, lines } of this.#groups.values())
      for (const line of joinLines(lines))
        yield { spec, place, geometry: { family: 'LINESTRING', parts: [[line]] } }
  }
}

/** An end of a line: its index, and whether it is the last position. */
interface End {
  readonly line: number
  readonly isLast: boolean
}

type Pairs = ReadonlyMap<number, End>

const endKey = ({ line, isLast }: End) => 2 * line + (isLast ? 1 : 0)

/** Maximum number of lines that are joined at a position: where more meet, none is. */
const maxEnds = 16

const positionOf = (positions: Float64Array, at: number) =>
  [positions[at] ?? 0, positions[at + 1] ?? 0] as const

interface Chain {
  readonly next: Pairs
  readonly used: Set<number>
}

/**
 * Joins lines that begin or end at the same position. Where more than two meet, the straightest pair is joined first. A line that is
 * not joined is returned as it is.
 */
export function joinLines(lines: readonly Float64Array[]): Float64Array[] {
  const next = pairEnds(lines)
  const used = new Set<number>()
  const joined: Float64Array[] = []
  // Chains start where nothing follows; rings start anywhere.
  for (const isRing of [false, true])
    for (const line of lines.keys()) {
      if (used.has(line)) continue
      const start = [false, true].find((isLast) => !next.has(endKey({ line, isLast })))
      if (isRing || start !== undefined)
        joined.push(followChain(lines, { line, isLast: start ?? false }, { next, used }))
    }
  return joined
}

/** Finds which ends are joined. */
function pairEnds(lines: readonly Float64Array[]): Pairs {
  const nodes = new Map<string, End[]>()
  for (const [line, positions] of lines.entries())
    for (const isLast of [false, true]) {
      const [x, y] = positionOf(positions, isLast ? positions.length - 2 : 0)
      const key = `${x} ${y}`
      nodes.set(key, [...(nodes.get(key) ?? []), { line, isLast }])
    }
  const pairs = new Map<number, End>()
  for (const ends of nodes.values()) {
    if (ends.length < 2 || ends.length > maxEnds) continue
    for (const [one, other] of straightestFirst(lines, ends)) {
      if (pairs.has(endKey(one)) || pairs.has(endKey(other))) continue
      pairs.set(endKey(one), other)
      pairs.set(endKey(other), one)
    }
  }
  return pairs
}

function straightestFirst(lines: readonly Float64Array[], ends: readonly End[]): (readonly [End, End])[] {
  const directions = ends.map(({ line, isLast }) => directionFrom(lines[line] ?? new Float64Array(), isLast))
  const pairs = ends.flatMap((one, at) =>
    ends.slice(at + 1).map((other, after) => {
      const [x0 = 0, y0 = 0] = directions[at] ?? []
      const [x1 = 0, y1 = 0] = directions[at + 1 + after] ?? []
      // -1 for lines that go on straight.
      return { pair: [one, other] as const, bend: x0 * x1 + y0 * y1 }
    }),
  )
  return pairs.sort((a, b) => a.bend - b.bend).map(({ pair }) => pair)
}

/** Returns the direction in which a line leaves one of its ends, as a vector of length 1. */
function directionFrom(positions: Float64Array, isLast: boolean): readonly [x: number, y: number] {
  const step = isLast ? -2 : 2
  const start = isLast ? positions.length - 2 : 0
  const [x0, y0] = positionOf(positions, start)
  const [x1, y1] = positionOf(positions, start + step)
  const length = Math.hypot(x1 - x0, y1 - y0) || 1
  return [(x1 - x0) / length, (y1 - y0) / length]
}

/** Returns the positions of the lines of a chain, from an end on; marks them as used. */
function followChain(lines: readonly Float64Array[], start: End, { next, used }: Chain): Float64Array {
  const pieces: Float64Array[] = []
  let end: End | undefined = start
  while (end !== undefined && !used.has(end.line)) {
    used.add(end.line)
    const positions: Float64Array = lines[end.line] ?? new Float64Array()
    pieces.push(end.isLast ? reversed(positions) : positions)
    end = next.get(endKey({ line: end.line, isLast: !end.isLast }))
  }
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined && !start.isLast) return only
  // Each line begins where the last one ends.
  const values = pieces.flatMap((piece, at) => [...(at === 0 ? piece : piece.subarray(2))])
  return Float64Array.from(values)
}

function reversed(positions: Float64Array): Float64Array {
  const turned = new Float64Array(positions.length)
  for (let at = 0; at < positions.length; at += 2) {
    turned[at] = positions[positions.length - 2 - at] ?? 0
    turned[at + 1] = positions[positions.length - 1 - at] ?? 0
  }
  return turned
}
