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
  VariableName,
} from './expression.ts'
import { callOf } from './expression_functions.ts'
import {
  attributeValue,
  compareValues,
  evaluationFault,
  isSelected,
  limitText,
  numberOf,
  textOf,
  truthOf,
} from './expression_value.ts'
import { countExpressionWork, operationWork } from './expression_work.ts'
import { compileLike } from './like_pattern.ts'
import { compileLinearPattern, maxSearchLength } from './linear_pattern.ts'
import { readLabels } from './representation.ts'

/** Attribute values of a feature by field keyname. */
export type Attributes = Readonly<Record<string, unknown>>

/** Feature and map that an expression is evaluated for. */
export interface EvaluationContext {
  readonly attributes: Attributes
  /** Id of the feature, for `$id`. */
  readonly id?: number
  /** Scale denominator, for `@map_scale`. */
  readonly scaleDenom?: number
  /** Group that the symbol stands for, for `@cluster_size` and `@cluster_color`. */
  readonly cluster?: { readonly size: number; readonly color: string }
}

/** Computes a value of an expression. */
export type Evaluate = (context: EvaluationContext) => Value

/**
 * Compiles an expression to a function that never throws. As in QGIS, null operands make results null, AND and OR are
 * three-valued, and an error such as a missing number makes the whole value null.
 */
export function compileExpression(expression: Expression): Evaluate {
  const evaluate = compile(expression)
  return (context) => {
    try {
      const value = evaluate(context)
      return typeof value === 'number' && Number.isNaN(value) ? null : value
    } catch (error) {
      if (error === evaluationFault) return null
      throw error
    }
  }
}

/** Compiles the filter of a rule. A filter without a value selects nothing. */
export function compileFilter(filter: Expression): (context: EvaluationContext) => boolean {
  const evaluate = compileExpression(filter)
  return (context) => isSelected(evaluate(context))
}

// The colour of a symbol is put into its expressions where they are read.
const variables: Readonly<Record<VariableName, Evaluate>> = {
  id: ({ id }) => id ?? null,
  map_scale: ({ scaleDenom }) => scaleDenom ?? null,
  cluster_size: ({ cluster }) => cluster?.size ?? null,
  cluster_color: ({ cluster }) => cluster?.color ?? null,
  symbol_color: () => null,
}

function compile(expression: Expression): Evaluate {
  switch (expression.op) {
    case 'literal':
      return () => expression.value
    case 'field':
      return compileField(expression.name)
    case 'variable':
      return variables[expression.name]
    case 'and':
    case 'or':
      return compileLogical(expression)
    case '||':
      return compileConcatenation(expression)
    case 'not':
      return compileNot(compile(expression.operand))
    case 'negate':
      return compileNegation(compile(expression.operand))
    case 'binary':
      return compileBinary(expression)
    case 'in':
      return compileMembership(expression)
    case 'between':
      return compileBetween(expression)
    case 'case':
      return compileCase(expression)
    case 'call':
      return compileCall(expression)
    case 'represent':
      return compileRepresentation(expression)
  }
}

/** Fields are found by their exact name, else without regard to case. */
function compileField(name: string): Evaluate {
  const folded = name.toLowerCase()
  return ({ attributes }) => {
    if (Object.hasOwn(attributes, name)) return attributeValue(attributes[name])
    for (const key of Object.keys(attributes))
      if (key.length === name.length && key.toLowerCase() === folded) return attributeValue(attributes[key])
    return null
  }
}

const bit = (truth: boolean | null): Value => (truth === null ? null : Number(truth))

function compileLogical({ op, operands }: Operation): Evaluate {
  const parts = operands.map(compile)
  const decisive = op === 'or'
  return (context) => {
    let isUnknown = false
    for (const part of parts) {
      const truth = truthOf(part(context))
      if (truth === decisive) return bit(decisive)
      isUnknown ||= truth === null
    }
    return isUnknown ? null : bit(!decisive)
  }
}

function compileConcatenation({ operands }: Operation): Evaluate {
  const parts = operands.map(compile)
  return (context) => {
    let text = ''
    for (const part of parts) {
      const value = part(context)
      if (value === null) return null
      text = limitText(text + textOf(value))
    }
    return text
  }
}

function compileNot(operand: Evaluate): Evaluate {
  return (context) => {
    const truth = truthOf(operand(context))
    return truth === null ? null : bit(!truth)
  }
}

function compileNegation(operand: Evaluate): Evaluate {
  return (context) => {
    const value = operand(context)
    return value === null ? null : -numberOf(value)
  }
}

type Present = Exclude<Value, null>

const operators: Readonly<Record<Exclude<BinaryOperator, PatternOperator | 'is' | 'is not'>, Combine>> = {
  '=': (a, b) => bit(compareValues(a, b) === 0),
  '<>': (a, b) => bit(compareValues(a, b) !== 0),
  '<': (a, b) => bit(compareValues(a, b) < 0),
  '<=': (a, b) => bit(compareValues(a, b) <= 0),
  '>': (a, b) => bit(compareValues(a, b) > 0),
  '>=': (a, b) => bit(compareValues(a, b) >= 0),
  '+': (a, b) =>
    typeof a === 'string' && typeof b === 'string' ? limitText(a + b) : numberOf(a) + numberOf(b),
  '-': (a, b) => numberOf(a) - numberOf(b),
  '*': (a, b) => numberOf(a) * numberOf(b),
  '/': (a, b) => unlessZero(b, (divisor) => numberOf(a) / divisor),
  '//': (a, b) => unlessZero(b, (divisor) => Math.floor(numberOf(a) / divisor)),
  '%': (a, b) => unlessZero(b, (divisor) => numberOf(a) % divisor),
  '^': (a, b) => numberOf(a) ** numberOf(b),
}

