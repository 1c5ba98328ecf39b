import { type BinaryOperator, type Case, type Expression, type Operation, operandsOf } from './expression.ts'
import { findFunction } from './expression_functions.ts'
import { ExpressionFault, type Token, tokenizeExpression } from './expression_tokens.ts'
import { representationOf } from './representation.ts'

/** Maximum nesting depth, so that neither parsing nor evaluation can exhaust the stack. */
const maxDepth = 200

/**
 * Parses an expression of QGIS: literals, `"fields"`, arithmetic, `||`, comparisons, `IS`, `IN`, `LIKE`, `ILIKE`, `~`,
 * `BETWEEN`, `AND`, `OR`, `NOT`, `CASE`, `$id`, `@map_scale`, and the functions of `expression_functions.ts`. Precedence,
 * from low to high: OR, AND, NOT, comparisons, `+ -`, `* / // %`, `^` (from right to left), `||`, unary minus.
 *
 * @throws {ExpressionFault} on a syntax error, and on functions and variables that are not supported
 * @see https://docs.qgis.org/3.28/en/docs/user_manual/expressions/expression.html
 */
export function parseExpression(text: string): Expression {
  const cursor: Cursor = { tokens: tokenizeExpression(text), at: 0, depth: 0 }
  const expression = parseOr(cursor)
  if (peek(cursor).kind !== 'end') throw unexpected(cursor)
  checkTreeDepth(expression)
  return expression
}

/** Chains such as `a + b + c` nest without recursion of the parser, so the tree is measured level by level. */
function checkTreeDepth(expression: Expression): void {
  let level: readonly Expression[] = [expression]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw new ExpressionFault(`nested deeper than ${maxDepth} levels`, 0)
    level = level.flatMap(operandsOf)
  }
}

interface Cursor {
  readonly tokens: readonly Token[]
  at: number
  depth: number
}

type Parse = (cursor: Cursor) => Expression

const parseOr: Parse = (cursor) => nested(cursor, () => parseOperation(cursor, 'or', parseAnd))
const parseAnd: Parse = (cursor) => parseOperation(cursor, 'and', parseNot)

function parseNot(cursor: Cursor): Expression {
  if (!takeWord(cursor, 'not')) return parseComparison(cursor)
  return { op: 'not', operand: nested(cursor, () => parseNot(cursor)) }
}

function parseOperation(cursor: Cursor, op: Operation['op'], parse: Parse): Expression {
  const first = parse(cursor)
  const operands = [first]
  while (op === '||' ? takeSymbol(cursor, '||') : takeWord(cursor, op)) operands.push(parse(cursor))
  return operands.length === 1 ? first : { op, operands }
}

const comparisons: readonly BinaryOperator[] = ['=', '<>', '<', '<=', '>', '>=', '~']

function parseComparison(cursor: Cursor): Expression {
  let left = parseSum(cursor)
  for (let next = parseSuffix(cursor, left); next !== undefined; next = parseSuffix(cursor, left)) left = next
  return left
}

/** Parses a comparison after its left operand; undefined if there is none. */
function parseSuffix(cursor: Cursor, left: Expression): Expression | undefined {
  const operator = comparisons.find((one) => takeSymbol(cursor, one))
  if (operator !== undefined) return { op: 'binary', operator, left, right: parseSum(cursor) }
  if (takeWord(cursor, 'is')) {
    const is = takeWord(cursor, 'not') ? 'is not' : 'is'
    return { op: 'binary', operator: is, left, right: parseSum(cursor) }
  }
  const isNegated = isWord(peek(cursor, 1), ['in', 'like', 'ilike', 'between']) && takeWord(cursor, 'not')
  if (takeWord(cursor, 'like'))
    return { op: 'binary', operator: isNegated ? 'not like' : 'like', left, right: parseSum(cursor) }
  if (takeWord(cursor, 'ilike'))
    return { op: 'binary', operator: isNegated ? 'not ilike' : 'ilike', left, right: parseSum(cursor) }
  if (takeWord(cursor, 'in')) return { op: 'in', operand: left, items: parseList(cursor), isNegated }
  if (takeWord(cursor, 'between')) return parseBetween(cursor, left, isNegated)
  return undefined
}

function parseBetween(cursor: Cursor, operand: Expression, isNegated: boolean): Expression {
  const lower = parseSum(cursor)
  if (!takeWord(cursor, 'and')) throw unexpected(cursor, 'AND')
  return { op: 'between', operand, lower, upper: parseSum(cursor), isNegated }
}

const parseSum: Parse = (cursor) => parseChain(cursor, ['+', '-'], parseProduct)
const parseProduct: Parse = (cursor) => parseChain(cursor, ['*', '/', '//', '%'], parsePower)

function parseChain(cursor: Cursor, operators: readonly BinaryOperator[], parse: Parse): Expression {
  const takeOperator = () => operators.find((one) => takeSymbol(cursor, one))
  let left = parse(cursor)
  for (let operator = takeOperator(); operator !== undefined; operator = takeOperator())
    left = { op: 'binary', operator, left, right: parse(cursor) }
  return left
}

function parsePower(cursor: Cursor): Expression {
  const left = parseOperation(cursor, '||', parseUnary)
  if (!takeSymbol(cursor, '^')) return left
  return { op: 'binary', operator: '^', left, right: nested(cursor, () => parsePower(cursor)) }
}

