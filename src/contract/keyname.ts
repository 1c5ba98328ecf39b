import { uniqueName } from '../core/unique_name.ts'

/** Reserved names: the API uses them for other members of a feature. */
export const reservedKeynames: readonly string[] = ['id', 'geom']

const maxLength = 255

/**
 * Derives keynames from the field names of a source. Keynames are printable, unique and not `id` or `geom`: `id` becomes
 * `id_1`, an empty name `fld_1`.
 */
export function keynamesOf(names: readonly string[]): string[] {
  const cleaned = names.map(cleanName)
  // A valid name belongs to the field that has it; renamed fields do not take it.
  const kept = new Set(cleaned.filter((name) => name !== '' && !reservedKeynames.includes(name)))
  return distinctNames(cleaned, { isFree: (name) => !reservedKeynames.includes(name), kept })
}

/** Removes control, private and unassigned characters, and trims the name. */
export function cleanName(name: string): string {
  return name
    .replaceAll(/[\p{C}\uFFFD]/gu, '')
    .trim()
    .slice(0, maxLength)
}

interface Choice {
  readonly isFree: (name: string) => boolean
  /** Names that stay with the first field that has them. */
  readonly kept: ReadonlySet<string>
}

/** Makes names unique by numeric suffixes. */
export function distinctNames(names: readonly string[], { isFree, kept }: Choice): string[] {
  const used = new Set<string>()
  const counts = new Map<string, number>()
  const numbered = (name: string) => {
    const stem = name === '' ? 'fld' : name.slice(0, maxLength - 6)
    const isTaken = (candidate: string) =>
      candidate === stem || !isFree(candidate) || used.has(candidate) || kept.has(candidate)
    // Counting continues from the last number, so that a thousand equal names take a thousand steps.
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
