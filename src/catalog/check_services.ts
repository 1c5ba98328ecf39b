import PQueue from 'p-queue'
import { problem } from '../contract/problems.ts'
import { createExternalClient, type ExternalClientOptions } from '../http/external_client.ts'
import type { CheckTarget } from '../store/catalog/check_target.ts'
import type { CheckResult } from '../store/catalog/geoservice_status.ts'
import { hostOf } from './allowed_hosts.ts'
import { AddressFault, checkUrl } from './check_request.ts'
import { type CheckOptions, type CheckRequest, checkService, resultOf } from './check_service.ts'
import { faulty } from './check_verdict.ts'

/** Settings of a series of checks. */
export interface CheckSettings extends Pick<ExternalClientOptions, 'allowsPrivate'> {
  /** Total timeout of a check. */
  readonly timeoutMs: number
  /** Maximum number of hosts that are requested at the same time. @default 16 */
  readonly inFlight?: number
  /** Maximum number of requests per second, without redirects. @default 50 */
  readonly perSecond?: number
  readonly signal: AbortSignal
  /** Receives an unexpected error of a check, which has no result. */
  readonly onError: (error: unknown, target: CheckTarget) => void
}

/** Maximum number of services that are read ahead to find other hosts, results included. */
const maxPending = 512

/**
 * Checks geoservices, with one request to a host at a time, and yields the results in batches as they arrive. Targets are
 * read as results are taken, so that neither accumulate.
 *
 * @throws {Problem} pipeline/interrupted if the signal is aborted
 */
export async function* checkServices(
  targets: AsyncIterable<CheckTarget>,
  settings: CheckSettings,
): AsyncGenerator<readonly CheckResult[]> {
  const { timeoutMs, allowsPrivate, signal } = settings
  const client = createExternalClient({ connectTimeoutMs: timeoutMs, allowsPrivate })
  const stop = new AbortController()
  const options = { client, timeoutMs, signal: AbortSignal.any([signal, stop.signal]) }
  const series = new CheckSeries(settings, options)
  const reading = series.read(targets)
  signal.addEventListener('abort', series.wake)
  try {
    yield* series.takeResults()
  } finally {
    signal.removeEventListener('abort', series.wake)
    stop.abort()
    await series.end()
    await reading
    await client.close()
  }
}

/** Checks that run, wait for their host, or have results that are not taken yet. */
class CheckSeries {
  readonly #queue: PQueue
  readonly #settings: CheckSettings
  readonly #options: CheckOptions
  /** Requests that wait for another of the same host. */
  readonly #waiting = new Map<string, CheckRequest[]>()
  #results: CheckResult[] = []
  /** Targets that were read, without those whose results were taken. */
  #pending = 0
  #allRead = false
  #readError: { readonly error: unknown } | undefined
  #changed = Promise.withResolvers<void>()

  constructor(settings: CheckSettings, options: CheckOptions) {
    const { inFlight = 16, perSecond = 50 } = settings
    this.#queue = new PQueue({ concurrency: inFlight, ...rateOf(perSecond) })
    this.#settings = settings
    this.#options = options
  }

  readonly wake = (): void => {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  async read(targets: AsyncIterable<CheckTarget>): Promise<void> {
    try {
      for await (const target of targets) {
        this.#start(target)
        while (this.#pending >= maxPending && !this.#isStopped) await this.#changed.promise
        if (this.#isStopped) return
      }
      this.#allRead = true
    } catch (error) {
      this.#readError = { error }
    } finally {
      this.wake()
    }
  }

  async *takeResults(): AsyncGenerator<readonly CheckResult[]> {
    while (this.#results.length > 0 || this.#pending > 0 || !this.#allRead) {
      const batch = this.#results
      if (batch.length > 0) {
        this.#results = []
        yield batch
        this.#pending -= batch.length
        this.wake()
      } else if (this.#readError !== undefined) throw this.#readError.error
      else if (this.#isStopped) throw problem('pipeline/interrupted', 'The checks were interrupted.')
      else await this.#changed.promise
    }
  }

  /** Drops the requests that wait, and waits for the others. */
  async end(): Promise<void> {
    this.#queue.clear()
    this.#waiting.clear()
    this.wake()
    await this.#queue.onIdle()
  }

  get #isStopped(): boolean {
    return this.#options.signal.aborted
  }

  #start(target: CheckTarget): void {
    this.#pending += 1
    try {
      this.#enqueue({ target, url: checkUrl(target, Math.random()) })
    } catch (error) {
      if (!(error instanceof AddressFault)) throw error
      this.#add(resultOf(target, faulty('failed', null, error.message), { code: 0, seconds: 0 }))
    }
  }

  #enqueue(request: CheckRequest): void {
    const host = hostOf(request.url)
    const line = this.#waiting.get(host)
    if (line !== undefined) {
      line.push(request)
      return
    }
    this.#waiting.set(host, [])
    this.#schedule(request, host)
  }

  #schedule(request: CheckRequest, host: string): void {
    this.#queue.add(async () => {
      await this.#check(request)
      const next = this.#waiting.get(host)?.shift()
      if (next === undefined) this.#waiting.delete(host)
      else this.#schedule(next, host)
    })
  }

  async #check(request: CheckRequest): Promise<void> {
    try {
      this.#add(await checkService(request, this.#options))
    } catch (error) {
      // Still pending: the series ends without it.
      if (this.#isStopped) return this.wake()
      this.#settings.onError(error, request.target)
      this.#pending -= 1
      this.wake()
    }
  }

  #add(result: CheckResult): void {
    this.#results.push(result)
    this.wake()
  }
}

/** Spreads requests over the second, in tenths of it. */
function rateOf(perSecond: number) {
  const interval = Math.max(100, 1000 / perSecond)
  return { interval, intervalCap: Math.max(1, Math.round((perSecond * interval) / 1000)) }
}
