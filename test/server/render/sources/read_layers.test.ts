import { expect, test } from 'vitest'
import type { PixelJobLayer } from '../../../../src/render/image/draw_job.ts'
import { type ReadLayer, readLayers } from '../../../../src/server/render/sources/read_layers.ts'
import { countTimers } from '../../../support/timers.ts'

const limits = { parallel: 2, sizeBytes: 100, timeoutMs: 60_000 }
const signal = new AbortController().signal
const layerOf = (size: number): PixelJobLayer => ({ pixels: new Uint8Array(size) })
/** Reads until it is stopped. */
const endless: ReadLayer<PixelJobLayer> = (stop) =>
  new Promise((_, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason as Error))
  })

test('layers are read a few at a time, and returned in their order', async () => {
  let [running, most] = [0, 0]
  const reads = [1, 2, 3, 4, 5].map((size) => async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    running -= 1
    return layerOf(size)
  })
  const layers = await readLayers(reads, signal, limits)
  expect(layers.map(({ pixels }) => pixels.length)).toEqual([1, 2, 3, 4, 5])
  expect(most).toBe(2)
})

test('layers that are too large together end the reading of the others', async () => {
  let count = 0
  const read = async () => {
    count += 1
    return layerOf(60)
  }
  const reading = readLayers([endless, read, read, read, read], signal, limits)
  await expect(reading).rejects.toMatchObject({ code: 'render/too-large' })
  expect(count).toBe(2)
})

test('reading ends after a time, and for a client that goes away', async () => {
  const slow = readLayers([endless], signal, { ...limits, timeoutMs: 1 })
  await expect(slow).rejects.toMatchObject({ code: 'render/timeout' })
  const never = () => new Promise<PixelJobLayer>(() => undefined)
  const stuck = readLayers([never], signal, { ...limits, timeoutMs: 1 })
  await expect(stuck).rejects.toMatchObject({ code: 'render/timeout' })
  const client = new AbortController()
  const abandoned = readLayers([endless, endless, endless], client.signal, limits)
  client.abort(new Error('gone'))
  await expect(abandoned).rejects.toThrow('gone')
  const gone = AbortSignal.abort(new Error('gone'))
  await expect(readLayers([async () => layerOf(1)], gone, limits)).rejects.toThrow('gone')
})

test('no clock runs on after the layers are read', async () => {
  const before = countTimers()
  await readLayers([async () => layerOf(1)], signal, limits)
  await expect(readLayers([() => Promise.reject(new Error('broken'))], signal, limits)).rejects.toThrow(
    'broken',
  )
  expect(countTimers()).toBe(before)
})
