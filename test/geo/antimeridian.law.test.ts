import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutAtAntimeridian, wrapToWorld } from '../../src/geo/antimeridian.ts'
import { byteSequenceOf, numbersOf } from '../../src/geo/byte_geometry.ts'
import type { Geometry, Part } from '../../src/geo/geometry.ts'
import { findWorld } from '../../src/geo/world.ts'

const run = { seed: 20_261_128, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 1000 }
const world = findWorld(4326) ?? expect.fail('no world')

/** A polygon around a position, whose outline and hole are seen from there in full. */
const stars = fc
  .record({
    x: fc.double({ min: -359, max: 359, noNaN: true }),
    reach: fc.double({ min: 0.5, max: 170, noNaN: true }),
    radii: fc.array(fc.double({ min: 0.3, max: 1, noNaN: true }), { minLength: 4, maxLength: 12 }),
    hasHole: fc.boolean(),
  })
  .map(({ x, reach, radii, hasHole }): Geometry => {
    const corners = radii.map((radius, at) => {
      const angle = (2 * Math.PI * at) / radii.length
      return [Math.cos(angle) * radius, Math.sin(angle) * radius] as const
    })
    const ring = (scale: number) =>
      [...corners, corners[0] ?? [0, 0]].flatMap(([dx, dy]) => [
        x + dx * reach * scale,
        dy * Math.min(80, reach) * scale,
      ])
    return {
      family: 'POLYGON',
      isMulti: false,
      hasZ: false,
      parts: [[ring(1), ...(hasHole ? [ring(0.5)] : [])]],
    }
  })

const boxes = fc
  .record({
    west: fc.integer({ min: -360, max: 200 }),
    width: fc.integer({ min: 1, max: 340 }),
    south: fc.integer({ min: -90, max: 0 }),
    north: fc.integer({ min: 1, max: 90 }),
  })
  .map(({ west, width, south, north }) => boxOf([west, south, west + width, north]))

function boxOf([west, south, east, north]: readonly [number, number, number, number]): Geometry {
  const ring = [west, south, east, south, east, north, west, north, west, south]
  return { family: 'POLYGON', isMulti: false, hasZ: false, parts: [[ring]] }
}

const lines = fc
  .array(fc.tuple(fc.integer({ min: -5400, max: 5400 }), fc.integer({ min: -90, max: 90 })), {
    minLength: 2,
    maxLength: 6,
  })
  .map((positions): Geometry => {
    const line = positions.flatMap(([x, y]) => [x / 10, y])
    return { family: 'LINESTRING', isMulti: false, hasZ: false, parts: [[line]] }
  })

function shifted(geometry: Geometry, by: number): Geometry {
  const move = (part: Part) =>
    part.map((ring) => ring.map((value, at) => (at % 2 === 0 ? value + by : value)))
  return { ...geometry, parts: geometry.parts.map(move) }
}

const ringsOf = ({ parts }: Geometry) => parts.flat()

function areaOf({ parts }: Geometry): number {
  const area = (ring: readonly number[]) => {
    let doubled = 0
    for (let at = 0; at + 3 < ring.length; at += 2)
      doubled += (ring[at] ?? 0) * (ring[at + 3] ?? 0) - (ring[at + 2] ?? 0) * (ring[at + 1] ?? 0)
    return Math.abs(doubled / 2)
  }
  const areas = parts.map(([outer = [], ...holes]) =>
    holes.reduce((sum, hole) => sum - area(hole), area(outer)),
  )
  return areas.reduce((sum, one) => sum + one, 0)
}

function lengthOf(geometry: Geometry): number {
  let length = 0
  for (const line of ringsOf(geometry))
    for (let at = 2; at < line.length; at += 2)
      length += Math.hypot((line[at] ?? 0) - (line[at - 2] ?? 0), (line[at + 1] ?? 0) - (line[at - 1] ?? 0))
  return length
}

/** Returns whether a position is inside, by the even-odd rule. */
function isInside(geometry: Geometry, [x, y]: readonly [number, number]): boolean {
  let inside = false
  for (const ring of ringsOf(geometry))
    for (let at = 2; at < ring.length; at += 2) {
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = [ring[at - 2], ring[at - 1], ring[at], ring[at + 1]]
      if (y0 > y !== y1 > y && x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)) inside = !inside
    }
  return inside
}

