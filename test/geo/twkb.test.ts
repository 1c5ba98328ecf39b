import { describe, expect, test } from 'vitest'
import type { GeometryFamily } from '../../src/contract/geometry.ts'
import { PackedGeometry, unpackGeometry } from '../../src/geo/packed_geometry.ts'
import { parseTwkb } from '../../src/geo/twkb.ts'

const hex = (text: string) => Buffer.from(text, 'hex')
const parse = (bytes: Buffer, family: GeometryFamily) =>
  unpackGeometry(parseTwkb(bytes, family, new PackedGeometry()))

// The bytes are what ST_AsTWKB(…, 0) of PostGIS 3.3 gives.
describe('parseTwkb', () => {
  test('reads multipolygons, with differences across parts', () => {
    const bytes = hex('06000201040000000a0a00090901041313030000030404')
    expect(parse(bytes, 'POLYGON').parts).toEqual([
      [[0, 0, 0, 5, 5, 5, 0, 0]],
      [[-10, -10, -12, -10, -12, -12, -10, -10]],
    ])
  })

  test('reads differences of one, two and three bytes', () => {
    expect(parse(hex('020002d804bfb8020102'), 'LINESTRING').parts).toEqual([[[300, -20_000, 299, -19_999]]])
  })

  test('reads coordinates beyond 2^32 units', () => {
    // 'LINESTRING(17179869183 -17179869184, 17179869184 0)'
    const bytes = hex('020002feffffff7fffffffff7f028080808080 01'.replace(' ', ''))
    expect(parse(bytes, 'LINESTRING').parts).toEqual([[[17_179_869_183, -17_179_869_184, 17_179_869_184, 0]]])
  })

  test('reads only the requested family of a collection', () => {
    const bytes = hex('0700020100020402000202020202')
    expect(parse(bytes, 'POINT').parts).toEqual([[[1, 2]]])
    expect(parse(bytes, 'LINESTRING').parts).toEqual([[[1, 1, 2, 2]]])
    expect(parse(bytes, 'POLYGON').parts).toEqual([])
  })

  test('returns no parts for an empty geometry', () => {
    expect(parse(hex('0110'), 'POINT').parts).toEqual([])
  })

  test('refuses metadata that our queries never request', () => {
    expect(() => parse(hex('010100020202'), 'POINT')).toThrow('unexpected TWKB metadata')
  })
})
