import PQueue from 'p-queue'

/** Limits of requests to the hosts of geoservices. */
export interface HostLimits {
  /** Maximum number of hosts that are requested at the same time. @default 16 */
  readonly inFlight?: number
  /** Maximum number of requests per second, without redirects. @default 50 */
  readonly perSecond?: number
}

type Work = () => Promise<void>

/** Gives turns to requests: one of a host at a time, and a limited number of all. Shared by the runs of a process. */
export class HostTurns {
  readonly #queue: PQueue
  /** Work that waits for another of the same host. */
  readonly #lines = new Map<string, Work[]>()

  constructor({ inFlight = 16, perSecond = 50 }: HostLimits = {}) {
    this.#queue = new PQueue({ concurrency: inFlight, ...rateOf(perSecond) })
  }

  /** Runs work, which must not throw, in a turn of its host. */
  run(host: string, work: Work): void {
    const line = this.#lines.get(host)
    if (line !== undefined) {
      line.push(work)
      return
    }
    this.#lines.set(host, [])
    this.#schedule(host, work)
  }

  /** Tells whether a request of the host is running or about to run, so that another one would wait for it. */
  isBusy(host: string): boolean {
    return this.#lines.has(host)
  }

  #schedule(host: string, work: Work): void {
    this.#queue.add(async () => {
      await work()
      const next = this.#lines.get(host)?.shift()
      if (next === undefined) this.#lines.delete(host)
      else this.#schedule(host, next)
    })
  }
}

/** Spreads requests over the second, in tenths of it. */
function rateOf(perSecond: number) {
  const interval = Math.max(100, 1000 / perSecond)
  return { interval, intervalCap: Math.max(1, Math.round((perSecond * interval) / 1000)) }
}
