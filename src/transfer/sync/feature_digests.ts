import { digestLength } from '../../contract/feature_key.ts'

/** Digests of the features of a layer, by the digest of their key. */
export class FeatureDigests {
  readonly count: number
  // The texts are kept as they came: hundreds of thousands of features would make as many objects.
  readonly #lines: readonly string[]
  readonly #byKey = new Map<string, number>()
  readonly #isTaken: Uint8Array
  /** Positions of features with the key of an earlier one. */
  readonly #repeated = new Set<number>()
  #next = 0

  /** @param lines digest of the key, digest of geometry and fields, and id, in one string each */
  constructor(lines: readonly string[]) {
    this.count = lines.length
    this.#lines = lines
    this.#isTaken = new Uint8Array(lines.length)
    for (const [at, line] of lines.entries()) {
      const key = line.slice(0, digestLength)
      if (this.#byKey.has(key)) this.#repeated.add(at)
      else this.#byKey.set(key, at)
    }
  }

  /** Returns the position of the feature with a key; of the first one if several have it. */
  find(key: string): number | undefined {
    return this.#byKey.get(key)
  }

  /**
   * Returns the position of the feature behind the last marked one, if it has a digest of geometry and fields, which is then found
   * without the digest of its key: a source mostly has the order of the layer.
   */
  findNext(digest: string): number | undefined {
    const position = this.#next
    const isOther = this.isTaken(position) || this.#repeated.has(position)
    return !isOther && this.hasContent(position, digest) ? position : undefined
  }

  /** Tells whether a feature is marked. */
  isTaken(position: number): boolean {
    return this.#isTaken[position] === 1
  }

  /** Marks a feature as one of the source. */
  take(position: number): void {
    this.#next = position + 1
    this.#isTaken[position] = 1
  }

  /** Tells whether a feature has a digest of geometry and fields. */
  hasContent(position: number, digest: string): boolean {
    return this.#lines[position]?.startsWith(digest, digestLength) === true
  }

  idOf(position: number): number {
    return Number(this.#lines[position]?.slice(2 * digestLength))
  }

  /** Lists the ids of the features that are not marked, in ascending order. */
  listOthers(): number[] {
    const others: number[] = []
    for (const [position, taken] of this.#isTaken.entries()) if (taken === 0) others.push(this.idOf(position))
    return others.sort((a, b) => a - b)
  }

  /** Counts the features by the digest of geometry and fields. */
  countContents(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const line of this.#lines) {
      const digest = line.slice(digestLength, 2 * digestLength)
      counts.set(digest, (counts.get(digest) ?? 0) + 1)
    }
    return counts
  }
}
