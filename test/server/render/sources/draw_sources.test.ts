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
