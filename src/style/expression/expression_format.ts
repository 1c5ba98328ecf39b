import type {
  Between,
  BinaryOperation,
  BinaryOperator,
  Call,
  Case,
  Expression,
  Membership,
  Operation,
  Representation,
  Value,
} from './expression.ts'
import { numberFunction } from './expression_functions.ts'

/** How strongly parts of expressions bind, weakest first. */
const levels = [
  'or',
  'and',
  'not',
  'comparison',
  'sum',
  'product',
  'power',
  'join',
  'unary',
  'primary',
] as const

type Level = (typeof levels)[number]

interface Text {
  readonly text: string
  readonly level: Level
}

/**
 * Writes an expression in the language of `parseExpression`, which reads the same expression from it. Conversions to numbers that
 * MapServer does in comparisons are left out.
 */
export function formatExpression(expression: Expression): string {
  return write(expression).text
}

/** Writes an operand, in parentheses if it binds less than its place. */
function at(level: Level, expression: Expression): string {
  const { text, level: own } = write(expression)
  return levels.indexOf(own) < levels.indexOf(level) ? `(${text})` : text
}

function write(expression: Expression): Text {
  switch (expression.op) {
    case 'literal':
      return writeLiteral(expression.value)
    case 'field':
      return primary(`"${expression.name.replaceAll('"', '""')}"`)
    case 'variable':
      return primary(expression.name === 'id' ? '$id' : `@${expression.name}`)
    case 'not':
      return { text: `NOT ${at('not', expression.operand)}`, level: 'not' }
    case 'negate':
      return writeNegation(expression.operand)
    case 'binary':
      return writeBinary(expression)
    case 'call':
      return writeCall(expression)
    case 'represent':
      return writeRepresentation(expression)
    case 'case':
      return writeCase(expression)
    case 'in':
      return writeSuffix(expression, `IN (${expression.items.map((item) => at('or', item)).join(', ')})`)
    case 'between':
      return writeSuffix(
        expression,
        `BETWEEN ${at('sum', expression.lower)} AND ${at('sum', expression.upper)}`,
      )
    default:
      return writeOperation(expression)
  }
}

function writeSuffix({ operand, isNegated }: Membership | Between, suffix: string): Text {
  return { text: `${at('comparison', operand)} ${isNegated ? 'NOT ' : ''}${suffix}`, level: 'comparison' }
}

const primary = (text: string): Text => ({ text, level: 'primary' })

const escapes: Readonly<Record<string, string>> = { "'": "''", '\\': '\\\\', '\n': '\\n', '\t': '\\t' }

function writeLiteral(value: Value): Text {
  if (typeof value === 'string')
    return primary(`'${value.replaceAll(/['\\\n\t]/g, (found) => escapes[found] ?? '')}'`)
  if (typeof value === 'number' && value < 0) return { text: String(value), level: 'unary' }
  return primary(value === null ? 'NULL' : String(value))
}

const nextLevel = { or: 'and', and: 'not', '||': 'unary' } as const

function writeOperation({ op, operands }: Operation): Text {
  const parts = operands.map((operand) => at(nextLevel[op], operand))
  return { text: parts.join(` ${op.toUpperCase()} `), level: op === '||' ? 'join' : op }
}

// Two minus signs begin a comment.
function writeNegation(operand: Expression): Text {
  const text = at('unary', operand)
  return { text: text.startsWith('-') ? `-(${text})` : `-${text}`, level: 'unary' }
}

const levelOf: Readonly<Partial<Record<BinaryOperator, Level>>> = {
  '+': 'sum',
  '-': 'sum',
  '*': 'product',
  '/': 'product',
  '//': 'product',
  '%': 'product',
  '^': 'power',
}

function writeBinary({ operator, left, right }: BinaryOperation): Text {
  const level = levelOf[operator] ?? 'comparison'
  const above = levels[levels.indexOf(level) + 1] ?? 'primary'
  // Only powers are grouped from the right.
  const [leftLevel, rightLevel] = operator === '^' ? [above, level] : [level, above]
  return { text: `${at(leftLevel, left)} ${operator.toUpperCase()} ${at(rightLevel, right)}`, level }
}

function writeCall({ name, operands }: Call): Text {
  const [first] = operands
  if (first !== undefined && isConversion(name, first)) return write(first)
  return primary(`${name}(${operands.map((operand) => at('or', operand)).join(', ')})`)
}

function writeRepresentation({ operand, field }: Representation): Text {
  const isOwn = operand.op === 'field' && operand.name === field
  const name = isOwn ? '' : `, ${writeLiteral(field).text}`
  return primary(`represent_value(${at('or', operand)}${name})`)
}

const isConversion = (name: string, first: Expression) =>
  name === numberFunction || (name === 'coalesce' && first.op === 'call' && first.name === numberFunction)

function writeCase({ branches, otherwise }: Case): Text {
  const parts = branches.map(({ when, result }) => `WHEN ${at('or', when)} THEN ${at('or', result)}`)
  const rest = otherwise === undefined ? [] : [`ELSE ${at('or', otherwise)}`]
  return primary(['CASE', ...parts, ...rest, 'END'].join(' '))
}
