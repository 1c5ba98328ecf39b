import { describe, expect, test } from 'vitest'
import { parseTwkb } from '../../src/geo/twkb.ts'

const hex = (text: string) => Buffer.from(text, 'hex')

// The bytes are what ST_AsTWKB(…, 0) of PostGIS 3.3 gives.
describe('parseTwkb', () => {
  test('reads multipolygons, with differences across parts', () => {
    const bytes = hex('06000201040000000a0a00090901041313030000030404')
    expect(parseTwkb(bytes, 'POLYGON').parts).toEqual([
      [[0, 0, 0, 5, 5, 5, 0, 0]],
      [[-10, -10, -12, -10, -12, -12, -10, -10]],
    ])
  })

  test('reads differences of one, two and three bytes', () => {
    expect(parseTwkb(hex('020002d804bfb8020102'), 'LINESTRING').parts).toEqual([
      [[300, -20_000, 299, -19_999]],
    ])
  })

  test('reads only the requested family of a collection', () => {
    const bytes = hex('0700020100020402000202020202')
    expect(parseTwkb(bytes, 'POINT').parts).toEqual([[[1, 2]]])
    expect(parseTwkb(bytes, 'LINESTRING').parts).toEqual([[[1, 1, 2, 2]]])
    expect(parseTwkb(bytes, 'POLYGON').parts).toEqual([])
  })

  test('returns no parts for an empty geometry', () => {
    expect(parseTwkb(hex('0110'), 'POINT').parts).toEqual([])
  })

  test('refuses metadata that our queries never request', () => {
    expect(() => parseTwkb(hex('010100020202'), 'POINT')).toThrow('unexpected TWKB metadata')
  })
})
