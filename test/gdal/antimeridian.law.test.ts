import fc from 'fast-check'
import gdal from 'gdal-async'
import { expect, test } from 'vitest'
import { wrapToWorld } from '../../src/geo/antimeridian.ts'
import type { Geometry } from '../../src/geo/geometry.ts'
import { formatWkt } from '../../src/geo/wkt.ts'
import { findWorld } from '../../src/geo/world.ts'
import { readFileAs } from '../support/vector.ts'

const world = findWorld(4326) ?? expect.fail('no world')

/** Positions of combs whose teeth reach over the antimeridian, touch it, or end before it. */
const combs = fc
  .array(fc.constantFrom(170, 175, 179.5, 180, 180.5, 185, 190), { minLength: 2, maxLength: 8 })
  .map((tips) => {
    const teeth = tips.flatMap((x, at) => [
      [165, 4 * at],
      [x, 4 * at + 1],
      [165, 4 * at + 2],
    ])
    const ring = [[160, 0], ...teeth.slice(1), [160, 4 * tips.length], [160, 0]].flat()
    const hole = [161, 1, 162, 1, 162, 2, 161, 1]
    return { family: 'POLYGON', isMulti: false, hasZ: false, parts: [[ring, hole]] } satisfies Geometry
  })

function turned(geometry: Geometry): Geometry {
  const turn = (ring: readonly number[]) => ring.map((value, at) => (at % 2 === 0 ? 360 - value : value))
  return { ...geometry, parts: geometry.parts.map((part) => part.map(turn)) }
}

test('a valid polygon is valid after it was split at the antimeridian, with the same area', () => {
  fc.assert(
    fc.property(combs, fc.boolean(), fc.constantFrom(0, -360), (comb, isTurned, shift) => {
      const given = isTurned ? turned(comb) : comb
      const moved = (ring: readonly number[]) =>
        ring.map((value, at) => (at % 2 === 0 ? value + shift : value))
      const polygon = { ...given, parts: given.parts.map((part) => part.map(moved)) }
      const before = gdal.Geometry.fromWKT(formatWkt(polygon)) as gdal.Polygon
      const after = gdal.Geometry.fromWKT(formatWkt(wrapToWorld(polygon, world))) as gdal.MultiPolygon
      expect(before.isValid()).toBe(true)
      expect(after.isValid(), after.toWKT()).toBe(true)
      expect(after.getArea()).toBeCloseTo(before.getArea(), 6)
    }),
    { seed: 20_261_128, numRuns: process.env.LANDFORM_SOAK ? 10_000 : 500 },
  )
})

test('the positions of a table in degrees have their longitude first, also where one is refused', async () => {
  const table = 'WKT,name\nPOINT(100 50),a\nPOINT(10 95),b\n'
  await expect(readFileAs('a.csv', table)).rejects.toMatchObject({
    message: expect.stringContaining('feature 2 is not in longitude and latitude'),
  })
})
