import { describe, expect, test } from 'vitest'
import { boundaryText, canonicalBoundary, formatBox, parseBoundary } from '../../src/geo/boundary.ts'

describe('a boundary', () => {
  test.each(['POLYGON((0 0,1 0,1 1,0 0))', 'SRID=4326; multipolygon (((0 0, 190 0, 190 90, 0 0)))'])(
    'is accepted: %s',
    (text) => {
      expect(parseBoundary(text).srs).toBe(4326)
    },
  )

  test.each([
    ['POINT(1 1)', 'a boundary is a POLYGON or a MULTIPOLYGON'],
    ['POLYGON Z((0 0 1,1 0 1,1 1 1,0 0 1))', 'two coordinates a position'],
    ['POLYGON EMPTY', 'a boundary is a POLYGON or a MULTIPOLYGON'],
    ['POLYGON((0 0,1 0,1 91,0 0))', '91 is not a valid y in EPSG:4326'],
    ['POLYGON((0 0,-541 0,1 9,0 0))', '-541 is not a valid x in EPSG:4326'],
    ['POLYGON((0 0,1 0', 'expected ")" at character 17'],
    ['{"type":"Point","coordinates":[1,1]}', 'a boundary is a POLYGON or a MULTIPOLYGON'],
    ['{"type":"Polygon"', 'invalid GeoJSON'],
    ['{"type":"FeatureCollection","features":[]}', 'a boundary is a POLYGON or a MULTIPOLYGON'],
    ['{"type":"Feature","geometry":null}', 'expected an object with type and coordinates'],
  ])('refuses %s', (text, reason) => {
    expect(() => parseBoundary(text)).toThrow(expect.objectContaining({ code: 'feature/invalid' }))
    expect(() => parseBoundary(text)).toThrow(reason)
  })

  test('may leave the range of degrees in another reference system', () => {
    expect(parseBoundary('SRID=3857;POLYGON((0 0,1000 0,1000 1000,0 0))').srs).toBe(3857)
  })
})

describe('a boundary in GeoJSON', () => {
  const polygon = (x: number) => ({
    type: 'Polygon',
    coordinates: [
      [
        [x, 0],
        [x + 1, 0],
        [x + 1, 1],
        [x, 0],
      ],
    ],
  })
  const feature = (x: number) => ({ type: 'Feature', properties: {}, geometry: polygon(x) })
  const first = '((0 0,1 0,1 1,0 0))'

  test.each([
    ['geometry', polygon(0), `POLYGON${first}`],
    ['feature', feature(0), `POLYGON${first}`],
    [
      'collection',
      { type: 'FeatureCollection', features: [feature(0), feature(5)] },
      `MULTIPOLYGON(${first},((5 0,6 0,6 1,5 0)))`,
    ],
  ])('is accepted as a %s', (_, value, wkt) => {
    const text = JSON.stringify(value)
    expect(boundaryText(text)).toBe(wkt)
    expect(parseBoundary(text)).toEqual(parseBoundary(wkt))
  })
})

describe('the canonical form of a boundary', () => {
  test.each([
    'POLYGON((0 0,1 0,1 1,0 0))',
    'polygon ((0.0 -0, 1 0, 1e0 1, 0 0))',
    'SRID=4326;MULTIPOLYGON (((0 0, 1 0, 1 1)))',
  ])('ignores the spelling: %s', (text) => {
    expect(canonicalBoundary(text)).toBe('SRID=4326;MULTIPOLYGON(((0 0,1 0,1 1,0 0)))')
  })

  test('keeps the reference system, and text that is not WKT', () => {
    expect(canonicalBoundary('SRID=3857;POLYGON((0 0,1 0,1 1,0 0))')).toMatch(/^SRID=3857;/)
    expect(canonicalBoundary('nowhere')).toBe('nowhere')
  })
})

describe('a box', () => {
  test('is a polygon', () => {
    expect(formatBox([10, 59, 11, 60])).toBe('POLYGON((10 59,11 59,11 60,10 60,10 59))')
  })

  test('has two parts if it crosses the antimeridian', () => {
    expect(formatBox([170, -20, -170, -10])).toBe(
      'MULTIPOLYGON(((170 -20,180 -20,180 -10,170 -10,170 -20)),((-180 -20,-170 -20,-170 -10,-180 -10,-180 -20)))',
    )
  })
})
