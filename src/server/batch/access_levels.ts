/** Keys that an operation reads and writes. */
export interface Access {
  readonly reads: Set<string>
  readonly writes: Set<string>
}

/**
 * Assigns levels to a sequence of operations. Operations of one level can run together, since none of them reads or
 * writes what another one writes.
 */
export class AccessLevels {
  readonly #reads = new Map<string, number>()
  readonly #writes = new Map<string, number>()

  /** Returns the lowest level above all earlier operations that the next one depends on. */
  place({ reads, writes }: Access): number {
    let level = 0
    for (const key of reads) level = Math.max(level, after(this.#writes, key))
    for (const key of writes) level = Math.max(level, after(this.#writes, key), after(this.#reads, key))
    for (const key of reads) raise(this.#reads, key, level)
    for (const key of writes) raise(this.#writes, key, level)
    return level
  }
}

const after = (levels: ReadonlyMap<string, number>, key: string) => (levels.get(key) ?? -1) + 1

function raise(levels: Map<string, number>, key: string, level: number): void {
  levels.set(key, Math.max(levels.get(key) ?? 0, level))
}
