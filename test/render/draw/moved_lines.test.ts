import { describe, expect, test } from 'vitest'
import { movedLinesOf } from '../../../src/render/draw/moved_lines.ts'
import type { PixelGeometry } from '../../../src/render/draw/pixel_geometry.ts'

const clockwise = Float64Array.of(0, 0, 10, 0, 10, 10, 0, 10, 0, 0)
const counterClockwise = Float64Array.of(0, 0, 0, 10, 10, 10, 10, 0, 0, 0)
const inner = clockwise.map((value) => 4 + value / 5)
const innerReversed = counterClockwise.map((value) => 4 + value / 5)
const polygon = (...rings: Float64Array[]): PixelGeometry => ({ family: 'POLYGON', parts: [rings] })
const moved = (geometry: PixelGeometry, offset: number, rings: 'all' | 'exterior' | 'interior' = 'all') =>
  movedLinesOf(geometry, { offset, rings }).map(({ coordinates }) => [...coordinates])

describe('movedLinesOf', () => {
  test.each([
    ['of both directions', clockwise, counterClockwise],
    ['that are not closed', clockwise.subarray(0, 8), counterClockwise.subarray(0, 8)],
  ])('moves outer rings %s into the polygon, counter-clockwise from their start', (_, ...rings) => {
    for (const ring of rings) {
      expect(moved(polygon(ring), 1)).toEqual([[1, 1, 1, 9, 9, 9, 9, 1]])
      expect(moved(polygon(ring), -1)).toEqual([[-1, -1, -1, 11, 11, 11, 11, -1]])
    }
  })

  test('moves holes of both directions into the polygon', () => {
    for (const hole of [inner, innerReversed]) {
      expect(moved(polygon(counterClockwise, hole), 1, 'interior')).toEqual([[3, 3, 3, 7, 7, 7, 7, 3]])
      expect(moved(polygon(counterClockwise, hole), -0.5, 'interior')).toEqual([
        [4.5, 4.5, 4.5, 5.5, 5.5, 5.5, 5.5, 4.5],
      ])
    }
  })

  test('moves the rings that are drawn', () => {
    const geometry = polygon(clockwise, inner)
    expect(moved(geometry, 1, 'exterior')).toEqual([[1, 1, 1, 9, 9, 9, 9, 1]])
    expect(moved(geometry, 1)).toHaveLength(2)
  })

  test('keeps rings without an offset as they are', () => {
    const lines = movedLinesOf(polygon(clockwise, counterClockwise), { offset: 0, rings: 'all' })
    expect(lines.map(({ coordinates }) => coordinates)).toEqual([clockwise, counterClockwise])
    expect(lines[0]?.coordinates).toBe(clockwise)
  })

  test('moves lines to the right of their direction, also closed ones', () => {
    const line = (coordinates: Float64Array): PixelGeometry => ({
      family: 'LINESTRING',
      parts: [[coordinates]],
    })
    expect(moved(line(Float64Array.of(0, 0, 10, 0)), 1)).toEqual([[0, 1, 10, 1]])
    expect(moved(line(counterClockwise.subarray(0, 8)), 1)).toEqual([[-1, 0, -1, 11, 11, 11, 11, 0]])
  })
})
