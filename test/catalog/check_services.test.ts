import { beforeEach, describe, expect, it } from 'vitest'
import { type CheckSettings, checkServices } from '../../src/catalog/check_services.ts'
import { checkTarget } from '../support/check_targets.ts'
import { neverAnswer, sendImage } from '../support/misbehaving.ts'
import { type TestService, useService } from '../support/wms.ts'

const start = useService('0.0.0.0')
let service: TestService
beforeEach(async () => {
  service = await start()
  service.answer = sendImage
})

/** Tiles at the service, at a local address of their own each; `hosts` repeat. */
async function* targets(count: number, hosts: number) {
  const { port } = new URL(service.url)
  for (let id = 1; id <= count; id += 1) {
    reads += 1
    yield checkTarget({ id, url: `http://127.0.0.${1 + (id % hosts)}:${port}/{z}/{x}/{y}` })
  }
  ended = true
}
let reads = 0
let ended = false
beforeEach(() => {
  reads = 0
  ended = false
})

const check = (read: ReturnType<typeof targets>, settings: Partial<CheckSettings> = {}) =>
  checkServices(read, {
    timeoutMs: 60_000,
    allowsPrivate: () => true,
    perSecond: 10_000,
    signal: new AbortController().signal,
    onError: () => undefined,
    ...settings,
  })

const checkAll = async (...parts: Parameters<typeof check>) => (await Array.fromAsync(check(...parts))).flat()

describe('checkServices', () => {
  it('checks every service once', async () => {
    const results = await checkAll(targets(100, 30))
    expect(results.map(({ geoservice }) => geoservice).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, at) => at + 1),
    )
    expect(new Set(results.map(({ cumulative_status }) => cumulative_status))).toEqual(new Set(['works']))
    expect(await checkAll(targets(0, 1))).toEqual([])
  })

  it('sends one request to a host at a time, and to no more hosts than allowed', async () => {
    const active = new Map<string, number>()
    const most = { hosts: 0, requests: 0 }
    const waiting: (() => void)[] = []
    service.answer = (request, response) => {
      const { host = '' } = request.headers
      active.set(host, (active.get(host) ?? 0) + 1)
      most.requests = Math.max(most.requests, active.get(host) ?? 0)
      most.hosts = Math.max(most.hosts, active.size)
      waiting.push(() => {
        const left = (active.get(host) ?? 0) - 1
        if (left === 0) active.delete(host)
        else active.set(host, left)
        sendImage(request, response)
      })
      // The first four wait for each other.
      if (most.hosts === 4) for (const answer of waiting.splice(0)) setImmediate(answer)
    }
    expect(await checkAll(targets(60, 8), { inFlight: 4 })).toHaveLength(60)
    expect(most).toEqual({ hosts: 4, requests: 1 })
  })

  it('limits the requests in a second', async () => {
    const times: number[] = []
    service.answer = (request, response) => {
      times.push(performance.now())
      sendImage(request, response)
    }
    await checkAll(targets(2, 2), { perSecond: 1 })
    const [first = 0, second = 0] = times
    // A slow computer only makes it longer.
    expect(second - first).toBeGreaterThan(500)
  })

  it('reads targets no faster than its results are taken', async () => {
    const checking = check(targets(1_000_000, 1))
    const taken: number[] = []
    for await (const results of checking) {
      taken.push(...results.map(({ geoservice }) => geoservice))
      expect(reads - taken.length).toBeLessThanOrEqual(600)
      if (taken.length > 1500) break
    }
    expect(taken).toEqual(taken.toSorted((a, b) => a - b))
    expect(ended).toBe(false)
  })

  it('ends at an abort, after the results so far', async () => {
    const stop = new AbortController()
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    service.answer = (request, response) => {
      if (request.headers.host?.startsWith('127.0.0.1:')) {
        response.once('close', resolve)
        return neverAnswer(request, response)
      }
      sendImage(request, response)
    }
    const results: unknown[] = []
    const run = async () => {
      for await (const batch of check(targets(2, 2), { signal: stop.signal })) {
        results.push(...batch)
        stop.abort()
      }
    }
    await expect(run()).rejects.toMatchObject({ code: 'pipeline/interrupted' })
    expect(results).toHaveLength(1)
    await closed
    await expect(checkAll(targets(2, 2), { signal: stop.signal })).rejects.toMatchObject({
      code: 'pipeline/interrupted',
    })
  })

  it('reports an unexpected error of a check, and continues', async () => {
    const errors: unknown[] = []
    const results = await checkAll(targets(10, 10), {
      allowsPrivate: ({ hostname }) => {
        if (hostname === '127.0.0.3') throw new Error('a bug')
        return true
      },
      onError: (error, { id }) => errors.push([String(error), id]),
    })
    expect(results).toHaveLength(9)
    expect(errors).toEqual([['Error: a bug', 2]])
  })

  it('reports an error of the targets', async () => {
    const broken = async function* () {
      yield* targets(3, 3)
      throw new Error('no more targets')
    }
    await expect(checkAll(broken())).rejects.toThrow('no more targets')
  })
})
