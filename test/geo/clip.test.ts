import { describe, expect, test } from 'vitest'
import { clip } from '../support/packed_geometry.ts'

const box = [0, 0, 100, 100] as const
const polygon = (...rings: number[][]) => ({ family: 'POLYGON', parts: [rings] }) as const
const line = (...flat: number[]) => ({ family: 'LINESTRING', parts: [[flat]] }) as const

describe('clipGeometry', () => {
  test('leaves geometries inside unchanged', () => {
    const inside = polygon([1, 1, 9, 1, 9, 9, 1, 1], [2, 2, 3, 2, 3, 3, 2, 2])
    expect(clip(inside, box)).toEqual(inside)
    expect(clip(line(0, 0, 100, 100), box)).toEqual(line(0, 0, 100, 100))
  })

  test('drops geometries outside, even if their box intersects', () => {
    expect(clip(polygon([-9, -9, -1, -9, -1, -1, -9, -9]), box).parts).toEqual([])
    expect(clip(line(-50, 60, 60, 170), box).parts).toEqual([])
    expect(clip({ family: 'POINT', parts: [[[101, 5]], [[100, 5]]] }, box).parts).toEqual([[[100, 5]]])
  })

  test('cuts a ring at the sides', () => {
    const { parts } = clip(polygon([50, 50, 150, 50, 150, 150, 50, 150, 50, 50]), box)
    expect(new Set(parts[0]?.[0]?.reduce<string[]>(pairUp, []))).toEqual(
      new Set(['50,50', '100,50', '100,100', '50,100']),
    )
  })

  test('returns the box for a polygon around it', () => {
    const { parts } = clip(polygon([-500, -500, 500, -500, 500, 500, -500, 500, -500, -500]), box)
    expect(new Set(parts[0]?.[0]?.reduce<string[]>(pairUp, []))).toEqual(
      new Set(['0,0', '100,0', '100,100', '0,100']),
    )
  })

  test('drops a polygon without its outer ring, holes included', () => {
    const parts = clip(polygon([200, 0, 300, 0, 300, 50, 200, 0], [1, 1, 2, 1, 2, 2, 1, 1]), box).parts
    expect(parts).toEqual([])
  })

  test('splits a line into the pieces inside', () => {
    const { parts } = clip(line(-50, 50, 50, 50, 150, 50, 150, 60, 50, 60, 50, 200), box)
    expect(parts).toEqual([[[0, 50, 50, 50, 100, 50]], [[100, 60, 50, 60, 50, 100]]])
  })

  test('clips an edge that crosses the box', () => {
    expect(clip(line(-100, 50, 200, 50), box).parts).toEqual([[[0, 50, 100, 50]]])
  })
})

function pairUp(pairs: string[], value: number, at: number): string[] {
  if (at % 2 === 0) pairs.push(String(value))
  else pairs.push(`${pairs.pop()},${value}`)
  return pairs
}
