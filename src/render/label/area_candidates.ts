import { intersectSpans, type PixelPart, partBounds, type RowSpan, spansAt } from './part_measure.ts'
import { type Candidate, straightCandidate, type TextBlock } from './text_block.ts'

/** Number of rows of a polygon that are searched, and of places that are tried. */
const limits = { rows: 21, candidates: 16 }

/** Heights of a text at which it has to have room, as shares from its middle: holes of half its height are seen. */
const heights = [-0.5, 0, 0.5, -0.25, 0.25] as const

/** Shifts of a text out of the middle of its room, as shares of what is left of it. */
const shifts = [-0.25, 0.25, -0.5, 0.5] as const

/** A place in a polygon where a text has some room. */
export interface AreaPlace {
  readonly x: number
  readonly y: number
  /** Free width for a text of the height that was asked for. */
  readonly width: number
}

/** Lists places for a horizontal text in a polygon: those with enough room near the middle first. */
export function findAreaPlaces(part: PixelPart, [width, height]: readonly [number, number]): AreaPlace[] {
  const [, minY, , maxY] = partBounds(part)
  const middle = (minY + maxY) / 2
  const places = Array.from({ length: limits.rows }, (_, row) => {
    const y = minY + ((row + 0.5) / limits.rows) * (maxY - minY)
    const spans = heights.map((share) => spansAt(part, y + share * height))
    return spans.reduce(intersectSpans).map((span) => placeOf(span, y))
  }).flat()
  const worth = (place: AreaPlace) => Math.min(place.width, 1.5 * width) - 0.4 * Math.abs(place.y - middle)
  return places.sort((a, b) => worth(b) - worth(a)).slice(0, limits.candidates)
}

/** Returns a position inside of a polygon: the middle of the widest span of a row near the middle. */
export function findInnerPoint(part: PixelPart): readonly [x: number, y: number] | undefined {
  const [, minY, , maxY] = partBounds(part)
  let best: AreaPlace | undefined
  for (const share of [0.5, 0.4, 0.6, 0.25, 0.75, 0.1, 0.9]) {
    const y = minY + share * (maxY - minY)
    for (const span of spansAt(part, y)) {
      const place = placeOf(span, y)
      if (best === undefined || place.width > 1.25 * best.width) best = place
    }
  }
  return best && [best.x, best.y]
}

const placeOf = ({ start, end }: RowSpan, y: number): AreaPlace => ({
  x: (start + end) / 2,
  y,
  width: end - start,
})

/** Returns the centroid of a polygon if it lies inside, otherwise a position that does. */
export function findAreaAnchor(part: PixelPart): readonly [x: number, y: number] | undefined {
  const centroid = ringCentroid(part[0] ?? new Float64Array())
  if (centroid !== undefined && isInPart(part, centroid)) return centroid
  return findInnerPoint(part)
}

/** Reports whether a position lies in a polygon. */
function isInPart(part: PixelPart, [x, y]: readonly [number, number]): boolean {
  return spansAt(part, y).some(({ start, end }) => x >= start && x <= end)
}

/** Returns the centroid of a ring; undefined without an area. */
export function ringCentroid(ring: Float64Array): readonly [number, number] | undefined {
  const [x0, y0] = [ring[0] ?? 0, ring[1] ?? 0]
  let [area, sumX, sumY] = [0, 0, 0]
  for (let at = 0; at + 3 < ring.length; at += 2) {
    const [ax, ay] = [(ring[at] ?? 0) - x0, (ring[at + 1] ?? 0) - y0]
    const [bx, by] = [(ring[at + 2] ?? 0) - x0, (ring[at + 3] ?? 0) - y0]
    const cross = ax * by - bx * ay
    area += cross
    sumX += (ax + bx) * cross
    sumY += (ay + by) * cross
  }
  return area === 0 ? undefined : [x0 + sumX / (3 * area), y0 + sumY / (3 * area)]
}

/**
 * Lists the places of a label in a polygon where it lies inside: in the middle of the room first, then beside. Without one, the
 * label may extend beyond the edges of a polygon that is complete.
 */
export function* areaCandidates(
  block: TextBlock,
  { part, isWhole }: { readonly part: PixelPart; readonly isWhole: boolean },
  shift: readonly [dx: number, dy: number],
): Generator<Candidate> {
  const size = [block.width + 2 * block.margin, block.height + 2 * block.margin] as const
  const at = (x: number, y: number) => straightCandidate(block, [x + shift[0], y + shift[1]])
  const inside = findAreaPlaces(part, size).filter(({ width }) => width >= size[0])
  for (const { x, y } of inside) yield at(x, y)
  for (const { x, y, width } of inside) for (const share of shifts) yield at(x + share * (width - size[0]), y)
  if (inside.length > 0) return
  const point = isWhole ? findAreaAnchor(part) : undefined
  if (point !== undefined) yield at(point[0], point[1])
}
