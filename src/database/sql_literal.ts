import { problem } from '../contract/problems.ts'
import { serializeValue } from './pg_values.ts'

/**
 * Formats a value as SQL equivalent to the bound value: a quoted literal whose type the database infers from its
 * context, as for `$1`.
 *
 * @throws {Problem} database/query for a string with a NUL character, which PostgreSQL cannot store
 */
export function formatLiteral(value: unknown): string {
  const text = serializeValue(value)
  if (text === null) return 'null'
  if (text.includes('\0')) {
    throw problem('database/query', 'a value contains a NUL character', { data: { sqlstate: '22021' } })
  }
  const doubled = text.replaceAll("'", "''")
  // Spaces keep it apart from adjacent tokens.
  return text.includes('\\') ? ` E'${doubled.replaceAll('\\', '\\\\')}' ` : ` '${doubled}' `
}

/** Parameters, and the tokens that may contain text like `$1`: strings, identifiers, comments, dollar quotes. */
const token =
  /[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(?<tag>[A-Za-z_]\w*)?\$[\s\S]*?\$\k<tag>\$|[A-Za-z_][\w$]*|\$(?<position>\d+)/gs

/**
 * Replaces `$1`, `$2`, … with literals, for statements that do not accept bound values (COPY).
 *
 * @throws {Problem} database/query if a parameter has no value
 */
export function bindLiterals(text: string, values: readonly unknown[]): string {
  return text.replaceAll(token, (match, ...rest) => {
    const { position } = rest.at(-1) as { position?: string }
    if (position === undefined) return match
    const at = Number(position) - 1
    if (at < 0 || at >= values.length) {
      throw problem('database/query', `no value for parameter ${match}`, { data: { sqlstate: '42P02' } })
    }
    return formatLiteral(values[at])
  })
}
