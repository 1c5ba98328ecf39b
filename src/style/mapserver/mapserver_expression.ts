import { compileLinearPattern } from '../expression/linear_pattern.ts'
import type { Comparison, Filter, Operand } from './mapserver_filter.ts'

/** A syntax error in an expression. */
export class MapserverExpressionFault extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

/** Maximum nesting depth, so that parsing cannot exhaust the stack. */
const maxDepth = 50

/**
 * Parses a MapServer expression: a string, list (`{a,b}`) or regular expression (`/pattern/`) to compare the class item
 * with, or a logical expression such as `([population] > 1000 AND [kind] IN 'a,b')`.
 *
 * @param classItem field that the forms without a field refer to
 * @throws {MapserverExpressionFault}
 * @see https://mapserver.org/mapfile/expressions.html
 */
export function parseMapserverExpression(text: string, classItem: string | undefined): Filter {
  if (text.startsWith('(')) return parseLogical(text)
  if (isLogical(text)) throw new MapserverExpressionFault(`${text} is not in parentheses`, `write (${text})`)
  if (classItem === undefined)
    throw new MapserverExpressionFault(`${text} requires a <classitem> in the layer`)
  const pattern = /^\/(.*)\/(i?)$/s.exec(text)
  if (pattern) return matchOf(classItem, pattern[1] ?? '', pattern[2] === 'i')
  const list = /^\{(.*)\}$/s.exec(text)
  if (list) return { op: 'in', field: classItem, values: splitList(list[1] ?? '') }
  const quoted = /^(["'])(.*)\1$/s.exec(text)
  return { op: 'eq', field: classItem, value: quoted?.[2] ?? text }
}

/** A field in brackets that is compared, at the start of an expression. */
const comparedField = /^\s*(["']?)\[[^\]]+\]\1\s*(?:[=!<>~]|(?:eq|ne|lt|le|gt|ge|in|like)\b)/i

/**
 * Tells whether an expression without parentheses is a logical one, which names its fields: no class item has such a value, and
 * MapServer would compare it with that text.
 */
function isLogical(text: string): boolean {
  if (/^[{/]/.test(text) || !/\[[^\]]+\]/.test(text)) return false
  if (comparedField.test(text)) return true
  try {
    parseLogical(text)
    return true
  } catch (error) {
    if (error instanceof MapserverExpressionFault) return false
    throw error
  }
}

/** Formats a filter as a logical expression that `parseMapserverExpression` parses to an equal filter. */
export function formatMapserverExpression(filter: Filter): string {
  return `(${formatFilter(filter)})`
}

function formatFilter(filter: Filter): string {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.map((part) => `(${formatFilter(part)})`).join(` ${filter.op.toUpperCase()} `)
    case 'not':
      return `NOT (${formatFilter(filter.filter)})`
    case 'in':
      return `[${filter.field}] IN ${quote(filter.values.join(','))}`
    case 'matches':
      return `[${filter.field}] ${filter.ignoreCase ? '~*' : '~'} ${quote(filter.pattern)}`
    case 'computed':
      return `${formatOperand(filter.left)} ${operatorSymbols[filter.comparison]} ${formatOperand(filter.right)}`
    default:
      return `[${filter.field}] ${operatorSymbols[filter.op]} ${formatValue(filter.value)}`
  }
}

function formatOperand(operand: Operand): string {
  switch (operand.kind) {
    case 'field':
      return operand.isText ? `"[${operand.name}]"` : `[${operand.name}]`
    case 'literal':
      return formatValue(operand.value)
    case 'call':
      return `${operand.name}(${formatOperand(operand.operand)})`
    case 'arithmetic':
      return `${formatOperand(operand.left)} ${operand.operator} ${formatOperand(operand.right)}`
  }
}

const operatorSymbols: Readonly<Record<Comparison['op'], string>> = {
  eq: '=',
  ne: '!=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
}

const formatValue = (value: string | number) => (typeof value === 'number' ? String(value) : quote(value))

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const splitList = (text: string) => text.split(',')

function matchOf(field: string, pattern: string, ignoreCase: boolean): Filter {
  if (compileLinearPattern(pattern, { ignoresCase: ignoreCase }) === undefined)
    throw new MapserverExpressionFault(`/${pattern}/ is not a regular expression that is supported`)
  return { op: 'matches', field, pattern, ignoreCase }
}

interface Token {
  readonly kind: 'field' | 'text' | 'number' | 'word'
  readonly text: string
}

interface Cursor {
  readonly tokens: readonly Token[]
  at: number
  depth: number
}

const tokenPattern =
  /\s*(?:\[(?<field>[^\]]+)\]|'(?<single>(?:\\.|[^'\\])*)'|"(?<double>(?:\\.|[^"\\])*)"|(?<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)|(?<word>[a-z]+|&&|\|\||[<>!=]=|=\*|~\*|[()<>=!~+\-*/%]))/iy

