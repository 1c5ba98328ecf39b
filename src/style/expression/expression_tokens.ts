/** A syntax error in an expression, or a part that is not supported. */
export class ExpressionFault extends Error {
  /** Offset in the text of the expression, in UTF-16 code units from 0. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** Part of the text of an expression. */
export interface Token {
  /** `name` is a quoted field; `word` a keyword, function or unquoted field; `end` follows the last token. */
  readonly kind: 'name' | 'string' | 'number' | 'word' | 'special' | 'symbol' | 'end'
  /** Value of a quoted name or string, lower-case operator, or the text itself. */
  readonly text: string
  readonly offset: number
}

/** Maximum length of an expression, in characters. */
export const maxExpressionLength = 65_536

const tokenPattern = new RegExp(
  [
    /(?<space>\s+|--[^\r\n]*|\/\*[\s\S]*?\*\/)/u,
    /(?<number>\d*\.\d+(?:e[-+]?\d+)?|\d+(?:e[-+]?\d+)?)(?![\w.])/u,
    /'(?<string>(?:''|\\[\s\S]|[^'\\])*)'/u,
    /"(?<name>(?:""|[^"])*)"/u,
    /(?<special>[@$][\p{L}_][\p{L}\d_]*)/u,
    /(?<word>[\p{L}_][\p{L}\d_]*)/u,
    /(?<symbol>\|\||<>|!=|<=|>=|\/\/|[-+*/%^=<>~(),])/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'iuy',
)

/**
 * Splits an expression of QGIS into tokens. Comments, `-- …` and `/* … *\/`, are left out.
 *
 * @throws {ExpressionFault}
 */
export function tokenizeExpression(text: string): Token[] {
  if (text.length > maxExpressionLength)
    throw new ExpressionFault(`longer than ${maxExpressionLength} characters`, maxExpressionLength)
  const tokens: Token[] = []
  const pattern = new RegExp(tokenPattern)
  while (pattern.lastIndex < text.length) {
    const offset = pattern.lastIndex
    const groups = pattern.exec(text)?.groups
    if (groups === undefined) throw new ExpressionFault(`unexpected ${quoteAt(text, offset)}`, offset)
    if (groups.space === undefined) tokens.push({ ...tokenOf(groups), offset })
  }
  return [...tokens, { kind: 'end', text: 'end of expression', offset: text.length }]
}

function quoteAt(text: string, offset: number): string {
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0)
  return character === "'" || character === '"' ? `${character}, which is not closed` : `"${character}"`
}

function tokenOf(groups: Readonly<Record<string, string | undefined>>): Omit<Token, 'offset'> {
  const { number, string, name, special, word, symbol = '' } = groups
  if (number !== undefined) return { kind: 'number', text: number }
  if (string !== undefined) return { kind: 'string', text: unescapeString(string) }
  if (name !== undefined) return { kind: 'name', text: name.replaceAll('""', '"') }
  if (special !== undefined) return { kind: 'special', text: special }
  if (word !== undefined) return { kind: 'word', text: word }
  return { kind: 'symbol', text: symbol === '!=' ? '<>' : symbol }
}

const escapeSequences: Readonly<Record<string, string>> = {
  "''": "'",
  '\\n': '\n',
  '\\t': '\t',
  '\\\\': '\\',
  "\\'": "'",
}

/** QGIS reads an unknown escape sequence as a question mark. */
function unescapeString(text: string): string {
  return text.replaceAll(/''|\\[\s\S]/gu, (sequence) => escapeSequences[sequence] ?? '?')
}
