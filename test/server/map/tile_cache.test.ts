import { describe, expect, test } from 'vitest'
import { createTileCache, describeTile } from '../../../src/server/map/tile_cache.ts'

const limitBytes = 10_000
const { signal } = new AbortController()

/** Returns a cache of tiles that show no layer. */
function openCache() {
  const cache = createTileCache(limitBytes)
  return {
    get: (key: string, client: AbortSignal, create: (stop: AbortSignal) => Promise<Uint8Array>) =>
      cache.get({ key, layers: [], signal: client }, async (stop) => ({
        tile: describeTile(await create(stop)),
        data: [],
      })),
  }
}

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
    const cache = openCache()
    const { calls, create } = tileOf(100)
    const [one, other] = await Promise.all([cache.get('a', signal, create), cache.get('a', signal, create)])
    expect(await cache.get('a', signal, create)).toBe(one)
    expect(other).toBe(one)
    expect(calls.count).toBe(1)
  })

  test('returns tiles that together exceed the cache while they are created', async () => {
    const cache = openCache()
    const started = Promise.withResolvers<void>()
    const slow = cache.get('slow', signal, async () => {
      await started.promise
      return new Uint8Array(5000)
    })
    for (const key of ['a', 'b', 'c'])
      expect((await cache.get(key, signal, tileOf(5000).create)).bytes).toHaveLength(5000)
    started.resolve()
    expect((await slow).bytes).toHaveLength(5000)
  })

  test('returns a tile larger than the cache without storing it', async () => {
    const cache = openCache()
    const small = tileOf(100)
    await cache.get('small', signal, small.create)
    const { calls, create } = tileOf(2 * limitBytes)
    expect((await cache.get('large', signal, create)).bytes).toHaveLength(2 * limitBytes)
    await cache.get('large', signal, create)
    await cache.get('small', signal, small.create)
    expect([calls.count, small.calls.count]).toEqual([2, 1])
  })

  test('ends the creation of a tile when all clients are gone', async () => {
    const cache = openCache()
    const clients = [new AbortController(), new AbortController()]
    const stopped = Promise.withResolvers<Uint8Array>()
    const create = (stop: AbortSignal) => {
      stop.addEventListener('abort', () => stopped.reject(stop.reason))
      return stopped.promise
    }
    const wanted = Promise.allSettled(clients.map((client) => cache.get('a', client.signal, create)))
    clients[0]?.abort(new Error('gone'))
    const other = new AbortController()
    const joined = cache.get('a', other.signal, tileOf(100).create)
    clients[1]?.abort(new Error('gone'))
    other.abort(new Error('last'))
    await expect(joined).rejects.toThrow('last')
    expect(await wanted).toMatchObject(Array(2).fill({ status: 'rejected', reason: { message: 'last' } }))
    expect((await cache.get('a', signal, tileOf(100).create)).bytes).toHaveLength(100)
  })

  test('creates nothing for a client that is gone', async () => {
    const { calls, create } = tileOf(100)
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(openCache().get('a', gone, create)).rejects.toThrow('gone')
    expect(calls.count).toBe(0)
  })

  test('creates a tile again after a failure', async () => {
    const cache = openCache()
    const failing = () => Promise.reject(new Error('no database'))
    await expect(cache.get('a', signal, failing)).rejects.toThrow('no database')
    expect((await cache.get('a', signal, tileOf(100).create)).bytes).toHaveLength(100)
  })
})
