import { closest, distance } from 'fastest-levenshtein'

/** Finds the known word that is most similar to a misspelled one; undefined if none is similar. */
export function findSuggestion(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const lower = word.toLowerCase()
  const sameLetters = known.find((candidate) => candidate.toLowerCase() === lower)
  if (sameLetters !== undefined) return sameLetters
  const best = closest(word, [...known])
  // Two swapped letters count as two edits, so words of four or more letters allow two.
  const shorter = Math.min(word.length, best.length)
  const allowed = shorter <= 3 ? 1 : Math.max(2, Math.floor(shorter / 3))
  return distance(word, best) <= allowed ? best : undefined
}

/** Returns `did you mean "x"?`, or undefined if no known word is similar. */
export function findHint(word: string, known: readonly string[]): string | undefined {
  const suggestion = findSuggestion(word, known)
  return suggestion === undefined ? undefined : `did you mean "${suggestion}"?`
}