type Combine = (one: Present, other: Present) => Value

function unlessZero(value: Present, divide: (divisor: number) => number): Value {
  const divisor = numberOf(value)
  return divisor === 0 ? null : divide(divisor)
}

function compileBinary({ operator, left, right }: BinaryOperation): Evaluate {
  const [one, other] = [compile(left), compile(right)]
  if (operator === 'is' || operator === 'is not') return compileIs(one, other, operator === 'is')
  const combine = isPatternOperator(operator) ? patternMatcher(operator) : operators[operator]
  return (context) => {
    countExpressionWork(operationWork)
    const [a, b] = [one(context), other(context)]
    return a === null || b === null ? null : combine(a, b)
  }
}

function compileIs(one: Evaluate, other: Evaluate, expected: boolean): Evaluate {
  return (context) => {
    countExpressionWork(operationWork)
    const [a, b] = [one(context), other(context)]
    const isSame = a === null || b === null ? a === b : compareValues(a, b) === 0
    return bit(isSame === expected)
  }
}

type PatternOperator = 'like' | 'not like' | 'ilike' | 'not ilike' | '~'

const isPatternOperator = (operator: BinaryOperator): operator is PatternOperator =>
  operator === '~' || operator.endsWith('like')

/** Matches against a pattern; keeps the last compiled pattern, which is usually a literal. */
function patternMatcher(operator: PatternOperator): Combine {
  let [known, matches] = ['', compilePattern(operator, '')]
  const expected = !operator.startsWith('not')
  return (text, pattern) => {
    const source = textOf(pattern)
    if (source !== known) {
      matches = compilePattern(operator, source)
      known = source
    }
    return bit(matches(textOf(text)) === expected)
  }
}

function compilePattern(operator: PatternOperator, pattern: string): (text: string) => boolean {
  if (operator !== '~') return compileLike(pattern, operator.endsWith('ilike'))
  const search = compileLinearPattern(pattern, { ignoresCase: false })
  if (search === undefined) throw evaluationFault
  return (text) => {
    countExpressionWork(Math.min(text.length, maxSearchLength) * pattern.length)
    return search(limitText(text)) >= 0
  }
}

function compileMembership({ operand, items, isNegated }: Membership): Evaluate {
  const value = compile(operand)
  const strings = items.flatMap((item) =>
    item.op === 'literal' && typeof item.value === 'string' ? [item.value] : [],
  )
  // Long lists of strings, such as those of categories, are searched in constant time.
  if (strings.length === items.length) return compileTextMembership(value, new Set(strings), isNegated)
  const parts = items.map(compile)
  return (context) => {
    const searched = value(context)
    if (searched === null) return null
    let isUnknown = false
    for (const part of parts) {
      countExpressionWork(operationWork)
      const item = part(context)
      if (item !== null && compareValues(searched, item) === 0) return bit(!isNegated)
      isUnknown ||= item === null
    }
    return isUnknown ? null : bit(isNegated)
  }
}

function compileTextMembership(value: Evaluate, items: ReadonlySet<string>, isNegated: boolean): Evaluate {
  return (context) => {
    countExpressionWork(operationWork)
    const searched = value(context)
    if (searched === null) return null
    if (typeof searched === 'string') return bit(items.has(searched) !== isNegated)
    countExpressionWork(operationWork * items.size)
    const isFound = [...items].some((item) => compareValues(searched, item) === 0)
    return bit(isFound !== isNegated)
  }
}

function compileBetween({ operand, lower, upper, isNegated }: Between): Evaluate {
  const [value, least, most] = [compile(operand), compile(lower), compile(upper)]
  return (context) => {
    countExpressionWork(operationWork)
    const searched = value(context)
    if (searched === null) return null
    const [low, high] = [least(context), most(context)]
    const isAbove = low === null ? null : compareValues(searched, low) >= 0
    const isBelow = high === null ? null : compareValues(searched, high) <= 0
    if (isAbove === false || isBelow === false) return bit(isNegated)
    return isAbove === null || isBelow === null ? null : bit(!isNegated)
  }
}

function compileCase({ branches, otherwise }: Case): Evaluate {
  const compiled = branches.map(({ when, result }) => ({ when: compile(when), result: compile(result) }))
  const rest = otherwise === undefined ? () => null : compile(otherwise)
  return (context) => {
    const branch = compiled.find(({ when }) => truthOf(when(context)) === true)
    return (branch?.result ?? rest)(context)
  }
}

function compileCall({ name, operands }: Call): Evaluate {
  const call = callOf(name)
  const parts = operands.map(compile)
  return (context) => {
    countExpressionWork(operationWork)
    return call(parts.map((part) => () => part(context)))
  }
}

function compileRepresentation({ operand, labels }: Representation): Evaluate {
  const value = compile(operand)
  const table = labels === undefined ? undefined : readLabels(labels)
  return (context) => {
    countExpressionWork(operationWork)
    const found = value(context)
    if (found === null) return null
    const code = textOf(found)
    return table === undefined ? code : limitText(table.get(code) ?? `(${code})`)
  }
}
