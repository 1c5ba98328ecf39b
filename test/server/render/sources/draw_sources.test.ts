import { expect, test } from 'vitest'
import { createDrawPool } from '../../../../src/render/image/draw_pool.ts'
import { createLayerCaches } from '../../../../src/server/layer_caches.ts'
import { drawSources } from '../../../../src/server/render/sources/draw_sources.ts'
import type { DrawnSource } from '../../../../src/server/render/sources/drawn_source.ts'

test('images that cannot be drawn yet read nothing, are refused when too many of them wait, and read a repeated source once', async () => {
  const draws = createDrawPool({ threads: 1, images: 1, waiting: { perParty: 2, total: 2 } })
  const context = { draws, layerCaches: createLayerCaches(), renderTimeoutSeconds: 60 }
  const released = Promise.withResolvers<void>()
  let reads = 0
  const source: DrawnSource = {
    key: undefined,
    keptTiles: null,
    async read({ width, height }) {
      reads += 1
      await released.promise
      return { pixels: new Uint8Array(4 * width * height) }
    },
  }
  const frame = { box: [0, 0, 1, 1], width: 8, height: 8 } as const
  const { signal } = new AbortController()
  const draw = () => drawSources(context, { sources: [source, source], frame, signal })
  try {
    const images = Promise.all(Array.from({ length: 3 }, draw))
    await expect(draw()).rejects.toMatchObject({ code: 'render/busy', status: 503 })
    expect(reads).toBe(1)
    released.resolve()
    expect((await images).map(({ isEmpty }) => isEmpty)).toEqual([true, true, true])
    expect(reads).toBe(3)
  } finally {
    await draws.close()
  }
})

test('images that wait for another service have no turn that others need, and are refused when too many of them wait', async () => {
  const draws = createDrawPool({ threads: 1, images: 1, fetches: 2, waiting: { perParty: 1, total: 1 } })
  const context = { draws, layerCaches: createLayerCaches(), renderTimeoutSeconds: 60 }
  const answered = Promise.withResolvers<void>()
  const frame = { box: [0, 0, 1, 1], width: 8, height: 8 } as const
  const pixels = () => ({ pixels: new Uint8Array(4 * 8 * 8) })
  const { signal } = new AbortController()
  const local: DrawnSource = { key: undefined, keptTiles: null, read: async () => pixels() }
  const draw = (...sources: DrawnSource[]) => drawSources(context, { sources, frame, signal })
  const slow: DrawnSource = {
    ...local,
    fetchedFrom: 'wms.example',
    read: () => answered.promise.then(pixels),
  }
  // A layer of a service of this server needs an image of it.
  const own: DrawnSource = { ...local, fetchedFrom: 'wms.example', read: () => draw(local).then(pixels) }
  try {
    expect((await draw(own, local)).isEmpty).toBe(true)
    const images = Promise.all([draw(local, slow), draw(slow), draw(slow)])
    await expect(draw(slow)).rejects.toMatchObject({ code: 'render/busy', status: 503 })
    expect((await draw(local)).isEmpty).toBe(true)
    answered.resolve()
    expect((await images).map(({ isEmpty }) => isEmpty)).toEqual([true, true, true])
  } finally {
    await draws.close()
  }
})

test('an image that waits for another service until the time limit names the service', async () => {
  const draws = createDrawPool({ threads: 1 })
  const context = { draws, layerCaches: createLayerCaches(), renderTimeoutSeconds: 0.05 }
  const frame = { box: [0, 0, 1, 1], width: 8, height: 8 } as const
  const source = { key: undefined, keptTiles: null, read: () => new Promise<never>(() => undefined) }
  const draw = (fetchedFrom: string | undefined) =>
    drawSources(context, {
      sources: [{ ...source, fetchedFrom }],
      frame,
      signal: new AbortController().signal,
    })
  try {
    await expect(draw('wms.example')).rejects.toMatchObject({
      code: 'external/unreachable',
      message: 'wms.example did not send the images of all layers within 0.05 s.',
    })
    await expect(draw(undefined)).rejects.toMatchObject({ code: 'render/timeout' })
  } finally {
    await draws.close()
  }
})
