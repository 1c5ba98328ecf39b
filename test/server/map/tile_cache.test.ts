import { describe, expect, test } from 'vitest'
import { createTileCache } from '../../../src/server/map/tile_cache.ts'

const limitBytes = 10_000

/** Returns a function that creates a tile of a size, and how often it was called. */
function tileOf(sizeBytes: number) {
  const calls = { count: 0 }
  const create = async () => {
    calls.count += 1
    return new Uint8Array(sizeBytes)
  }
  return { calls, create }
}

describe('createTileCache', () => {
  test('creates a tile once for concurrent and later requests', async () => {
    const cache = createTileCache(limitBytes)
    const { calls, create } = tileOf(100)
    const [one, other] = await Promise.all([cache.get('a', create), cache.get('a', create)])
    expect(await cache.get('a', create)).toBe(one)
    expect(other).toBe(one)
    expect(calls.count).toBe(1)
  })

  test('returns tiles that together exceed the cache while they are created', async () => {
    const cache = createTileCache(limitBytes)
    const started = Promise.withResolvers<void>()
    const slow = cache.get('slow', async () => {
      await started.promise
      return new Uint8Array(5000)
    })
    for (const key of ['a', 'b', 'c'])
      expect((await cache.get(key, tileOf(5000).create)).bytes).toHaveLength(5000)
    started.resolve()
    expect((await slow).bytes).toHaveLength(5000)
  })

  test('returns a tile larger than the cache without storing it', async () => {
    const cache = createTileCache(limitBytes)
    const small = tileOf(100)
    await cache.get('small', small.create)
    const { calls, create } = tileOf(2 * limitBytes)
    expect((await cache.get('large', create)).bytes).toHaveLength(2 * limitBytes)
    await cache.get('large', create)
    await cache.get('small', small.create)
    expect([calls.count, small.calls.count]).toEqual([2, 1])
  })

  test('creates a tile again after a failure', async () => {
    const cache = createTileCache(limitBytes)
    const failing = () => Promise.reject(new Error('no database'))
    await expect(cache.get('a', failing)).rejects.toThrow('no database')
    expect((await cache.get('a', tileOf(100).create)).bytes).toHaveLength(100)
  })
})
