/** Value of an expression. Dates and times are ISO 8601 strings. */
export type Value = null | boolean | number | string

/** Operators with two operands. `||` joins strings; `and`, `or` and `||` of more operands are an `Operation`. */
export type BinaryOperator =
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | '/'
  | '//'
  | '%'
  | '^'
  | 'is'
  | 'is not'
  | 'like'
  | 'not like'
  | 'ilike'
  | 'not ilike'
  | '~'

/** A constant. */
export interface Literal {
  readonly op: 'literal'
  readonly value: Value
}

/** Value of a field of the feature; null if the feature has no such field. */
export interface FieldReference {
  readonly op: 'field'
  readonly name: string
}

/**
 * Value of a variable: `@map_scale`, the scale denominator, `$id`, the id of the feature, or `@cluster_size` and
 * `@cluster_color`, the number of features that one symbol stands for and the colour of their symbols, if it is the same.
 */
export interface VariableReference {
  readonly op: 'variable'
  readonly name: VariableName
}

/** Variables of expressions, without their `@` or `$`. */
export type VariableName = 'map_scale' | 'id' | 'cluster_size' | 'cluster_color' | 'symbol_color'

/** Logical operation or concatenation of two or more operands. */
export interface Operation {
  readonly op: 'and' | 'or' | '||'
  readonly operands: readonly Expression[]
}

/** Operation with one operand. */
export interface UnaryOperation {
  readonly op: 'not' | 'negate'
  readonly operand: Expression
}

/** Operation with two operands. */
export interface BinaryOperation {
  readonly op: 'binary'
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
}

/** Whether a value is one of a list. */
export interface Membership {
  readonly op: 'in'
  readonly operand: Expression
  readonly items: readonly Expression[]
  readonly isNegated: boolean
}

/** Whether a value lies between two bounds, both inclusive. */
export interface Between {
  readonly op: 'between'
  readonly operand: Expression
  readonly lower: Expression
  readonly upper: Expression
  readonly isNegated: boolean
}

/** Value of the first branch whose condition is true; null if there is none and no `otherwise`. */
export interface Case {
  readonly op: 'case'
  readonly branches: readonly { readonly when: Expression; readonly result: Expression }[]
  readonly otherwise?: Expression
}

/** Call of a function of the table in `expression_functions.ts`, by its lower-case name. */
export interface Call {
  readonly op: 'call'
  readonly name: string
  readonly operands: readonly Expression[]
}

/**
 * Label of a value of a field, `represent_value()`: that of its text; `(text)` where a field with labels has none for it; the text
 * itself where the field has no labels.
 */
export interface Representation {
  readonly op: 'represent'
  readonly operand: Expression
  /** Field that has the labels, by its name as the expression has it. */
  readonly field: string
  /** JSON object of labels by value, which as a string takes a hundredth of the time to cross to a worker thread. */
  readonly labels?: string
}

/**
 * Expression over the attributes of a feature, as plain JSON. Its language is a subset of the expressions of QGIS.
 *
 * @see https://docs.qgis.org/3.28/en/docs/user_manual/expressions/expression.html
 */
export type Expression =
  | Literal
  | FieldReference
  | VariableReference
  | Operation
  | UnaryOperation
  | BinaryOperation
  | Membership
  | Between
  | Case
  | Call
  | Representation

/** Returns the operands of an expression. */
export function operandsOf(expression: Expression): readonly Expression[] {
  switch (expression.op) {
    case 'and':
    case 'or':
    case '||':
    case 'call':
      return expression.operands
    case 'not':
    case 'negate':
    case 'represent':
      return [expression.operand]
    case 'binary':
      return [expression.left, expression.right]
    case 'in':
      return [expression.operand, ...expression.items]
    case 'between':
      return [expression.operand, expression.lower, expression.upper]
    case 'case':
      return [
        ...expression.branches.flatMap(({ when, result }) => [when, result]),
        ...(expression.otherwise === undefined ? [] : [expression.otherwise]),
      ]
    default:
      return []
  }
}

/** Lists the distinct fields that an expression reads. */
export function fieldsOf(expression: Expression): string[] {
  if (expression.op === 'field') return [expression.name]
  return [...new Set(operandsOf(expression).flatMap(fieldsOf))]
}
