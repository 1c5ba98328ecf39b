import { AsyncLocalStorage } from 'node:async_hooks'
import { problem } from '../contract/problems.ts'
import type { Database } from './database.ts'
import { toAborted } from './statement_watch.ts'

/** Unit of fair scheduling, such as a user, and the limits of its statements. */
export interface Party {
  /** Identifies the party: all requests of a user, or of guests from one network, share its turns. */
  readonly name: string
  /** Maximum duration of a statement in milliseconds, by driver. */
  readonly statementMs: Readonly<Record<Database['driver'], number>>
}

const parties = new AsyncLocalStorage<Party | undefined>()

/** Runs work on behalf of a party: its database statements use the turns and the limits of the party. */
export function workFor<T>(party: Party, work: () => T): T {
  return parties.run(party, work)
}

/**
 * Runs work on behalf of the server, such as reads whose result several parties share: in the turns of one party, the
 * others would have to wait for all of its earlier requests.
 */
export function workForServer<T>(work: () => T): T {
  return parties.run(undefined, work)
}

/** Returns the party of the running work; undefined for work of the server itself. */
export function currentParty(): Party | undefined {
  return parties.getStore()
}

/** Limits of concurrent turns. */
export interface TurnLimits {
  /** Maximum number of concurrent turns. */
  readonly atOnce: number
  /** Maximum number of concurrent turns of a party; the rest is reserved for other parties. */
  readonly perParty: number
  /** Maximum wait for a turn in milliseconds; unlimited if undefined. */
  readonly waitMs?: number | undefined
}

/** Party name of the server itself. */
const serverName = ''

interface Waiting {
  readonly start: () => void
}

/**
 * Grants the use of connections to parties in turn (round-robin): a hundred requests of one party delay another party
 * by one turn at most.
 */
export class Turns {
  readonly #limits: TurnLimits
  readonly #taken = new Map<string, number>()
  /** Queued requests by party; the next party comes first. */
  readonly #waiting = new Map<string, Set<Waiting>>()
  #free: number

  constructor(limits: TurnLimits) {
    this.#limits = limits
    this.#free = limits.atOnce
  }

  /**
   * Waits for a turn, and returns the function that ends it. The server itself may take all turns.
   *
   * @throws {Problem} database/busy after the maximum wait; the reason of an aborted signal
   */
  async take(party = serverName, signal?: AbortSignal): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting: Waiting = { start: resolve }
    const line = this.#waiting.get(party) ?? new Set()
    this.#waiting.set(party, line.add(waiting))
    this.#grantTurns()
    try {
      await this.#waitForStart(promise, signal)
    } catch (error) {
      this.#leave(party, waiting)
      throw error
    }
    return () => this.#end(party)
  }

  async #waitForStart(started: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const { waitMs } = this.#limits
    const { promise: failed, reject } = Promise.withResolvers<never>()
    const abort = () => signal !== undefined && reject(toAborted(signal))
    const busy = () => reject(problem('database/busy', 'all connections to the database are in use'))
    const timer = waitMs === undefined ? undefined : setTimeout(busy, waitMs)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      await Promise.race([started, failed])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  #grantTurns(): void {
    for (const [party, line] of this.#waiting) {
      if (this.#free === 0) return
      const [first] = line
      const most = party === serverName ? this.#limits.atOnce : this.#limits.perParty
      if (first === undefined || (this.#taken.get(party) ?? 0) >= most) continue
      line.delete(first)
      // Moves the party to the end of the queue.
      this.#waiting.delete(party)
      if (line.size > 0) this.#waiting.set(party, line)
      this.#taken.set(party, (this.#taken.get(party) ?? 0) + 1)
      this.#free -= 1
      first.start()
    }
  }

  #leave(party: string, waiting: Waiting): void {
    const line = this.#waiting.get(party)
    // The turn was granted at the same time: pass it on.
    if (line?.delete(waiting) !== true) this.#end(party)
    else if (line.size === 0) this.#waiting.delete(party)
  }

  #end(party: string): void {
    const left = (this.#taken.get(party) ?? 1) - 1
    if (left === 0) this.#taken.delete(party)
    else this.#taken.set(party, left)
    this.#free += 1
    this.#grantTurns()
  }
}
