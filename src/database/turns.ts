import { AsyncLocalStorage } from 'node:async_hooks'
import { problem } from '../contract/problems.ts'
import type { Database } from './database.ts'
import { toAborted } from './statement_watch.ts'

/** For whom something is done, and how long it may keep a connection from others. */
export interface Party {
  /** Those of one name take turns with each other as one: the requests of a user, or of guests from one network. */
  readonly name: string
  /** Most milliseconds one statement may take. */
  readonly statementMs: Readonly<Record<Database['driver'], number>>
}

const parties = new AsyncLocalStorage<Party | undefined>()

/** Does work for a party: whatever it asks of databases takes the turns of that party and keeps to its limits. */
export function workFor<T>(party: Party, work: () => T): T {
  return parties.run(party, work)
}

/**
 * Does work for the server itself. For reads that callers of several parties share: in the turn of one of them, the
 * others would wait for all that it has asked for.
 */
export function workForServer<T>(work: () => T): T {
  return parties.run(undefined, work)
}

/** Gives the party that is being worked for; undefined where it is the server itself. */
export function currentParty(): Party | undefined {
  return parties.getStore()
}

/** How turns are given. */
export interface TurnLimits {
  /** Turns that are taken at a time. */
  readonly atOnce: number
  /** Most of them that one party has; others find the rest free. */
  readonly perParty: number
  /** Most milliseconds that a turn is waited for; without end where undefined. */
  readonly waitMs?: number | undefined
}

/** Stands for the server itself. */
const ownName = ''

interface Waiting {
  readonly start: () => void
}

/**
 * Gives turns to parties in rotation: who asks for a hundred at once waits for his own, and others wait for one of his.
 */
export class Turns {
  readonly #limits: TurnLimits
  readonly #taken = new Map<string, number>()
  /** Who waits, by party; the party whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<Waiting>>()
  #free: number

  constructor(limits: TurnLimits) {
    this.#limits = limits
    this.#free = limits.atOnce
  }

  /**
   * Waits for a turn; gives what ends it. The server itself, which no name stands for, may have all of them.
   *
   * @throws {Problem} database/busy after the longest wait; what the signal says
   */
  async take(party = ownName, signal?: AbortSignal): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting: Waiting = { start: resolve }
    const line = this.#waiting.get(party) ?? new Set()
    this.#waiting.set(party, line.add(waiting))
    this.#giveTurns()
    try {
      await this.#untilStarted(promise, signal)
    } catch (error) {
      this.#leave(party, waiting)
      throw error
    }
    return () => this.#end(party)
  }

  async #untilStarted(started: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const { waitMs } = this.#limits
    const { promise: given, reject } = Promise.withResolvers<never>()
    const leave = () => signal !== undefined && reject(toAborted(signal))
    const busy = () => reject(problem('database/busy', 'all connections to the database are in use'))
    const timer = waitMs === undefined ? undefined : setTimeout(busy, waitMs)
    signal?.addEventListener('abort', leave, { once: true })
    try {
      await Promise.race([started, given])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    }
  }

  #giveTurns(): void {
    for (const [party, line] of this.#waiting) {
      if (this.#free === 0) return
      const [first] = line
      const most = party === ownName ? this.#limits.atOnce : this.#limits.perParty
      if (first === undefined || (this.#taken.get(party) ?? 0) >= most) continue
      line.delete(first)
      // Whoever has had a turn stands behind all others.
      this.#waiting.delete(party)
      if (line.size > 0) this.#waiting.set(party, line)
      this.#taken.set(party, (this.#taken.get(party) ?? 0) + 1)
      this.#free -= 1
      first.start()
    }
  }

  #leave(party: string, waiting: Waiting): void {
    const line = this.#waiting.get(party)
    // Given in the moment of leaving: the turn is passed on.
    if (line?.delete(waiting) !== true) this.#end(party)
    else if (line.size === 0) this.#waiting.delete(party)
  }

  #end(party: string): void {
    const left = (this.#taken.get(party) ?? 1) - 1
    if (left === 0) this.#taken.delete(party)
    else this.#taken.set(party, left)
    this.#free += 1
    this.#giveTurns()
  }
}
