import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import type { DrawJob } from '../../../src/render/image/draw_job.ts'
import { createDrawPool, type DrawLimits, type DrawPool } from '../../../src/render/image/draw_pool.ts'
import type { SimpleFill } from '../../../src/style/symbol_layer.ts'
import { featuresOf, jobOf, type Rings, styleOf } from '../../support/draw_job.ts'

const fill: SimpleFill = { kind: 'fill', color: '#0000ff', brush: 'solid', offset: [0, 0], pass: 0 }

const pools: DrawPool[] = []

function open(limits: DrawLimits = {}): DrawPool {
  const pool = createDrawPool({ threads: 1, ...limits })
  pools.push(pool)
  return pool
}

afterAll(() => Promise.all(pools.map((pool) => pool.close())))

/** A star of many long edges, for each of many features. */
function slowJob(features: number): DrawJob {
  const star: Rings = [
    Array.from({ length: 2000 }, (_, at) => [at % 2 === 0 ? 0 : 255, (at * 7919) % 256] as const),
  ]
  return jobOf(featuresOf('POLYGON', Array(features).fill(star)), styleOf('fill', [fill]), [256, 256])
}

const quickJob = () =>
  jobOf(
    featuresOf('POLYGON', [
      [
        [
          [0, 0],
          [64, 0],
          [64, 64],
          [0, 64],
        ],
      ],
    ]),
    styleOf('fill', [fill]),
  )

describe('a pool of threads', () => {
  test('draws images as PNG, several at once, and says whether they are empty', async () => {
    const pool = open({ threads: 2 })
    const images = await Promise.all(Array.from({ length: 6 }, () => pool.draw(quickJob())))
    for (const { bytes, isEmpty } of images) {
      const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
      expect([info.width, info.height, [...data.subarray(0, 4)], isEmpty]).toEqual([
        64,
        64,
        [0, 0, 255, 255],
        false,
      ])
    }
    const empty = await pool.draw(jobOf(featuresOf('POLYGON', []), styleOf('fill', [fill])))
    expect(empty.isEmpty).toBe(true)
  })

  test('ends work that takes too long', async () => {
    const pool = open({ timeoutMs: 100 })
    await expect(pool.draw(slowJob(150))).rejects.toMatchObject({ code: 'render/timeout', status: 503 })
  })

  test('stops drawing for a client that goes away, and draws for the next one in the same thread', async () => {
    const pool = open()
    await pool.draw(quickJob())
    const client = new AbortController()
    const abandoned = pool.draw(slowJob(150), client.signal)
    const next = pool.draw(quickJob())
    client.abort(new Error('the client went away'))
    await expect(abandoned).rejects.toThrow('the client went away')
    expect((await next).isEmpty).toBe(false)
  })

  test('never starts work for a client that is gone while it waits', async () => {
    const pool = open()
    const first = pool.draw(quickJob())
    const client = new AbortController()
    const second = pool.draw(quickJob(), client.signal)
    client.abort(new Error('gone'))
    await expect(second).rejects.toThrow('gone')
    await expect(pool.draw(quickJob(), client.signal)).rejects.toThrow('gone')
    expect((await first).isEmpty).toBe(false)
  })

  test('prepares a few images at a time, and refuses those that cannot wait before they are prepared', async () => {
    const pool = open({ images: 1, waiting: { perParty: 2, total: 2 } })
    const prepared: number[] = []
    const released = Promise.withResolvers<void>()
    const prepare = (number: number) =>
      pool.inTurn(async () => {
        prepared.push(number)
        await released.promise
        return pool.draw(quickJob())
      })
    const running = [prepare(0), prepare(1), prepare(2)]
    await expect(prepare(3)).rejects.toMatchObject({ code: 'render/busy', data: { retry_after: 5 } })
    expect(prepared).toEqual([0])
    released.resolve()
    expect((await Promise.all(running)).map(({ isEmpty }) => isEmpty)).toEqual([false, false, false])
    expect(prepared).toEqual([0, 1, 2])
  })

  test('fails only the request that exhausts the memory of its thread', async () => {
    const pool = open({ memoryMb: 16 })
    const values = Array.from({ length: 150_000 }, (_, n) => ({
      name: `a name that takes some memory: ${n}`,
    }))
    const square: Rings = [
      [
        [0, 0],
        [9, 0],
        [9, 9],
      ],
    ]
    const features = featuresOf('POLYGON', Array(values.length).fill(square), values)
    const [crashed, next] = await Promise.allSettled([
      pool.draw(jobOf(features, styleOf('fill', [fill]))),
      pool.draw(quickJob()),
    ])
    expect(crashed).toMatchObject({ status: 'rejected', reason: { code: 'render/too-large', status: 422 } })
    expect(next).toMatchObject({ status: 'fulfilled', value: { isEmpty: false } })
  })

  test('reports an error of drawing, and stays usable', async () => {
    const pool = open()
    const job = quickJob()
    const [layer] = job.layers
    if (layer === undefined) throw new Error('no layer')
    const broken = { ...layer, features: { ...layer.features, ends: Uint32Array.of(5) } }
    const truncated = expect.stringContaining('truncated TWKB')
    const failure = {
      ...{ code: 'server/internal', status: 500, message: truncated },
      cause: { message: truncated, stack: expect.stringContaining('twkb') },
    }
    await expect(pool.draw({ ...job, layers: [broken] })).rejects.toMatchObject(failure)
    expect((await pool.draw(quickJob())).isEmpty).toBe(false)
  })

  test('fails waiting and running requests when it is closed', async () => {
    const pool = open()
    const requests = [pool.draw(slowJob(150)), pool.draw(quickJob())]
    const settled = Promise.allSettled(requests)
    await pool.close()
    expect(await settled).toMatchObject(
      Array(2).fill({ status: 'rejected', reason: { code: 'render/failed' } }),
    )
  })
})
