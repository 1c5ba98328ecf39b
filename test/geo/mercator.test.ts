import { describe, expect, test } from 'vitest'
import { lonLatBbox, lonLatOfMercator, mercatorHalfWorld, mercatorOfLonLat } from '../../src/geo/mercator.ts'

describe('mercator', () => {
  test('agrees with PROJ', () => {
    // ST_Transform of PostGIS 3.3
    const [x, y] = mercatorOfLonLat(37.6176, 55.7558)
    expect(x).toBeCloseTo(4187572.076865, 5)
    expect(y).toBeCloseTo(7509955.142338, 5)
  })

  test('converts in both directions without loss', () => {
    const [lon, lat] = lonLatOfMercator(...mercatorOfLonLat(-120.5, 81.25))
    expect(lon).toBeCloseTo(-120.5, 12)
    expect(lat).toBeCloseTo(81.25, 12)
  })

  test('puts the corners of the world at the square latitude', () => {
    const [west, south, east, north] = lonLatBbox([
      -mercatorHalfWorld,
      -mercatorHalfWorld,
      mercatorHalfWorld,
      mercatorHalfWorld,
    ])
    expect([west, east]).toEqual([-180, 180])
    expect(north).toBeCloseTo(85.0511287798, 9)
    expect(south).toBe(-north)
    expect(mercatorOfLonLat(0, 90)[1]).toBeCloseTo(mercatorHalfWorld, 6)
  })
})
