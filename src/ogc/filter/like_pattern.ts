/** Special characters of a pattern. */
export interface PatternSyntax {
  readonly wildCard: string
  readonly singleChar: string
  readonly escapeChar: string
}

/**
 * Converts a pattern to one of SQL, with a backslash as the escape character.
 *
 * @see OGC 09-026r2 clause 7.7.3.5
 */
export function sqlPattern(text: string, { wildCard, singleChar, escapeChar }: PatternSyntax): string {
  let pattern = ''
  for (let at = 0; at < text.length; ) {
    const next = (special: string) => special !== '' && text.startsWith(special, at)
    if (next(escapeChar) && at + escapeChar.length < text.length) {
      at += escapeChar.length
      pattern += literal(text[at] ?? '')
      at += 1
    } else if (next(wildCard)) {
      pattern += '%'
      at += wildCard.length
    } else if (next(singleChar)) {
      pattern += '_'
      at += singleChar.length
    } else {
      pattern += literal(text[at] ?? '')
      at += 1
    }
  }
  return pattern
}

const literal = (character: string) => (/[%_\\]/.test(character) ? `\\${character}` : character)
