import { digestLength } from '../../contract/feature_key.ts'

/** A feature of a layer, by its digests. */
export interface DigestedFeature {
  readonly id: number
  /** Digest of geometry and fields. */
  readonly digest: string
}

/** Digests of the features of a layer, by the digest of their key. */
export class FeatureDigests {
  readonly count: number
  readonly #byKey = new Map<string, DigestedFeature>()
  readonly #repeated: DigestedFeature[] = []

  /** @param lines digest of the key, digest of the feature and id, in one string each */
  constructor(lines: readonly string[]) {
    this.count = lines.length
    for (const line of lines) {
      const key = line.slice(0, digestLength)
      const id = Number(line.slice(2 * digestLength))
      const feature = { id, digest: line.slice(digestLength, 2 * digestLength) }
      if (this.#byKey.has(key)) this.#repeated.push(feature)
      else this.#byKey.set(key, feature)
    }
  }

  /** Finds the feature with a key; the first one if several have it. */
  find(key: string): DigestedFeature | undefined {
    return this.#byKey.get(key)
  }

  /** Lists the ids of the features whose key is not in a set, or is that of an earlier feature; in ascending order. */
  listOthers(keys: ReadonlySet<string>): number[] {
    const others = this.#repeated.map(({ id }) => id)
    for (const [key, { id }] of this.#byKey) if (!keys.has(key)) others.push(id)
    return others.sort((a, b) => a - b)
  }

  /** Counts the features by the digest of geometry and fields. */
  countContents(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { digest } of [...this.#byKey.values(), ...this.#repeated])
      counts.set(digest, (counts.get(digest) ?? 0) + 1)
    return counts
  }
}
