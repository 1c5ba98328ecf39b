import { describe, expect, test } from 'vitest'
import { type PackedGeometry, packGeometry, unpackGeometry } from '../../../src/geo/packed_geometry.ts'
import { createGeometryCache } from '../../../src/render/vector_tile/geometry_cache.ts'

/** A line of so many positions, from an x on to the right. */
const lineOf = (positions: number, from = 0): PackedGeometry => {
  const line = Array.from({ length: positions * 2 }, (_, at) => (at % 2 === 0 ? from + at / 2 : 0))
  return packGeometry({ family: 'LINESTRING', parts: [[line]] })
}

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
    expect([...cache.find('b', everywhere).keys()]).toEqual([3])
    expect(cache.find('c', everywhere).size).toBe(0)
  })

  test('caches a copy', () => {
    const cache = createGeometryCache()
    const line = lineOf(300)
    cache.add('a', 1, line)
    line.setPoint(7, 7)
    const found = cache.find('a', everywhere).get(1)
    expect(found && unpackGeometry(found)).toEqual(unpackGeometry(lineOf(300)))
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