function parseLogical(text: string): Filter {
  const cursor: Cursor = { tokens: tokenize(text), at: 0, depth: 0 }
  const filter = parseOr(cursor)
  const rest = cursor.tokens[cursor.at]
  if (rest !== undefined) throw new MapserverExpressionFault(`unexpected ${rest.text} in ${text}`)
  return filter
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = new RegExp(tokenPattern)
  const source = text.trimEnd()
  while (pattern.lastIndex < source.length) {
    const from = pattern.lastIndex
    const groups = pattern.exec(source)?.groups
    if (groups === undefined) throw new MapserverExpressionFault(`cannot read ${source.slice(from).trim()}`)
    tokens.push(tokenOf(groups))
  }
  return tokens
}

function tokenOf(groups: Record<string, string | undefined>): Token {
  const quoted = groups.single ?? groups.double
  if (groups.field !== undefined) return { kind: 'field', text: groups.field }
  if (quoted !== undefined) return { kind: 'text', text: quoted.replaceAll(/\\([\\'"])/g, '$1') }
  if (groups.number !== undefined) return { kind: 'number', text: groups.number }
  return { kind: 'word', text: (groups.word ?? '').toUpperCase() }
}

const parseOr = (cursor: Cursor) => parseChain(cursor, { op: 'or', keywords: ['OR', '||'], part: parseAnd })
const parseAnd = (cursor: Cursor) =>
  parseChain(cursor, { op: 'and', keywords: ['AND', '&&'], part: parseNot })

interface Chain {
  readonly op: 'and' | 'or'
  readonly keywords: readonly string[]
  readonly part: (cursor: Cursor) => Filter
}

function parseChain(cursor: Cursor, { op, keywords, part }: Chain): Filter {
  const first = part(cursor)
  const filters = [first]
  while (takeKeyword(cursor, keywords)) filters.push(part(cursor))
  return filters.length === 1 ? first : { op, filters }
}

function parseNot(cursor: Cursor): Filter {
  if (!takeKeyword(cursor, ['NOT', '!'])) return parsePrimary(cursor)
  return nested(cursor, () => ({ op: 'not', filter: parseNot(cursor) }))
}

function parsePrimary(cursor: Cursor): Filter {
  if (!takeKeyword(cursor, ['('])) return parseComparison(cursor)
  return nested(cursor, () => {
    const inner = parseOr(cursor)
    if (!takeKeyword(cursor, [')'])) throw new MapserverExpressionFault('unclosed parenthesis')
    return inner
  })
}

function nested<T>(cursor: Cursor, parse: () => T): T {
  cursor.depth += 1
  if (cursor.depth > maxDepth) throw new MapserverExpressionFault(`nested deeper than ${maxDepth} levels`)
  const filter = parse()
  cursor.depth -= 1
  return filter
}

const operators: Readonly<Record<string, Comparison['op']>> = {
  '=': 'eq',
  '==': 'eq',
  EQ: 'eq',
  '!=': 'ne',
  NE: 'ne',
  '<': 'lt',
  LT: 'lt',
  '<=': 'le',
  LE: 'le',
  '>': 'gt',
  GT: 'gt',
  '>=': 'ge',
  GE: 'ge',
}

function parseComparison(cursor: Cursor): Filter {
  const left = parseOperand(cursor)
  const operator = take(cursor, 'an operator').text
  const right = parseRight(cursor, left, operator)
  const isPlain = left.kind === 'field' && right.kind === 'literal'
  if (isPlain) return comparisonOf(left.name, operator, right.value)
  const comparison = operators[operator]
  if (comparison === undefined)
    throw new MapserverExpressionFault(`operator ${operator} requires a field in brackets and a value`)
  return { op: 'computed', comparison, left, right }
}

const patternOperators = ['~', '~*', '=*', 'IN']

/** Brackets in a string name a field only if the other side is such a string, too, and are part of patterns. */
function parseRight(cursor: Cursor, left: Operand, operator: string): Operand {
  const token = cursor.tokens[cursor.at]
  const isLiteral = (left.kind === 'field' && !left.isText) || patternOperators.includes(operator)
  if (!isLiteral || token?.kind !== 'text') return parseOperand(cursor)
  cursor.at += 1
  return { kind: 'literal', value: token.text }
}

const sums = ['+', '-'] as const
const products = ['*', '/', '%'] as const

const parseOperand = (cursor: Cursor): Operand =>
  parseArithmetic(cursor, sums, () => parseArithmetic(cursor, products, () => parseValue(cursor)))

function parseArithmetic(
  cursor: Cursor,
  symbols: readonly (typeof sums | typeof products)[number][],
  parse: () => Operand,
): Operand {
  const takeOperator = () => symbols.find((symbol) => takeKeyword(cursor, [symbol]))
  let left = parse()
  let count = 0
  for (let operator = takeOperator(); operator !== undefined; operator = takeOperator()) {
    count += 1
    if (count > maxDepth) throw new MapserverExpressionFault(`more than ${maxDepth} operators in a row`)
    left = { kind: 'arithmetic', operator, left, right: parse() }
  }
  return left
}

const functions: Readonly<Record<string, 'length' | 'upper' | 'lower'>> = {
  LENGTH: 'length',
  UPPER: 'upper',
  LOWER: 'lower',
}

// MapServer substitutes field values into the expression, so string comparisons quote the brackets: '[kind]' = 'a'.
function parseValue(cursor: Cursor): Operand {
  const { kind, text } = take(cursor, 'a value')
  if (kind === 'field') return { kind: 'field', name: text, isText: false }
  if (kind === 'number') return { kind: 'literal', value: Number(text) }
  const field = kind === 'text' ? /^\[([^\]]+)\]$/.exec(text)?.[1] : undefined
  if (field !== undefined) return { kind: 'field', name: field, isText: true }
  if (kind === 'text') return { kind: 'literal', value: text }
  const name = functions[text]
  if (name === undefined || !takeKeyword(cursor, ['(']))
    throw new MapserverExpressionFault(`unexpected ${text}`)
  return nested(cursor, () => {
    const operand = parseOperand(cursor)
    if (!takeKeyword(cursor, [')'])) throw new MapserverExpressionFault('unclosed parenthesis')
    return { kind: 'call', name, operand }
  })
}

function comparisonOf(field: string, operator: string, value: string | number): Filter {
  const text = String(value)
  if (operator === 'IN') return { op: 'in', field, values: splitList(text) }
  if (operator === '~' || operator === '~*') return matchOf(field, text, operator === '~*')
  if (operator === '=*') {
    const pattern = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return { op: 'matches', field, pattern: `^${pattern}$`, ignoreCase: true }
  }
  const op = operators[operator]
  if (op === undefined) throw new MapserverExpressionFault(`unknown operator ${operator}`)
  return { op, field, value }
}

function take(cursor: Cursor, expected: string): Token {
  const token = cursor.tokens[cursor.at]
  if (token === undefined) throw new MapserverExpressionFault(`expected ${expected}, got end of expression`)
  cursor.at += 1
  return token
}

function takeKeyword(cursor: Cursor, keywords: readonly string[]): boolean {
  const token = cursor.tokens[cursor.at]
  if (token?.kind !== 'word' || !keywords.includes(token.text)) return false
  cursor.at += 1
  return true
}
