import { expect, test } from 'vitest'
import type { DrawnImage } from '../../../src/render/image/draw_job.ts'
import { createImageCache } from '../../../src/server/render/image_cache.ts'

const image = (size: number): DrawnImage => ({ bytes: new Uint8Array(size), isEmpty: false })
const client = () => new AbortController()

/** A drawing that ends when the test says so, or when it is stopped. */
function pausedDrawing() {
  const { promise, resolve, reject } = Promise.withResolvers<DrawnImage>()
  const state = { count: 0, isStopped: false }
  const draw = (signal: AbortSignal) => {
    state.count += 1
    signal.addEventListener('abort', () => {
      state.isStopped = true
      reject(signal.reason)
    })
    return promise
  }
  return { state, draw, end: () => resolve(image(10)) }
}

test('an image is drawn once for all who want it at the same time, and later', async () => {
  const cache = createImageCache()
  const { state, draw, end } = pausedDrawing()
  const wanted = [cache.get('a', client().signal, draw), cache.get('a', client().signal, draw)]
  end()
  const [first, second] = await Promise.all(wanted)
  expect([first === second, await cache.get('a', client().signal, draw), state.count]).toEqual([
    true,
    first,
    1,
  ])
})

test('drawing goes on while any client waits, and stops when the last one is gone', async () => {
  const cache = createImageCache()
  const { state, draw } = pausedDrawing()
  const clients = [client(), client()]
  const wanted = Promise.allSettled(clients.map(({ signal }) => cache.get('a', signal, draw)))
  clients[0]?.abort(new Error('gone'))
  expect(state.isStopped).toBe(false)
  clients[1]?.abort(new Error('gone'))
  expect(state.isStopped).toBe(true)
  expect(await wanted).toMatchObject(Array(2).fill({ status: 'rejected', reason: { message: 'gone' } }))
  const next = pausedDrawing()
  const again = cache.get('a', client().signal, next.draw)
  next.end()
  expect((await again).bytes).toHaveLength(10)
})

test('failed and large images are not kept', async () => {
  const cache = createImageCache(5000)
  await expect(cache.get('a', client().signal, () => Promise.reject(new Error('failed')))).rejects.toThrow(
    'failed',
  )
  expect((await cache.get('a', client().signal, async () => image(8000))).bytes).toHaveLength(8000)
  expect((await cache.get('a', client().signal, async () => image(20))).bytes).toHaveLength(20)
})
