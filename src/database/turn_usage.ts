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
export class TurnUsage {
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
