import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Sequence } from '../../src/geo/geometry.ts'
import { doubleArea } from '../../src/geo/tile_geometry.ts'
import { clip } from '../support/packed_geometry.ts'
import { tileLines, tilePolygons } from './arbitrary.ts'

const run = { seed: 20_240_505, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 500 }
const box = [1000, 1000, 3000, 3000] as const

const isInBox = (x: number, y: number) => x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3]

/** Tells whether a position is inside of a ring, by the even-odd rule; none of its edges may run through it. */
function isInRing(ring: Sequence, x: number, y: number): boolean {
  let inside = false
  let before = ring.length - 2
  for (let at = 0; at < ring.length; before = at, at += 2) {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = [ring[before], ring[before + 1], ring[at], ring[at + 1]]
    if (y0 > y !== y1 > y && x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)) inside = !inside
  }
  return inside
}

/** Distance from a position to the nearest edge. */
function distanceTo(ring: Sequence, x: number, y: number): number {
  let nearest = Number.POSITIVE_INFINITY
  let before = ring.length - 2
  for (let at = 0; at < ring.length; before = at, at += 2) {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = [ring[before], ring[before + 1], ring[at], ring[at + 1]]
    const [dx, dy] = [x1 - x0, y1 - y0]
    const along = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)))
    nearest = Math.min(nearest, Math.hypot(x0 + along * dx - x, y0 + along * dy - y))
  }
  return nearest
}

describe('clipGeometry', () => {
  test('returns nothing outside the box', () => {
    fc.assert(
      fc.property(fc.oneof(tilePolygons, tileLines), (geometry) => {
        for (const sequence of clip(geometry, box).parts.flat()) {
          for (let at = 0; at < sequence.length; at += 2) {
            expect(isInBox(sequence[at] ?? 0, sequence[at + 1] ?? 0)).toBe(true)
          }
        }
      }),
      run,
    )
  })

  test('preserves the filled area within the box, valid or not', () => {
    const position = fc.tuple(fc.integer({ min: 1003, max: 2996 }), fc.integer({ min: 1003, max: 2996 }))
    const places = fc.array(position, { minLength: 5, maxLength: 5 })
    fc.assert(
      fc.property(tilePolygons, places, ({ parts }, positions) => {
        const rings = parts.flat().filter((ring) => ring.length >= 6)
        for (const ring of rings) {
          const cut = clip({ family: 'POLYGON', parts: [[ring]] }, box).parts[0]?.[0] ?? []
          for (const [x, y] of positions) {
            // Cuts are rounded to whole units.
            if (distanceTo(ring, x + 0.5, y + 0.5) < 2) continue
            expect(isInRing(cut, x + 0.5, y + 0.5)).toBe(isInRing(ring, x + 0.5, y + 0.5))
          }
        }
      }),
      run,
    )
  })

  test('leaves the area that is left of a ring with all of its hidden positions', () => {
    // Mostly outside, so that many successive positions are hidden.
    const coordinate = fc.integer({ min: -3, max: 8 }).map((value) => 700 * value)
    const rings = fc
      .array(coordinate, { minLength: 6, maxLength: 60 })
      .map((flat) => flat.slice(0, flat.length & ~1))
    fc.assert(
      fc.property(rings, (ring) => {
        const cut = clip({ family: 'POLYGON', parts: [[ring]] }, box).parts[0]?.[0] ?? []
        const [minX, minY, maxX, maxY] = box
        const cuts = [
          [0, minX, -1],
          [0, maxX, 1],
          [1, minY, -1],
          [1, maxY, 1],
        ] as const
        const plain = cuts.reduce<readonly number[]>((left, one) => clipPlainly(left, one), ring)
        // Besides edges that lead there and back along a side of the box.
        expect(doubleArea(cut)).toBe(doubleArea(plain))
      }),
      run,
    )
  })

  test('cuts cached geometries, whose runs may be skipped, as any others', () => {
    // Walks, since the positions of long runs are beyond the same side.
    const steps = fc.array(fc.integer({ min: -300, max: 300 }), { minLength: 4, maxLength: 500 })
    const walk = steps.map((flat) => {
      const sequence = flat.slice(0, flat.length & ~1).map((step, at) => (at < 2 ? 1500 + 10 * step : step))
      for (let at = 2; at < sequence.length; at += 1)
        sequence[at] = (sequence[at] ?? 0) + (sequence[at - 2] ?? 0)
      return sequence
    })
    const parts = fc.array(fc.array(walk, { minLength: 1, maxLength: 4 }), { maxLength: 4 })
    fc.assert(
      fc.property(fc.constantFrom('POLYGON' as const, 'LINESTRING' as const), parts, (family, parts) => {
        const geometry = { family, parts }
        expect(clip(geometry, box, { isCached: true })).toEqual(clip(geometry, box))
      }),
      run,
    )
  })

  test('keeps every position of a line inside the box', () => {
    fc.assert(
      fc.property(tileLines, ({ parts }) => {
        const given = parts
          .flat()
          .flatMap(pairs)
          .filter(([x = 0, y = 0]) => isInBox(x, y))
        const line = parts.filter((part) => (part[0]?.length ?? 0) >= 4)
        const kept = new Set(
          clip({ family: 'LINESTRING', parts: line }, box).parts.flat().flatMap(pairs).map(String),
        )
        const single = new Set(
          parts
            .filter((part) => (part[0]?.length ?? 0) < 4)
            .flat()
            .flatMap(pairs)
            .map(String),
        )
        for (const pair of given) expect(kept.has(String(pair)) || single.has(String(pair))).toBe(true)
      }),
      run,
    )
  })
})

function pairs(sequence: Sequence): number[][] {
  return Array.from({ length: sequence.length / 2 }, (_, at) => [...sequence.slice(2 * at, 2 * at + 2)])
}

/** Clips a ring at one side of a box, position by position. */
function clipPlainly(
  ring: readonly number[],
  [axis, limit, sign]: readonly [0 | 1, number, 1 | -1],
): number[] {
  const beyond = (place: number[]) => ((place[axis] ?? 0) - limit) * sign
  const positions = pairs(ring)
  return positions.flatMap((position, at) => {
    const before = positions.at(at - 1) ?? position
    const [from, to] = [beyond(before), beyond(position)]
    const crossing = [0, 1].map((one) => {
      const start = before[one] ?? 0
      return Math.round(start + ((position[one] ?? 0) - start) * (from / (from - to)))
    })
    return [...(from > 0 !== to > 0 ? crossing : []), ...(to <= 0 ? position : [])]
  })
}
