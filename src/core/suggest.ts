import { closest, distance } from 'fastest-levenshtein'

/** Length from which a word is not a misspelled one; comparing it takes a time that grows with it. */
const maxWord = 1000

/**
 * Finds the known word that is most similar to a misspelled one, or else the only one that has it as a part, or is a part of it:
 * `source_layer` for `layer`. Undefined if there is none.
 */
export function findSuggestion(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > maxWord) return undefined
  const lower = word.toLowerCase()
  const sameLetters = known.find((candidate) => candidate.toLowerCase() === lower)
  return sameLetters ?? findSimilar(word, known) ?? findLonger(lower, known)
}

function findSimilar(word: string, known: readonly string[]): string | undefined {
  const best = closest(word, [...known])
  // Two swapped letters count as two edits, so words of four or more letters allow two.
  const shorter = Math.min(word.length, best.length)
  const allowed = shorter <= 3 ? 1 : Math.max(2, Math.floor(shorter / 3))
  return distance(word, best) <= allowed ? best : undefined
}

function findLonger(lower: string, known: readonly string[]): string | undefined {
  const partsOf = (name: string) => name.toLowerCase().split(/[^a-z0-9]+/)
  const parts = partsOf(lower)
  const found = known.filter((name) => partsOf(name).includes(lower) || parts.includes(name.toLowerCase()))
  return found.length === 1 ? found[0] : undefined
}

/** Returns `did you mean "x"?`, or undefined if no known word is similar. */
export function findHint(word: string, known: readonly string[]): string | undefined {
  const suggestion = findSuggestion(word, known)
  return suggestion === undefined ? undefined : `did you mean "${suggestion}"?`
}
