import { maxSearchText, maxWildcards } from '../contract/limits.ts'

/** How a pattern of LIKE is compared. */
export interface LikeOptions {
  readonly matchCase: boolean
  /** Whether a backslash makes the next character literal; otherwise it is a character as others. */
  readonly hasEscapes: boolean
}

/** A pattern to match, or why it is refused. */
export type CheckedPattern = { readonly pattern: string } | { readonly fault: string }

/**
 * Merges adjacent wildcards of a pattern, and limits its length and its wildcards: each row takes a time that grows with both.
 */
export function checkLikePattern(
  text: string,
  { hasEscapes }: Pick<LikeOptions, 'hasEscapes'>,
): CheckedPattern {
  if (text.length > maxSearchText)
    return { fault: `the pattern has ${text.length} characters, more than ${maxSearchText}` }
  const parts = text.match(hasEscapes ? /\\.|[%_]+|./gs : /[%_]+|./gs) ?? []
  if (hasEscapes && parts.at(-1) === '\\')
    return { fault: 'the pattern ends with a backslash, which escapes nothing' }
  let wildcards = 0
  const merged = parts.map((part) => {
    if (!/^[%_]/.test(part)) return part
    const single = part.replaceAll('%', '')
    const any = single === part ? '' : '%'
    wildcards += any.length
    return `${single}${any}`
  })
  return wildcards > maxWildcards
    ? { fault: `the pattern has ${wildcards} wildcards %, more than ${maxWildcards}` }
    : { pattern: merged.join('') }
}

/** Returns SQL that is true if a string matches a pattern, a bound parameter. */
export function likeSql(value: string, pattern: string, { matchCase, hasEscapes }: LikeOptions): string {
  const ending = hasEscapes ? '' : " escape ''"
  // As ILIKE does, but without converting the pattern for every row.
  return matchCase ? `${value} like ${pattern}${ending}` : `lower(${value}) like lower(${pattern})${ending}`
}
