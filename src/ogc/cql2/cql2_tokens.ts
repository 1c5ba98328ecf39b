import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'

/** A token of CQL2 text. */
export interface Cql2Token {
  readonly kind: 'name' | 'string' | 'number' | 'symbol' | 'end'
  /** Without quotes and escapes. */
  readonly text: string
  /** Whether a name is in double quotes, and therefore no keyword. */
  readonly isQuoted: boolean
  /** Start and end in the text, 0-based. */
  readonly start: number
  readonly end: number
}

/** Maximum length of a filter in characters. */
const maxLength = 64 * 1024

const patterns = [
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iuy],
  ['name', /[\p{L}_:][\p{L}\p{M}\p{N}_:.]*/uy],
  ['name', /"(?:[^"]|"")+"/uy],
  ['string', /'(?:[^']|'')*'/uy],
  ['symbol', /<=|>=|<>|[=<>(),+\-*/^%]/uy],
] as const

/**
 * Splits CQL2 text into tokens; the last one is the end.
 *
 * @throws {Problem} request/invalid for a character that starts no token
 * @see OGC 21-065r2 annex B
 */
export function readCql2Tokens(text: string): Cql2Token[] {
  if (text.length > maxLength)
    throw problem('request/invalid', `filter has ${text.length} characters; the limit is ${maxLength}.`)
  const tokens: Cql2Token[] = []
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const token = readToken(text, at)
    tokens.push(token)
    at = skipSpace(text, token.end)
  }
  return [...tokens, { kind: 'end', text: '', isQuoted: false, start: text.length, end: text.length }]
}

function skipSpace(text: string, at: number): number {
  const space = /\s*/y
  space.lastIndex = at
  space.test(text)
  return space.lastIndex
}

function readToken(text: string, start: number): Cql2Token {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = start
    const [found] = pattern.exec(text) ?? []
    if (found === undefined) continue
    const isQuoted = found.startsWith('"')
    return { kind, text: unquote(found), isQuoted, start, end: start + found.length }
  }
  const isOpen = /['"]/.test(text[start] ?? '')
  throw cql2Error(start, isOpen ? 'the quotation mark is not closed' : `unexpected "${text[start]}"`)
}

function unquote(text: string): string {
  const [quote = ''] = text
  return quote === '"' || quote === "'" ? text.slice(1, -1).replaceAll(quote + quote, quote) : text
}

/** Creates an error at a position, 0-based. */
export function cql2Error(at: number, message: string, hint?: string): Problem {
  return problem('request/invalid', `filter: ${message} at character ${at + 1}.`, {
    hint,
    data: { location: ['query', 'filter'], character: at + 1 },
  })
}
