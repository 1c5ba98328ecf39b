import { problem } from '../contract/problems.ts'
import { createExternalClient, type ExternalClientOptions } from '../http/external_client.ts'
import type { CheckTarget } from '../store/catalog/check_target.ts'
import type { CheckResult } from '../store/catalog/geoservice_status.ts'
import { hostOf } from './allowed_hosts.ts'
import { AddressFault, checkUrl } from './check_request.ts'
import { type CheckOptions, type CheckRequest, checkService, resultOf } from './check_service.ts'
import { faulty } from './check_verdict.ts'
import type { HostTurns } from './host_turns.ts'

/** Settings of a series of checks. */
export interface CheckSettings extends Pick<ExternalClientOptions, 'allowsPrivate'> {
  /** Total timeout of a check. */
  readonly timeoutMs: number
  /** Turns of the requests, shared by all runs of the process. */
  readonly turns: HostTurns
  readonly signal: AbortSignal
  /** Receives an unexpected error of a check, which has no result. */
  readonly onError: (error: unknown, target: CheckTarget) => void
}

/** Maximum number of services that are read ahead, results included. */
const maxPending = 512

/** Maximum number of services that wait for another of the same host, so that a slow host does not delay the others. */
const maxWaiting = 20_000

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
  readonly #settings: CheckSettings
  readonly #options: CheckOptions
  /** Checks that run. */
  readonly #running = new Set<Promise<void>>()
  #results: CheckResult[] = []
  /** Targets that were read, without those whose results were taken. */
  #pending = 0
  /** Targets that wait for their host. */
  #waiting = 0
  #allRead = false
  #readError: { readonly error: unknown } | undefined
  #changed = Promise.withResolvers<void>()

  constructor(settings: CheckSettings, options: CheckOptions) {
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
        while (this.#isFull && !this.#isStopped) await this.#changed.promise
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

  /** Waits for the checks that run. Those that wait for a turn do nothing when it comes. */
  async end(): Promise<void> {
    this.wake()
    await Promise.all(this.#running)
  }

  get #isFull(): boolean {
    return this.#pending - this.#waiting >= maxPending || this.#waiting >= maxWaiting
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
    const { turns } = this.#settings
    const host = hostOf(request.url)
    const waits = turns.isBusy(host) ? 1 : 0
    this.#waiting += waits
    turns.run(host, async () => {
      this.#waiting -= waits
      if (this.#isStopped) return
      const check = this.#check(request)
      this.#running.add(check)
      await check
      this.#running.delete(check)
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
