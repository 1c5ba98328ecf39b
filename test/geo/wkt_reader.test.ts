import { describe, expect, test } from 'vitest'
import { formatWkt, formatWktMembers } from '../../src/geo/wkt.ts'
import { parseWkt, parseWktMembers } from '../../src/geo/wkt_reader.ts'

const rewrite = (text: string) => formatWkt(parseWkt(text).geometry)

describe('parseWkt', () => {
  test.each([
    ['POINT(1 1)', 'POINT(1 1)'],
    ['POINT (1 1)', 'POINT(1 1)'],
    [' point\n( 1.50 , -0 )'.replace(',', ''), 'POINT(1.5 0)'],
    ['POINT Z (1 2 3)', 'POINT Z (1 2 3)'],
    ['POINTZ(1 2 3)', 'POINT Z (1 2 3)'],
    ['POINT(1 2 3)', 'POINT Z (1 2 3)'],
    ['POINT EMPTY', 'POINT EMPTY'],
    ['POINT Z EMPTY', 'POINT Z EMPTY'],
    ['LINESTRING (0 0, 1e3 .5, +2 1E-7)', 'LINESTRING(0 0,1000 0.5,2 1e-7)'],
    ['POLYGON((0 0,1 0,1 1,0 0))', 'POLYGON((0 0,1 0,1 1,0 0))'],
    ['POLYGON((0 0,9 0,9 9,0 0),(1 1,2 1,2 2,1 1))', 'POLYGON((0 0,9 0,9 9,0 0),(1 1,2 1,2 2,1 1))'],
    ['MULTIPOINT(1 1, 2 2)', 'MULTIPOINT((1 1),(2 2))'],
    ['MULTIPOINT((1 1), (2 2))', 'MULTIPOINT((1 1),(2 2))'],
    ['MULTIPOINT(EMPTY, 2 2)', 'MULTIPOINT((2 2))'],
    ['MULTILINESTRING EMPTY', 'MULTILINESTRING EMPTY'],
    ['MULTILINESTRINGZ((0 0 1,1 1 1))', 'MULTILINESTRING Z ((0 0 1,1 1 1))'],
    ['MULTIPOLYGON(((0 0,1 0,1 1,0 0)),EMPTY)', 'MULTIPOLYGON(((0 0,1 0,1 1,0 0)))'],
  ])('reads %s', (given, written) => {
    expect(rewrite(given)).toBe(written)
  })

  test('closes an open ring', () => {
    expect(rewrite('POLYGON((0 0,1 0,1 1))')).toBe('POLYGON((0 0,1 0,1 1,0 0))')
  })

  test('returns the reference system of a prefix', () => {
    expect(parseWkt('srid=4326; POINT(1 2)').srs).toBe(4326)
    expect(parseWkt('POINT(1 2)').srs).toBeUndefined()
  })

  test.each([
    ['', 'expected a geometry type'],
    ['POINT', 'expected "("'],
    ['POINT(1)', 'two or three numbers'],
    ['POINT(1 x)', 'two or three numbers'],
    ['POINT(1 1', 'expected ")"'],
    ['POINT(1 1) and more', 'expected the end'],
    ['POINT(1 1, 2 2)', 'a point must have one position'],
    ['POINT(1 1e999)', 'too large'],
    ['POINT M (1 2 3)', 'measures (M) are not supported'],
    ['POINTZM(1 2 3 4)', 'measures (M) are not supported'],
    ['POINT(1 2 3 4)', 'measures (M) are not supported'],
    ['POINT Z (1 2)', 'the type has Z'],
    ['LINESTRING(1 1)', 'at least two positions'],
    ['LINESTRING(0 0,1 1 1)', 'some positions'],
    ['POLYGON((0 0,1 1))', 'a ring must have'],
    ['GEOMETRYCOLLECTION(POINT(1 1))', 'GEOMETRYCOLLECTION is not a supported geometry type'],
    ['CIRCULARSTRING(0 0,1 1,2 0)', 'CIRCULARSTRING is not a supported geometry type'],
    ['{"type":"Point"}', 'expected a geometry type'],
  ])('refuses %j', (text, reason) => {
    expect(() => parseWkt(text)).toThrow(expect.objectContaining({ code: 'feature/invalid' }))
    expect(() => parseWkt(text)).toThrow(reason)
  })

  test('reports the position of the error', () => {
    expect(() => parseWkt('LINESTRING(0 0,1 )')).toThrow('at character 17')
  })
})

describe('parseWktMembers', () => {
  test.each([
    ['POINT (1 1)', 'POINT(1 1)'],
    ['GeometryCollection EMPTY', 'GEOMETRYCOLLECTION EMPTY'],
    ['GEOMETRYCOLLECTION(POINT(1 1))', 'POINT(1 1)'],
    [
      'GEOMETRYCOLLECTION (POINT (1 1), LINESTRING(0 0,1 1))',
      'GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1))',
    ],
    [
      'GEOMETRYCOLLECTION Z (POINT Z (1 1 1), POINT EMPTY, POINT(2 2 2))',
      'GEOMETRYCOLLECTION Z (POINT Z (1 1 1),POINT Z (2 2 2))',
    ],
    [
      'GEOMETRYCOLLECTION(POINT(1 1),GEOMETRYCOLLECTION(POINT(2 2),GEOMETRYCOLLECTION EMPTY))',
      'GEOMETRYCOLLECTION(POINT(1 1),POINT(2 2))',
    ],
  ])('reads %s', (given, written) => {
    expect(formatWktMembers(parseWktMembers(given).geometries)).toBe(written)
  })

  test.each([
    ['GEOMETRYCOLLECTION', 'expected "("'],
    ['GEOMETRYCOLLECTION()', 'expected a geometry type'],
    ['GEOMETRYCOLLECTION(POINT(1 1)', 'expected ")"'],
    ['GEOMETRYCOLLECTION(POINT(1 1),POINT(1 1 1))', 'some positions have two coordinates, others three'],
    ['GEOMETRYCOLLECTION('.repeat(1000), 'geometry collections are nested more than 16 times'],
  ])('rejects %.40s', (given, reason) => {
    expect(() => parseWktMembers(given)).toThrow(reason)
  })
})
