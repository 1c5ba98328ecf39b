import { describe, expect, test } from 'vitest'
import { bboxesIntersect, expandBbox } from '../../src/geo/bbox.ts'
import { mercatorHalfWorld as half } from '../../src/geo/mercator.ts'
import { quadkeyOf, tileAt, tileBbox, tileExists, tileWidth } from '../../src/geo/tile.ts'

describe('tiles', () => {
  test('the tile of zoom 0 is the world', () => {
    expect(tileBbox({ z: 0, x: 0, y: 0 })).toEqual([-half, -half, half, half])
    expect(tileWidth(0)).toBe(2 * half)
  })

  test('rows count from the north', () => {
    expect(tileBbox({ z: 1, x: 1, y: 0 })).toEqual([0, 0, half, half])
    expect(tileBbox({ z: 1, x: 0, y: 1 })).toEqual([-half, -half, 0, 0])
  })

  test('a zoom level has as many columns and rows as two to its power', () => {
    expect(tileExists({ z: 2, x: 3, y: 3 })).toBe(true)
    expect(tileExists({ z: 2, x: 4, y: 0 })).toBe(false)
    expect(tileExists({ z: 2, x: 0, y: 4 })).toBe(false)
    expect(tileExists({ z: 2, x: -1, y: 0 })).toBe(false)
  })

  test.each([
    [[0.1, 0.1], 1, { x: 1, y: 0 }],
    [[-0.1, -0.1], 1, { x: 0, y: 1 }],
    [[13.4, 52.5], 10, { x: 550, y: 335 }],
    [[180, -90], 3, { x: 7, y: 7 }],
    [[-180, 90], 3, { x: 0, y: 0 }],
    [[200, 0], 0, { x: 0, y: 0 }],
  ] as const)('the tile at %j of zoom %d is %j', (position, z, tile) => {
    expect(tileAt(position, z)).toEqual({ z, ...tile })
  })
})

describe('bbox', () => {
  test('boxes that touch intersect, boxes apart do not', () => {
    expect(bboxesIntersect([0, 0, 1, 1], [1, 1, 2, 2])).toBe(true)
    expect(bboxesIntersect([0, 0, 1, 1], [1.1, 0, 2, 1])).toBe(false)
    expect(bboxesIntersect([0, 0, 1, 1], [0, -2, 1, -0.1])).toBe(false)
  })

  test('grows on every side', () => {
    expect(expandBbox([0, 0, 1, 1], 0.5)).toEqual([-0.5, -0.5, 1.5, 1.5])
  })
})

test('quadkeys have a digit a zoom level', () => {
  expect([
    quadkeyOf({ z: 0, x: 0, y: 0 }),
    quadkeyOf({ z: 3, x: 3, y: 5 }),
    quadkeyOf({ z: 1, x: 1, y: 1 }),
  ]).toEqual(['', '213', '3'])
})
