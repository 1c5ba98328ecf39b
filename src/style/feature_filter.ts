/** Compares a field with a value: numerically if the value is a number, else as strings. */
export interface Comparison {
  readonly op: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'
  readonly field: string
  readonly value: string | number
}

/** Matches if the field, as a string, is one of the values. */
export interface Membership {
  readonly op: 'in'
  readonly field: string
  readonly values: readonly string[]
}

/** Matches if a regular expression matches the field, as a string. */
export interface Match {
  readonly op: 'matches'
  readonly field: string
  readonly pattern: string
  readonly ignoreCase: boolean
}

/** Matches if all (`and`) or any (`or`) of the filters match. */
export interface Combination {
  readonly op: 'and' | 'or'
  readonly filters: readonly Filter[]
}

/** Matches if the filter does not match. */
export interface Negation {
  readonly op: 'not'
  readonly filter: Filter
}

/** Condition that selects the features of a rule. */
export type Filter = Comparison | Membership | Match | Combination | Negation

/** Attribute values of a feature by field keyname. */
export type Attributes = Readonly<Record<string, unknown>>

/** Reports whether a feature matches. */
export type Predicate = (attributes: Attributes) => boolean

/** Compiles a filter to a function. A null or missing value is unequal to every value and neither less nor greater. */
export function compileFilter(filter: Filter): Predicate {
  switch (filter.op) {
    case 'and':
    case 'or':
      return compileCombination(filter)
    case 'not': {
      const inner = compileFilter(filter.filter)
      return (attributes) => !inner(attributes)
    }
    case 'in': {
      const values = new Set(filter.values)
      return (attributes) =>
        hasValue(attributes[filter.field]) && values.has(String(attributes[filter.field]))
    }
    case 'matches': {
      const pattern = new RegExp(filter.pattern, filter.ignoreCase ? 'iu' : 'u')
      return (attributes) =>
        hasValue(attributes[filter.field]) && pattern.test(String(attributes[filter.field]))
    }
    default:
      return compileComparison(filter)
  }
}

/** Lists the distinct fields that a filter reads. */
export function fieldsOf(filter: Filter): string[] {
  if (filter.op === 'not') return fieldsOf(filter.filter)
  if ('filters' in filter) return [...new Set(filter.filters.flatMap(fieldsOf))]
  return [filter.field]
}

function compileCombination({ op, filters }: Combination): Predicate {
  const parts = filters.map(compileFilter)
  return op === 'and'
    ? (attributes) => parts.every((part) => part(attributes))
    : (attributes) => parts.some((part) => part(attributes))
}

const orders: Readonly<Record<Comparison['op'], (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
}

function compileComparison({ op, field, value }: Comparison): Predicate {
  const matches = orders[op]
  return (attributes) => {
    const actual = attributes[field]
    return hasValue(actual) ? matches(compare(actual, value)) : op === 'ne'
  }
}

/** Negative, zero or positive; NaN if a value that is not numeric is compared with a number. */
function compare(actual: unknown, value: string | number): number {
  if (typeof value === 'number') return actual === '' ? Number.NaN : Math.sign(Number(actual) - value)
  const text = String(actual)
  if (text === value) return 0
  return text < value ? -1 : 1
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined
}
