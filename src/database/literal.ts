import { problem } from '../contract/problems.ts'
import { serializeValue } from './values.ts'

/**
 * Writes a value as SQL that means what the bound value would mean: a quoted literal whose type the database infers
 * from its place, as it does for `$1`.
 *
 * @throws {Problem} database/query for text with a zero character, which PostgreSQL cannot hold
 */
export function formatLiteral(value: unknown): string {
  const text = serializeValue(value)
  if (text === null) return 'null'
  if (text.includes('\0')) {
    throw problem('database/query', 'a value holds a zero character', { data: { sqlstate: '22021' } })
  }
  const doubled = text.replaceAll("'", "''")
  // Blanks around it, so that it never runs into its neighbours.
  return text.includes('\\') ? ` E'${doubled.replaceAll('\\', '\\\\')}' ` : ` '${doubled}' `
}

/** What is no parameter although it may hold a `$1`: strings, names, comments, dollar quotes. */
const token =
  /[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(?<tag>[A-Za-z_]\w*)?\$[\s\S]*?\$\k<tag>\$|[A-Za-z_][\w$]*|\$(?<position>\d+)/gs

/**
 * Puts literals in the place of `$1`, `$2`, …, for statements that take no bound values (COPY).
 *
 * @throws {Problem} database/query when the text asks for a value that is not there
 */
export function bindLiterals(text: string, values: readonly unknown[]): string {
  return text.replaceAll(token, (match, ...rest) => {
    const { position } = rest.at(-1) as { position?: string }
    if (position === undefined) return match
    const at = Number(position) - 1
    if (at < 0 || at >= values.length) {
      throw problem('database/query', `there is no value for ${match}`, { data: { sqlstate: '42P02' } })
    }
    return formatLiteral(values[at])
  })
}
