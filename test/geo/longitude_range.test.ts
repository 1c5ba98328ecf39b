import { expect, test } from 'vitest'
import { type LongitudeRange, longitudeRange } from '../../src/geo/longitude_range.ts'

test.each<[string, LongitudeRange[], LongitudeRange]>([
  ['one part', [[10, 20]], [10, 20]],
  ['the world', [[-180, 180]], [-180, 180]],
  ['nothing', [], [-180, 180]],
  [
    'parts with a gap',
    [
      [20, 30],
      [-60, -50],
    ],
    [-60, 30],
  ],
  [
    'parts that meet at the antimeridian',
    [
      [-180, -170],
      [170, 180],
    ],
    [170, 190],
  ],
  [
    'islands beside the antimeridian',
    [
      [178, 179],
      [-175, -174],
      [-150, -149],
    ],
    [178, 211],
  ],
  [
    'a part inside another',
    [
      [-170, 100],
      [-160, -150],
      [120, 130],
    ],
    [-170, 130],
  ],
])('%s', (_, parts, expected) => {
  expect(longitudeRange(parts)).toEqual(expected)
})
