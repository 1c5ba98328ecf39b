import { countExpressionWork } from './expression_work.ts'

/** Part of a pattern: a character, `_` (any character) or `%` (any string). */
type Part = { readonly character: string } | '_' | '%'

/**
 * Compiles a pattern of `LIKE` to a function that matches whole strings. `%` stands for any string, `_` for any character,
 * `\%` and `\_` for the characters themselves. The time is at most proportional to the product of the two lengths.
 */
export function compileLike(pattern: string, ignoresCase: boolean): (text: string) => boolean {
  const folded = ignoresCase ? pattern.toLowerCase() : pattern
  const parts = [...folded.matchAll(/\\[%_]|[\s\S]/gu)].map(([part]): Part => {
    if (part === '%' || part === '_') return part
    return { character: part.length > 1 && part.startsWith('\\') ? part.slice(1) : part }
  })
  return (text) => matchParts(parts, [...(ignoresCase ? text.toLowerCase() : text)])
}

/** On a mismatch, only the last `%` takes one more character: earlier ones never need to. */
function matchParts(parts: readonly Part[], characters: readonly string[]): boolean {
  let [at, part] = [0, 0]
  let [anyPart, anyAt, steps] = [-1, 0, 0]
  while (at < characters.length) {
    steps += 1
    if (steps % 4 === 0) countExpressionWork(2)
    const expected = parts[part]
    if (expected === '%') {
      anyPart = part
      anyAt = at
      part += 1
    } else if (expected === '_' || (expected !== undefined && expected.character === characters[at])) {
      at += 1
      part += 1
    } else if (anyPart >= 0) {
      anyAt += 1
      at = anyAt
      part = anyPart + 1
    } else return false
  }
  return parts.slice(part).every((rest) => rest === '%')
}
