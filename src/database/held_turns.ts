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

/** Who reads which table. */
export interface TableUse {
  /** Undefined for the server itself, which reads for many. */
  readonly party: string | undefined
  readonly table: string
}

/** How a turn ended: `overdue` if its statement ran into a time limit. */
export type TurnEnd = 'done' | 'overdue'

/**
 * Holds parties and tables whose statements ran into a time limit to few turns at once, until their statements are quick
 * again: a party and a table to two, a party to one for such a table, and all of them together to half of the turns.
 */
export class HeldTurns {
  readonly #most: number
  readonly #running = new Set<TableUse>()
  readonly #parties = new TimeOuts()
  readonly #tables = new TimeOuts()

  /** @param atOnce maximum number of concurrent turns, also of those that are not held */
  constructor(atOnce: number) {
    this.#most = Math.max(1, Math.floor(slowLimits.share * atOnce))
  }

  /** Records that a turn starts. */
  start(use: TableUse): void {
    this.#running.add(use)
  }

  /** Records that a turn ends, after a duration in milliseconds. */
  end(use: TableUse, end: TurnEnd, ms: number): void {
    this.leave(use)
    const record = (names: TimeOuts, name: string) =>
      end === 'overdue' ? names.fail(name) : names.succeed(name, ms)
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

  /** Tells whether a party is held; the server itself never is. */
  holds(party: string | undefined): boolean {
    return party !== undefined && this.#parties.has(party)
  }
}
