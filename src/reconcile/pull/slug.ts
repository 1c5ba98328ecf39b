/** Gives keys to things that have none, each only once. */
export interface KeyMaker {
  /** Makes a key of a name; `fallback` where the name has no letter that a key may have. */
  make(name: string, fallback: string): string
}

/** Starts to give keys that differ from those that are taken. */
export function createKeyMaker(taken: Iterable<string>): KeyMaker {
  const used = new Set(taken)
  return {
    make: (name, fallback) => {
      const base = slugOf(name) || fallback
      let key = base
      for (let number = 2; used.has(key); number += 1) key = `${base}_${number}`
      used.add(key)
      return key
    },
  }
}

/** Writes a name in lower case letters, digits and underscores: `Straßen & Plätze` is `strassen_platze`. */
export function slugOf(name: string): string {
  return name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 100)
}
