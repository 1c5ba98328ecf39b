import { describe, expect, test } from 'vitest'
import { canonicalBoundary, formatBox, parseBoundary } from '../../src/geo/boundary.ts'

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
    ['POLYGON((0 0,-361 0,1 9,0 0))', '-361 is not a valid x in EPSG:4326'],
    ['POLYGON((0 0,1 0', 'expected ")" at character 17'],
  ])('refuses %s', (text, reason) => {
    expect(() => parseBoundary(text)).toThrow(expect.objectContaining({ code: 'feature/invalid' }))
    expect(() => parseBoundary(text)).toThrow(reason)
  })

  test('may leave the range of degrees in another reference system', () => {
    expect(parseBoundary('SRID=3857;POLYGON((0 0,1000 0,1000 1000,0 0))').srs).toBe(3857)
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
