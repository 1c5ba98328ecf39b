/** Names of fields that the API gives a meaning of their own. */
const reserved: ReadonlySet<string> = new Set(['id', 'geom'])

const longest = 255

/**
 * Makes keynames out of the names that fields have in a source. They have to be printable, different and not `id` or
 * `geom`: `id` becomes `id_1`, an empty name `fld_1`.
 */
export function keynamesOf(names: readonly string[]): string[] {
  const cleaned = names.map(cleanName)
  // A name that may stay is not taken from the field that has it by one that has to change.
  const kept = new Set(cleaned.filter((name) => name !== '' && !reserved.has(name)))
  return distinctNames(cleaned, { isFree: (name) => !reserved.has(name), kept })
}

/** Controls, private and unassigned characters go; blanks at the ends too. */
export function cleanName(name: string): string {
  return name
    .replaceAll(/[\p{C}\uFFFD]/gu, '')
    .trim()
    .slice(0, longest)
}

interface Choice {
  readonly isFree: (name: string) => boolean
  /** Names that the first field to have them keeps. */
  readonly kept: ReadonlySet<string>
}

/** Makes names different, by a number behind those that have to change. */
export function distinctNames(names: readonly string[], { isFree, kept }: Choice): string[] {
  const used = new Set<string>()
  const counts = new Map<string, number>()
  const numbered = (name: string) => {
    const stem = name === '' ? 'fld' : name.slice(0, longest - 6)
    for (let number = (counts.get(stem) ?? 0) + 1; ; number++) {
      const candidate = `${stem}_${number}`
      if (!isFree(candidate) || used.has(candidate) || kept.has(candidate)) continue
      counts.set(stem, number)
      return candidate
    }
  }
  return names.map((name) => {
    const chosen = name !== '' && isFree(name) && !used.has(name) ? name : numbered(name)
    used.add(chosen)
    return chosen
  })
}