function parseUnary(cursor: Cursor): Expression {
  if (takeSymbol(cursor, '-')) return { op: 'negate', operand: nested(cursor, () => parseUnary(cursor)) }
  if (takeSymbol(cursor, '+')) return nested(cursor, () => parseUnary(cursor))
  return parsePrimary(cursor)
}

function parsePrimary(cursor: Cursor): Expression {
  const token = peek(cursor)
  if (takeSymbol(cursor, '(')) {
    const inner = parseOr(cursor)
    if (!takeSymbol(cursor, ')')) throw unexpected(cursor, '")"')
    return inner
  }
  if (token.kind === 'word') return parseWord(cursor, token)
  cursor.at += 1
  if (token.kind === 'string') return { op: 'literal', value: token.text }
  if (token.kind === 'number') return { op: 'literal', value: Number(token.text) }
  if (token.kind === 'name') return { op: 'field', name: token.text }
  if (token.kind === 'special') return parseSpecial(token)
  cursor.at -= 1
  throw unexpected(cursor)
}

const variableNames = ['map_scale', 'cluster_size', 'cluster_color', 'symbol_color'] as const

function parseSpecial({ text, offset }: Token): Expression {
  if (text === '$id' || text === '@id') return { op: 'variable', name: 'id' }
  const name = variableNames.find((one) => text === `@${one}`)
  if (name !== undefined) return { op: 'variable', name }
  throw new ExpressionFault(`${text} is not supported`, offset)
}

const reserved = new Set([
  'and',
  'or',
  'not',
  'in',
  'is',
  'like',
  'ilike',
  'between',
  'case',
  'when',
  'then',
  'else',
  'end',
])

const literals: ReadonlyMap<string, null | boolean> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
])

function parseWord(cursor: Cursor, token: Token): Expression {
  const word = token.text.toLowerCase()
  if (word === 'case') return parseCase(cursor)
  if (reserved.has(word)) throw unexpected(cursor)
  cursor.at += 1
  if (isSymbol(peek(cursor), '(')) return parseCall(cursor, token)
  const value = literals.get(word)
  return value === undefined ? { op: 'field', name: token.text } : { op: 'literal', value }
}

function parseCall(cursor: Cursor, { text, offset }: Token): Expression {
  const found = findFunction(text)
  if (found === undefined) throw new ExpressionFault(`function ${text}() is not supported`, offset)
  const { name, least, most } = found
  const operands = isSymbol(peek(cursor, 1), ')') ? skip(cursor, 2) : parseList(cursor)
  if (operands.length >= least && operands.length <= most)
    return name === 'represent_value' ? representationOf(operands, offset) : { op: 'call', name, operands }
  const expected =
    least === most
      ? String(least)
      : `${least} to ${most === Number.POSITIVE_INFINITY ? 'any number of' : most}`
  throw new ExpressionFault(`${name}() expects ${expected} arguments, got ${operands.length}`, offset)
}

function skip(cursor: Cursor, count: number): Expression[] {
  cursor.at += count
  return []
}

function parseList(cursor: Cursor): Expression[] {
  if (!takeSymbol(cursor, '(')) throw unexpected(cursor, '"("')
  const items = [parseOr(cursor)]
  while (takeSymbol(cursor, ',')) items.push(parseOr(cursor))
  if (!takeSymbol(cursor, ')')) throw unexpected(cursor, '")"')
  return items
}

function parseCase(cursor: Cursor): Case {
  cursor.at += 1
  const branches: { when: Expression; result: Expression }[] = []
  while (takeWord(cursor, 'when')) {
    const when = parseOr(cursor)
    if (!takeWord(cursor, 'then')) throw unexpected(cursor, 'THEN')
    branches.push({ when, result: parseOr(cursor) })
  }
  if (branches.length === 0) throw unexpected(cursor, 'WHEN')
  const otherwise = takeWord(cursor, 'else') ? parseOr(cursor) : undefined
  if (!takeWord(cursor, 'end')) throw unexpected(cursor, 'END')
  return { op: 'case', branches, ...(otherwise === undefined ? {} : { otherwise }) }
}

function nested(cursor: Cursor, parse: () => Expression): Expression {
  cursor.depth += 1
  if (cursor.depth > maxDepth)
    throw new ExpressionFault(`nested deeper than ${maxDepth} levels`, peek(cursor).offset)
  const expression = parse()
  cursor.depth -= 1
  return expression
}

const end: Token = { kind: 'end', text: 'end of expression', offset: 0 }

const peek = (cursor: Cursor, ahead = 0): Token =>
  cursor.tokens[cursor.at + ahead] ?? cursor.tokens.at(-1) ?? end

const isSymbol = ({ kind, text }: Token, symbol: string) => kind === 'symbol' && text === symbol

const isWord = ({ kind, text }: Token, words: readonly string[]) =>
  kind === 'word' && words.includes(text.toLowerCase())

function takeSymbol(cursor: Cursor, symbol: string): boolean {
  const isTaken = isSymbol(peek(cursor), symbol)
  if (isTaken) cursor.at += 1
  return isTaken
}

function takeWord(cursor: Cursor, word: string): boolean {
  const isTaken = isWord(peek(cursor), [word])
  if (isTaken) cursor.at += 1
  return isTaken
}

function unexpected(cursor: Cursor, expected?: string): ExpressionFault {
  const { kind, text, offset } = peek(cursor)
  const found = kind === 'end' ? text : JSON.stringify(text)
  return new ExpressionFault(
    expected === undefined ? `unexpected ${found}` : `expected ${expected}, got ${found}`,
    offset,
  )
}
