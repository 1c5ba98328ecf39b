import { describe, expect, test } from 'vitest'
import type { TileGeometry } from '../../../src/geo/tile_geometry.ts'
import { createGeometryCache } from '../../../src/render/vector_tile/geometry_cache.ts'

/** A line of so many positions, from an x on to the right. */
const lineOf = (positions: number, from = 0): TileGeometry => ({
  family: 'LINESTRING',
  parts: [[Array.from({ length: positions * 2 }, (_, at) => (at % 2 === 0 ? from + at / 2 : 0))]],
})

const everywhere = [-1e9, -1e9, 1e9, 1e9] as const

describe('createGeometryCache', () => {
  test('returns the geometries of a level that intersect the box', () => {
    const cache = createGeometryCache()
    cache.add('a', 1, lineOf(1000))
    cache.add('a', 2, lineOf(1000, 5000))
    cache.add('b', 3, lineOf(1000))
    expect([...cache.find('a', everywhere).keys()]).toEqual([1, 2])
    expect([...cache.find('a', [999, -1, 4000, 1]).keys()]).toEqual([1])
    expect([...cache.find('a', [1500, -1, 4000, 1]).keys()]).toEqual([])
    expect(cache.find('b', everywhere).get(3)).toEqual(lineOf(1000))
    expect(cache.find('c', everywhere).size).toBe(0)
  })

  test('leaves out parts whose box does not intersect the box', () => {
    const cache = createGeometryCache()
    const parts = [lineOf(300), lineOf(300, 5000), lineOf(300, 9000)].flatMap((line) => line.parts)
    cache.add('a', 1, { family: 'LINESTRING', parts })
    const found = (minX: number, maxX: number) => cache.find('a', [minX, 0, maxX, 0]).get(1)?.parts
    expect(found(299, 5000)).toEqual(parts.slice(0, 2))
    expect(found(5300, 9000)).toEqual(parts.slice(2))
    expect(found(6000, 8000)).toEqual([])
    expect(found(10_000, 11_000)).toBeUndefined()
  })

  test('does not cache geometries that are too small or too large', () => {
    const cache = createGeometryCache()
    cache.add('a', 1, lineOf(10))
    cache.add('a', 2, lineOf(3_000_000))
    expect(cache.find('a', everywhere).size).toBe(0)
  })

  test('drops the oldest levels, and keeps counting correctly', () => {
    const cache = createGeometryCache()
    const great = lineOf(600_000)
    for (let round = 0; round < 50; round += 1) {
      cache.add(`level ${round}`, 1, great)
      cache.add(`level ${round}`, 1, great)
    }
    const kept = Array.from({ length: 50 }, (_, round) => cache.find(`level ${round}`, everywhere).size)
    expect(kept).toEqual([...Array(47).fill(0), 1, 1, 1])
  })
})