function expectOnMap(geometry: Geometry): void {
  const beyond = ringsOf(geometry).flatMap((ring) =>
    ring.filter((x, at) => at % 2 === 0 && Math.abs(x) > 180),
  )
  expect(beyond).toEqual([])
}

/** Positions with fractions that no edge of a box has. */
const position = fc.tuple(
  fc.integer({ min: -180, max: 179 }).map((x) => x + 0.123_456),
  fc.integer({ min: -90, max: 89 }).map((y) => y + 0.654_321),
)

describe('wrapToWorld', () => {
  test('keeps area and place of polygons, in whichever copy of the world they are given', () => {
    fc.assert(
      fc.property(fc.oneof(stars, boxes), fc.array(position, { maxLength: 8 }), (polygon, positions) => {
        const wrapped = wrapToWorld(polygon, world)
        expectOnMap(wrapped)
        expect(areaOf(wrapped)).toBeCloseTo(areaOf(polygon), 5)
        for (const [x, y] of positions) {
          const expected = [-360, 0, 360].some((turn) => isInside(polygon, [x + turn, y]))
          expect(isInside(wrapped, [x, y])).toBe(expected)
        }
      }),
      run,
    )
  })

  test('of a polygon that is shifted by 360 degrees is the same', () => {
    fc.assert(
      fc.property(
        fc.oneof(stars, boxes),
        fc.constantFrom(-360, 360),
        fc.array(position),
        (polygon, by, positions) => {
          const other = shifted(polygon, by)
          fc.pre(ringsOf(other).every((ring) => ring.every((x, at) => at % 2 === 1 || Math.abs(x) <= 540)))
          const [one, same] = [polygon, other].map((each) => wrapToWorld(each, world))
          for (const place of positions)
            expect(isInside(one ?? polygon, place)).toBe(isInside(same ?? other, place))
        },
      ),
      run,
    )
  })

  test('keeps the length of lines', () => {
    fc.assert(
      fc.property(lines, (line) => {
        const wrapped = wrapToWorld(line, world)
        expectOnMap(wrapped)
        expect(lengthOf(wrapped)).toBeCloseTo(lengthOf(line), 6)
        expect(wrapped.parts.every(([part = []]) => part.length >= 4)).toBe(true)
      }),
      run,
    )
  })

  test('of what is on the map is the same object', () => {
    fc.assert(
      fc.property(fc.oneof(stars, boxes, lines), (geometry) => {
        const wrapped = wrapToWorld(geometry, world)
        expect(wrapToWorld(wrapped, world)).toBe(wrapped)
      }),
      run,
    )
  })

  test('of a box around the world is the world, wherever it begins', () => {
    fc.assert(
      fc.property(fc.integer({ min: -180, max: 180 }), (west) => {
        const wrapped = wrapToWorld(boxOf([west, -90, west + 360, 90]), world)
        expect(wrapped).toEqual(boxOf([-180, -90, 180, 90]))
      }),
      run,
    )
  })
})

describe('cutAtAntimeridian', () => {
  test('gives what the polygon was before each of its longitudes was wrapped', () => {
    const wrap = (x: number) => x - 360 * Math.round(x / 360)
    fc.assert(
      fc.property(stars, (polygon) => {
        const [[outer = []] = []] = polygon.parts
        fc.pre(outer.every((x, at) => at % 2 === 1 || at < 2 || Math.abs(x - (outer[at - 2] ?? x)) < 179))
        const bytes = polygon.parts.map((part) =>
          part.map((ring) =>
            byteSequenceOf(
              ring.map((x, at) => (at % 2 === 0 ? wrap(x) : x)),
              2,
            ),
          ),
        )
        const cut = cutAtAntimeridian({ ...polygon, parts: bytes }, world)
        const numbers = { ...polygon, parts: cut.parts.map((part) => part.map(numbersOf)) }
        expectOnMap(numbers)
        expect(areaOf(numbers)).toBeCloseTo(areaOf(polygon), 5)
      }),
      run,
    )
  })
})
