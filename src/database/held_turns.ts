import { slowLimits } from '../contract/limits.ts'

/** Number of names above which those with the fewest statements to go are forgotten. */
const maxNames = 1000

/** Names of parties or tables whose statements ran into a time limit. */
class TimeOuts {
  /** Quick statements until a name is free again. */
  readonly #left = new Map<string, number>()

  fail(name: string): void {
    const { least, most } = slowLimits.quickStatements
    // Doubled, so that quick statements between slow ones are of no use.
    const left = Math.min(most, Math.max(least, 2 * (this.#left.get(name) ?? 0)))
    if (this.#left.size >= maxNames && !this.#left.has(name)) this.#forgetOne()
    this.#left.set(name, left)
  }

  succeed(name: string, ms: number): void {
    const left = this.#left.get(name)
    if (left === undefined || ms > slowLimits.quickMs) return
    if (left > 1) this.#left.set(name, left - 1)
    else this.#left.delete(name)
  }

  has(name: string): boolean {
    return this.#left.has(name)
  }

  #forgetOne(): void {
    const [first] = [...this.#left].sort(([, a], [, b]) => a - b)
    if (first !== undefined) this.#left.delete(first[0])
  }
}

/** Parties whose statements about a table ended with a restart of the database. */
class Refusals {
  readonly #refused = new Map<string, { seconds: number; untilMs: number }>()

  add({ party, table }: TableUse, nowMs: number): void {
    if (party === undefined) return
    const { least, most } = slowLimits.refusedSeconds
    for (const [key, { untilMs }] of this.#refused)
      if (untilMs + 1000 * most < nowMs || this.#refused.size > maxNames) this.#refused.delete(key)
    const key = keyOf({ party, table })
    const seconds = Math.min(most, Math.max(least, 2 * (this.#refused.get(key)?.seconds ?? 0)))
    this.#refused.set(key, { seconds, untilMs: nowMs + 1000 * seconds })
  }

  secondsLeft(use: TableUse, nowMs: number): number {
    // Asked for all that wait, and nearly never of use.
    if (this.#refused.size === 0) return 0
    const { untilMs = nowMs } = this.#refused.get(keyOf(use)) ?? {}
    return Math.max(0, Math.ceil((untilMs - nowMs) / 1000))
  }
}

const keyOf = ({ party, table }: TableUse) => JSON.stringify([party, table])

/** Who reads which table. */
export interface TableUse {
  /** Undefined for the server itself, which reads for many. */
  readonly party: string | undefined
  readonly table: string
}

/** How a turn ended: `overdue` if its statement ran into a time limit, `killed` if the database was restarted to end it. */
export type TurnEnd = 'done' | 'overdue' | 'killed'

/**
 * Holds parties and tables whose statements ran into a time limit to few turns at once, until their statements are quick
 * again: a party and a table to two, a party to one for such a table, and all of them together to half of the turns.
 */
export class HeldTurns {
  readonly #most: number
  readonly #running = new Set<TableUse>()
  readonly #parties = new TimeOuts()
  readonly #tables = new TimeOuts()
  readonly #refusals = new Refusals()

  /** @param atOnce maximum number of concurrent turns, also of those that are not held */
  constructor(atOnce: number) {
    this.#most = Math.max(1, Math.floor(slowLimits.share * atOnce))
  }

  /** Records that a turn starts. */
  start(use: TableUse): void {
    this.#running.add(use)
  }

  /** Records that a turn ends, with its duration and the time in milliseconds. */
  end(use: TableUse, end: TurnEnd, { ms, nowMs }: { readonly ms: number; readonly nowMs: number }): void {
    this.leave(use)
    if (end === 'killed') this.#refusals.add(use, nowMs)
    const record = (names: TimeOuts, name: string) =>
      end === 'done' ? names.succeed(name, ms) : names.fail(name)
    if (use.party !== undefined) record(this.#parties, use.party)
    record(this.#tables, use.table)
  }

  /** Records that a turn was not used. */
  leave(use: TableUse): void {
    this.#running.delete(use)
  }

  /** Tells whether a turn has to wait for others that are held. */
  isFull({ party, table }: TableUse): boolean {
    const [isSlowParty, isSlowTable] = [this.holds(party), this.#tables.has(table)]
    if (!(isSlowParty || isSlowTable)) return false
    const { atOnce } = slowLimits
    const running = [...this.#running]
    const ofParty = isSlowParty ? running.filter((use) => use.party === party) : []
    const ofTable = isSlowTable ? running.filter((use) => use.table === table) : []
    if (Math.max(ofParty.length, ofTable.length) >= atOnce) return true
    if (ofParty.some((use) => ofTable.includes(use))) return true
    return running.filter((use) => this.holds(use.party) || this.#tables.has(use.table)).length >= this.#most
  }

  /** Returns for how many seconds turns are refused; 0 if they are not. */
  refusedSeconds(use: TableUse | undefined, nowMs: number): number {
    return use === undefined ? 0 : this.#refusals.secondsLeft(use, nowMs)
  }

  /** Tells whether a party is held; the server itself never is. */
  holds(party: string | undefined): boolean {
    return party !== undefined && this.#parties.has(party)
  }
}
