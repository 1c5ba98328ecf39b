/** Returns the singular or plural of a noun for a count: `feature`, `features`. */
export function pluralOf(noun: string, count: number): string {
  if (count === 1) return noun
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}

/** Formats a count: `199,568`. */
export function showNumber(count: number): string {
  // Intl takes longer to load than most commands run.
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** Formats a count with its noun: `1 feature`, `199,568 features`. */
export function countOf(count: number, noun: string): string {
  return `${showNumber(count)} ${pluralOf(noun, count)}`
}

/** Lists the first of many names: `a, b and 3 more`. */
export function joinFirst(names: readonly string[], most = 5): string {
  if (names.length <= most) return names.join(', ')
  return `${names.slice(0, most).join(', ')} and ${showNumber(names.length - most)} more`
}

/** Joins words: `a`, `a and b`, `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}
