/** Generates unique keys. */
export interface KeyMaker {
  /** Derives a key from a name, or from `fallback` if the name has no letters or digits a key allows. */
  make(name: string, fallback: string): string
}

/** Creates a generator of keys that differ from those that are taken. */
export function createKeyMaker(isTaken: (key: string) => boolean): KeyMaker {
  const used = new Set<string>()
  return {
    make: (name, fallback) => {
      const base = slugOf(name) || fallback
      let key = base
      for (let number = 2; used.has(key) || isTaken(key); number += 1) key = `${base}_${number}`
      used.add(key)
      return key
    },
  }
}

/** Converts a name to lower-case letters, digits and underscores: `Straßen & Plätze` is `strassen_platze`. */
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
