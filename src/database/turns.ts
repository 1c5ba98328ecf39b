import { AsyncLocalStorage } from 'node:async_hooks'
import type { Problem } from '../core/problem.ts'
import { databaseBusy, exportBusy, heldBusy, restartBusy, tableBusy } from './busy_problems.ts'
import type { Database } from './database.ts'
import { HeldTurns, type TableUse, type TurnEnd } from './held_turns.ts'
import { toAborted } from './statement_watch.ts'

/** Time after which half of the use of a connection is forgotten, in milliseconds. */
const halfLifeMs = 5000

/** Difference in use that counts, in milliseconds: smaller ones leave the order of parties alone. */
const stepMs = 100

/** Duration from which a turn is slow, in milliseconds. */
const slowMs = 50

/** Number of parties above which those without recent use are forgotten. */
const maxParties = 1000

interface Use {
  readonly ms: number
  readonly at: number
  /** Duration of the last turn. */
  readonly lastMs: number
}

/** Recent use of connections by party. */
class TurnUsage {
  readonly #uses = new Map<string, Use>()

  /** Adds the duration of a turn that ends now. */
  add(party: string, ms: number, now: number): void {
    if (this.#uses.size > maxParties) this.#forget(now)
    this.#uses.set(party, { ms: this.#recentMs(party, now) + ms, at: now, lastMs: ms })
  }

  /** Returns the recent use of a party, in steps of 100 ms. */
  levelOf(party: string, now: number): number {
    return Math.floor(this.#recentMs(party, now) / stepMs)
  }

  /** Returns whether the last turn of a party was slow, so that the next one may be slow as well. */
  isSlow(party: string): boolean {
    return (this.#uses.get(party)?.lastMs ?? 0) >= slowMs
  }

  #recentMs(party: string, now: number): number {
    const use = this.#uses.get(party)
    return use === undefined ? 0 : use.ms * 0.5 ** ((now - use.at) / halfLifeMs)
  }

  #forget(now: number): void {
    for (const party of this.#uses.keys()) if (this.levelOf(party, now) === 0) this.#uses.delete(party)
  }
}

/** Unit of fair scheduling, such as a user, and the limits of its statements. */
export interface Party {
  /** Identifies the party: all requests of a user, or of guests from one network, share its turns. */
  readonly name: string
  /** Maximum duration of a statement in milliseconds, by driver. */
  readonly statementMs: Readonly<Record<Database['driver'], number>>
  /** Whether the work reads maps: it has a share of its own of the turns of the party. */
  readonly isMap?: boolean
}

const parties = new AsyncLocalStorage<Party | undefined>()

/** Runs work on behalf of a party: its database statements use the turns and the limits of the party. */
export function workFor<T>(party: Party, work: () => T): T {
  return parties.run(party, work)
}

/** Runs work on behalf of the same party with other limits of its statements. */
export function workWithin<T>(statementMs: Party['statementMs'], work: () => T): T {
  const party = currentParty()
  return party === undefined ? work() : workFor({ ...party, statementMs }, work)
}

/** Runs work that reads maps on behalf of the same party: its other requests, such as edits, do not wait behind it. */
export function workForMap<T>(work: () => T): T {
  const party = currentParty()
  return party === undefined ? work() : workFor({ ...party, isMap: true }, work)
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
  /** Maximum number of concurrent turns for a table, if requests name theirs: it may be locked. @default unlimited */
  readonly perTable?: number
  /** Maximum wait for a turn in milliseconds; unlimited if undefined. */
  readonly waitMs?: number | undefined
  /** The same for exports, which wait longer, since others take long. @default waitMs */
  readonly exportWaitMs?: number | undefined
  /** Maximum number of waiting requests of a party, and of all parties; unlimited if undefined. */
  readonly waiting?: { readonly perParty: number; readonly total: number }
  /** Creates the Problem of a request that cannot wait, or has waited too long; database/busy by default. */
  readonly toBusy?: () => Problem
  /** Returns the time in milliseconds. */
  readonly clock?: () => number
}

/** Party name of the server itself. */
const serverName = ''

/** What a turn is for. */
export interface TurnUse {
  /** The table of features that it reads, whose turns are limited; always, or after time-outs. */
  readonly table?: string | undefined
  /** See `Party`. */
  readonly isMap?: boolean | undefined
  /** Whether it reads many features for a client, which may take long: exports have a part of the turns. */
  readonly isExport?: boolean | undefined
}

/** Kinds of requests that take a part of the turns of their party. */
type Kind = 'maps' | 'exports'

interface Waiting {
  readonly start: () => void
  /** Who reads which table of features. */
  readonly use: TableUse | undefined
}

/** Queued requests of a party: those of a kind, or all others. */
interface Line {
  readonly name: string
  readonly party: string
  readonly kind: Kind | undefined
  readonly waiting: Set<Waiting>
}

function createLine(party: string, kind: Kind | undefined): Line {
  return { name: kind === undefined ? party : `${kind} of ${party}`, party, kind, waiting: new Set() }
}

/** Parts of the turns of a party that its requests of a kind may take; the rest is reserved for its other requests. */
const shares: Readonly<Record<Kind, number>> = { maps: 0.75, exports: 0.4 }

/** Part of all turns that exports may take. */
const exportShare = 0.5

const shareOf = (most: number, share: number) => Math.max(1, Math.floor(share * most))

/** The line whose turn is next, and its request that gets the turn. */
interface Next {
  readonly line: Line
  readonly first: Waiting
}

function count(counts: Map<string, number>, name: string, change: number): void {
  const next = (counts.get(name) ?? 0) + change
  if (next === 0) counts.delete(name)
  else counts.set(name, next)
}

/**
 * Time for which turns are kept back from slow parties after a turn, in milliseconds, and the longest time for which
 * they are kept back in a row. A request takes several turns, one after another; without it, each of them would wait
 * for a slow one of another party.
 */
const holdMs = 3
const maxHoldMs = 100

/**
 * Grants the use of connections, or of threads, to parties: to those with the least recent use first, and in turn (round-robin) among
 * equals. So a hundred requests of one party, or a few that take seconds each, delay a short request of another party
 * by one turn at most. Requests of a party that read maps, and exports, count as those of another one, but for its maximum.
 */
export class Turns {
  readonly #limits: TurnLimits
  readonly #taken = new Map<string, number>()
  /** By name of the line. */
  readonly #takenOfKind = new Map<string, number>()
  readonly #takenTables = new Map<string, number>()
  /** Queued requests by name of the line; the next line comes first. */
  readonly #waiting = new Map<string, Line>()
  readonly #usage = new TurnUsage()
  readonly #clock: () => number
  readonly #held: HeldTurns
  #free: number
  #exports = 0
  #waitingTotal = 0
  /** Keeps turns back from slow parties while it is set. */
  #holdTimer: NodeJS.Timeout | undefined
  /** Time since which no slow party that waits has had a turn. */
  #heldAt: number | undefined

  constructor(limits: TurnLimits) {
    this.#limits = limits
    this.#free = limits.atOnce
    this.#held = new HeldTurns(limits.atOnce)
    this.#clock = limits.clock ?? (() => performance.now())
  }

  /**
   * Waits for a turn, and returns the function that ends it, as `done` unless it says otherwise. The server itself may take all turns.
   *
   * @throws {Problem} database/busy, or that of `toBusy`, after the maximum wait or if too many requests wait; the reason of
   *   an aborted signal
   */
  async take(
    party = serverName,
    signal?: AbortSignal,
    { table, isMap = false, isExport = false }: TurnUse = {},
  ): Promise<(end?: TurnEnd) => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const reader = party === serverName ? undefined : party
    const waiting: Waiting = {
      start: resolve,
      use: table === undefined ? undefined : { party: reader, table },
    }
    const refusal = this.#held.refusedSeconds(waiting.use, this.#clock())
    if (refusal > 0) throw restartBusy(refusal)
    const own = createLine(party, isExport ? 'exports' : isMap ? 'maps' : undefined)
    const line = this.#waiting.get(own.name) ?? own
    this.#waiting.set(line.name, line)
    line.waiting.add(waiting)
    this.#waitingTotal += 1
    this.#grantTurns()
    try {
      this.#checkLine(line, waiting)
      await this.#waitForStart(promise, { use: waiting.use, kind: line.kind }, signal)
    } catch (error) {
      this.#leave(line, waiting)
      throw error
    }
    const start = this.#clock()
    return (end = 'done') => {
      const now = this.#clock()
      // What the server reads for many callers is never held back.
      if (party !== serverName) this.#usage.add(line.name, now - start, now)
      if (waiting.use !== undefined) this.#held.end(waiting.use, end, { ms: now - start, nowMs: now })
      this.#end(line, table)
    }
  }

  /** Tells whether statements of a party ran into a time limit, and have not been quick again since. */
  isHeld(party: string): boolean {
    return this.#held.holds(party)
  }

  /** Checks that not too many requests wait before one. */
  #checkLine({ waiting: line }: Line, waiting: Waiting): void {
    const { waiting: limit, toBusy = databaseBusy } = this.#limits
    if (limit === undefined || !line.has(waiting)) return
    if (line.size > limit.perParty || this.#waitingTotal > limit.total) throw toBusy()
  }

  async #waitForStart(
    started: Promise<void>,
    { use, kind }: { readonly use: TableUse | undefined; readonly kind: Kind | undefined },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { exportWaitMs, toBusy = kind === 'exports' ? exportBusy : databaseBusy } = this.#limits
    const waitMs = kind === 'exports' && exportWaitMs !== undefined ? exportWaitMs : this.#limits.waitMs
    const { promise: failed, reject } = Promise.withResolvers<never>()
    const abort = () => signal !== undefined && reject(toAborted(signal))
    const busy = () => reject((this.#findBusy(use) ?? toBusy)())
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
    while (this.#free > 0) {
      const next = this.#findNext()
      if (next === undefined) return
      const { line, first } = next
      line.waiting.delete(first)
      this.#waitingTotal -= 1
      // Moves the line to the end of the queue.
      this.#waiting.delete(line.name)
      if (line.waiting.size > 0) this.#waiting.set(line.name, line)
      this.#count(line, first.use?.table, 1)
      if (first.use !== undefined) this.#held.start(first.use)
      if (this.#usage.isSlow(line.name)) this.#heldAt = undefined
      first.start()
    }
  }

  #count({ name, party, kind }: Line, table: string | undefined, change: 1 | -1): void {
    count(this.#taken, party, change)
    if (kind !== undefined) count(this.#takenOfKind, name, change)
    if (kind === 'exports') this.#exports += change
    if (table !== undefined) count(this.#takenTables, table, change)
    this.#free -= change
  }

  /** Finds the waiting line with the least recent use whose party may take another turn. */
  #findNext(): Next | undefined {
    let next: Next | undefined
    let least = Number.POSITIVE_INFINITY
    const now = this.#clock()
    for (const line of this.#waiting.values()) {
      if (this.#isFull(line)) continue
      if (this.#holdTimer !== undefined && this.#usage.isSlow(line.name)) continue
      const level = this.#usage.levelOf(line.name, now)
      if (level >= least) continue
      const first = this.#findFirst(line.waiting)
      if (first === undefined) continue
      next = { line, first }
      least = level
    }
    return next
  }

  #isFull({ name, party, kind }: Line): boolean {
    const { atOnce, perParty } = this.#limits
    const most = party === serverName ? atOnce : perParty
    if ((this.#taken.get(party) ?? 0) >= most) return true
    if (kind === undefined) return false
    if (kind === 'exports' && this.#exports >= shareOf(atOnce, exportShare)) return true
    return (this.#takenOfKind.get(name) ?? 0) >= shareOf(most, shares[kind])
  }

  /** Finds the first request whose table may take another turn. */
  #findFirst(line: ReadonlySet<Waiting>): Waiting | undefined {
    for (const one of line) if (this.#findBusy(one.use) === undefined) return one
    return undefined
  }

  /** Returns why a table may not take another turn now; undefined if it may. */
  #findBusy(use: TableUse | undefined): (() => Problem) | undefined {
    if (use === undefined) return undefined
    const { perTable = Number.POSITIVE_INFINITY } = this.#limits
    if ((this.#takenTables.get(use.table) ?? 0) >= perTable) return tableBusy
    const seconds = this.#held.refusedSeconds(use, this.#clock())
    if (seconds > 0) return () => restartBusy(seconds)
    return this.#held.isFull(use) ? heldBusy : undefined
  }

  #leave(line: Line, waiting: Waiting): void {
    // The turn was granted at the same time: pass it on.
    if (!line.waiting.delete(waiting)) {
      if (waiting.use !== undefined) this.#held.leave(waiting.use)
      this.#end(line, waiting.use?.table)
      return
    }
    this.#waitingTotal -= 1
    if (line.waiting.size === 0) this.#waiting.delete(line.name)
  }

  #end(line: Line, table: string | undefined): void {
    this.#count(line, table, -1)
    this.#hold()
    this.#grantTurns()
  }

  #hold(): void {
    if (![...this.#waiting.keys()].some((name) => this.#usage.isSlow(name))) return
    clearTimeout(this.#holdTimer)
    this.#holdTimer = undefined
    const now = this.#clock()
    this.#heldAt ??= now
    if (now - this.#heldAt >= maxHoldMs) return
    this.#holdTimer = setTimeout(() => {
      this.#holdTimer = undefined
      this.#grantTurns()
    }, holdMs)
  }
}
