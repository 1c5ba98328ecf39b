import { describe, expect, it } from 'vitest'
import { findGeojsonFault } from '../../src/geo/geojson_fault.ts'

const ring = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
]
const feature = (geometry: unknown, more: object = {}) => ({
  type: 'Feature',
  properties: {},
  geometry,
  ...more,
})
const collection = (features: unknown) => ({ type: 'FeatureCollection', features })
const point = { type: 'Point', coordinates: [7.5, 51] }

describe('findGeojsonFault', () => {
  it.each([
    point,
    { type: 'Point', coordinates: [] },
    { type: 'Point', coordinates: [1, 2, 3, 4] },
    { type: 'MultiPoint', coordinates: [[1, 2]] },
    { type: 'LineString', coordinates: ring },
    { type: 'MultiLineString', coordinates: [ring, ring] },
    { type: 'Polygon', coordinates: [ring, ring] },
    { type: 'MultiPolygon', coordinates: [[ring], [ring]], bbox: [0, 0, 1, 1] },
    { type: 'GeometryCollection', geometries: [] },
    { type: 'GeometryCollection', geometries: [point, { type: 'GeometryCollection', geometries: [point] }] },
    feature(null),
    feature(point, { id: 7, properties: null, bbox: [0, 0, 0, 1, 1, 1] }),
    collection([]),
    { ...collection([feature(point), feature(null)]), name: 'roads', crs: { type: 'name' } },
  ])('accepts %j', (value) => {
    expect(findGeojsonFault(value)).toBeUndefined()
  })

  it.each([
    [[point], [], 'expected a GeoJSON object, got an array'],
    [null, [], 'expected a GeoJSON object, got null'],
    [{}, [], 'the member "type" is missing'],
    [
      { type: 'point', coordinates: [0, 0] },
      ['type'],
      'expected FeatureCollection, Feature, Point, MultiPoint',
    ],
    [{ type: ['Point'], coordinates: [0, 0] }, ['type'], 'got an array'],
    [{ type: 'toString' }, ['type'], 'got "toString"'],
    [{ type: 'Point' }, [], 'the member "coordinates" is missing'],
    [{ type: 'Point', coordinates: null }, ['coordinates'], 'expected a position, got null'],
    [
      { type: 'Point', coordinates: [1] },
      ['coordinates'],
      'a position has two or more numbers, this one has 1',
    ],
    [{ type: 'Point', coordinates: ['1', '2'] }, ['coordinates', 0], 'expected a number, got a string'],
    [{ type: 'MultiPoint', coordinates: [1, 2] }, ['coordinates', 0], 'expected a position, got a number'],
    [{ type: 'LineString', coordinates: [[0, 0]] }, ['coordinates'], 'two or more positions, this one has 1'],
    [{ type: 'Polygon', coordinates: ring }, ['coordinates', 0, 0], 'expected a position, got a number'],
    [{ type: 'Polygon', coordinates: [[]] }, ['coordinates', 0], 'four or more positions, this one has 0'],
    [
      { type: 'MultiPolygon', coordinates: [[ring, [...ring.slice(0, 3), [0, 1]]]] },
      ['coordinates', 0, 1],
      'must be equal',
    ],
    [
      { type: 'GeometryCollection', geometries: [point, feature(null)] },
      ['geometries', 1, 'type'],
      'got "Feature"',
    ],
    [{ ...point, bbox: [1, 2, 3] }, ['bbox'], 'a bounding box has two positions, this one has 3 numbers'],
    [{ ...point, bbox: [1, 2, '3', 4] }, ['bbox', 2], 'expected a number, got a string'],
    [feature(undefined, { id: {} }), ['id'], 'expected a string or a number, got an object'],
    [{ type: 'Feature', geometry: null }, [], 'the member "properties" is missing'],
    [{ type: 'Feature', properties: null }, [], 'the member "geometry" is missing'],
    [feature(null, { properties: 'x' }), ['properties'], 'expected an object, got a string'],
    [{ type: 'FeatureCollection' }, [], 'the member "features" is missing'],
    [collection({}), ['features'], 'expected an array of features, got an object'],
    [collection([feature(point), point]), ['features', 1, 'type'], 'expected Feature, got "Point"'],
    [collection([feature(point), 1]), ['features', 1], 'expected a feature, got a number'],
    [
      collection([
        feature(point),
        feature({
          type: 'LineString',
          coordinates: [
            [0, 0],
            [1, null],
          ],
        }),
      ]),
      ['features', 1, 'geometry', 'coordinates', 1, 1],
      'expected a number, got null',
    ],
  ])('refuses %j', (value, path, reason) => {
    expect(findGeojsonFault(value)).toEqual({ path, reason: expect.stringContaining(reason) })
  })

  it('refuses numbers that are too large for a computer', () => {
    const value = JSON.parse('{"type": "Point", "coordinates": [1e999, 0]}')
    expect(findGeojsonFault(value)).toEqual({
      path: ['coordinates', 0],
      reason: 'expected a number, got a number that is too large',
    })
  })
})
