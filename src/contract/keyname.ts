import { uniqueName } from '../core/unique_name.ts'

/** Names that the API uses for other members of a feature: no field can have them as keyname. */
export const reservedKeynames: readonly string[] = ['id', 'geom']

const longest = 255

/**
 * Makes keynames out of the names that fields have in a source. They have to be printable, different and not `id` or
 * `geom`: `id` becomes `id_1`, an empty name `fld_1`.
 */
export function keynamesOf(names: readonly string[]): string[] {
  const cleaned = names.map(cleanName)
  // A name that may stay is not taken from the field that has it by one that has to change.
  const kept = new Set(cleaned.filter((name) => name !== '' && !reservedKeynames.includes(name)))
  return distinctNames(cleaned, { isFree: (name) => !reservedKeynames.includes(name), kept })
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
    const isTaken = (candidate: string) =>
      candidate === stem || !isFree(candidate) || used.has(candidate) || kept.has(candidate)
    // Counted on from the last number, so that a thousand equal names take a thousand steps.
    const chosen = uniqueName(stem, { isTaken, firstNumber: (counts.get(stem) ?? 0) + 1 })
    counts.set(stem, Number(chosen.slice(stem.length + 1)))
    return chosen
  }
  return names.map((name) => {
    const chosen = name !== '' && isFree(name) && !used.has(name) ? name : numbered(name)
    used.add(chosen)
    return chosen
  })
}
