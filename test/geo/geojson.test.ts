import { describe, expect, test } from 'vitest'
import { parseGeojsonGeometry } from '../../src/geo/geojson.ts'
import { formatWkt } from '../../src/geo/wkt.ts'

describe('parseGeojsonGeometry', () => {
  test.each([
    [{ type: 'Point', coordinates: [1, 2] }, 'POINT(1 2)'],
    [{ type: 'Point', coordinates: [1, 2, 3], bbox: [1] }, 'POINT Z (1 2 3)'],
    [{ type: 'Point', coordinates: [] }, 'POINT EMPTY'],
    [
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      },
      'LINESTRING(0 0,1 1)',
    ],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
          ],
        ],
      },
      'POLYGON((0 0,1 0,1 1,0 0))',
    ],
    [
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 1],
          [2, 2],
        ],
      },
      'MULTIPOINT((1 1),(2 2))',
    ],
    [{ type: 'MultiPolygon', coordinates: [] }, 'MULTIPOLYGON EMPTY'],
  ])('reads %j', (value, wkt) => {
    expect(formatWkt(parseGeojsonGeometry(value))).toBe(wkt)
  })

  test.each([
    [null, 'expected an object'],
    ['POINT(1 1)', 'expected an object'],
    [{ type: 'Feature', geometry: null }, '"Feature" is not a supported geometry type'],
    [{ type: 'Point' }, 'coordinates are not nested'],
    [{ type: 'Point', coordinates: [1] }, 'two or three coordinates'],
    [{ type: 'Point', coordinates: ['1', 2] }, '"1" is not a number'],
    [{ type: 'LineString', coordinates: [1, 2] }, 'coordinates are not nested'],
    [{ type: 'LineString', coordinates: [[0, 0]] }, 'at least two positions'],
    [
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 1, 1],
        ],
      },
      'some positions',
    ],
    [{ type: 'Polygon', coordinates: [[[0, 0]]] }, 'a ring must have'],
  ])('refuses %j', (value, reason) => {
    expect(() => parseGeojsonGeometry(value)).toThrow(expect.objectContaining({ code: 'feature/invalid' }))
    expect(() => parseGeojsonGeometry(value)).toThrow(reason)
  })
})
