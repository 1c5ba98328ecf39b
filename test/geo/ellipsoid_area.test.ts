import { expect, test } from 'vitest'
import { ellipsoidArea } from '../../src/geo/ellipsoid_area.ts'

const box = (west: number, south: number, east: number, north: number) => [
  west,
  south,
  east,
  south,
  east,
  north,
  west,
  north,
  west,
  south,
]

test('the world has the area of the ellipsoid', () => {
  expect(ellipsoidArea([[box(-180, -90, 180, 90)]]) / 1e12).toBeCloseTo(510.0656, 3)
})

/** Integrates the area element of WGS 84 over a degree of longitude, in thin bands. */
function bandArea(south: number, north: number): number {
  const steps = 10_000
  const [step, squared] = [(north - south) / steps, 0.006_694_379_990_14]
  const bands = Array.from({ length: steps }, (_, at) => {
    const lat = ((south + (at + 0.5) * step) * Math.PI) / 180
    return Math.cos(lat) / (1 - squared * Math.sin(lat) ** 2) ** 2
  })
  const sum = bands.reduce((total, band) => total + band, 0)
  return 6_378_137 ** 2 * (1 - squared) * sum * step * (Math.PI / 180) ** 2
}

test.each([
  [0, 1],
  [60, 61],
  [-80, -20],
])('a box from %d° to %d° has the area between the parallels, in either direction', (south, north) => {
  const expected = bandArea(south, north) / 1e6
  expect(ellipsoidArea([[box(10, south, 11, north)]]) / 1e6).toBeCloseTo(expected, 2)
  expect(ellipsoidArea([[box(11, south, 10, north)]]) / 1e6).toBeCloseTo(expected, 2)
})

test('holes are not part of the area, all parts are', () => {
  const one = ellipsoidArea([[box(0, 0, 1, 1)]])
  const parts = [[box(0, 0, 2, 1), box(0, 0, 1, 1)], [box(5, 0, 6, 1)]]
  expect(ellipsoidArea(parts)).toBeCloseTo(2 * one, 0)
})
