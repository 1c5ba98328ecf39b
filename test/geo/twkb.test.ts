import { describe, expect, test } from 'vitest'
import { parseTwkb } from '../../src/geo/twkb.ts'

const hex = (text: string) => Buffer.from(text, 'hex')

// The bytes are what ST_AsTWKB(…, 0) of PostGIS 3.3 gives.
describe('parseTwkb', () => {
  test('reads the polygons of a multi, each difference from the position before', () => {
    const bytes = hex('06000201040000000a0a00090901041313030000030404')
    expect(parseTwkb(bytes, 'POLYGON').parts).toEqual([
      [[0, 0, 0, 5, 5, 5, 0, 0]],
      [[-10, -10, -12, -10, -12, -12, -10, -10]],
    ])
  })

  test('takes only the family asked for out of a collection', () => {
    const bytes = hex('0700020100020402000202020202')
    expect(parseTwkb(bytes, 'POINT').parts).toEqual([[[1, 2]]])
    expect(parseTwkb(bytes, 'LINESTRING').parts).toEqual([[[1, 1, 2, 2]]])
    expect(parseTwkb(bytes, 'POLYGON').parts).toEqual([])
  })

  test('gives no parts for an empty geometry', () => {
    expect(parseTwkb(hex('0110'), 'POINT').parts).toEqual([])
  })

  test('refuses a form that our queries never ask for', () => {
    expect(() => parseTwkb(hex('010100020202'), 'POINT')).toThrow('unexpected form')
  })
})
