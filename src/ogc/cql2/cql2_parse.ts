import { isProblem } from '../../core/problem.ts'
import { findHint } from '../../core/suggest.ts'
import { bboxGeometry } from '../../geo/bbox_geometry.ts'
import type { Geometry } from '../../geo/geometry.ts'
import { parseWkt } from '../../geo/wkt_reader.ts'
import {
  type Comparison,
  type FilterExpression,
  type FilterGeometry,
  type Operand,
  type SpatialOperator,
  spatialOperators,
} from '../../store/feature/filter_expression.ts'
import { type Cql2Token, cql2Error, readCql2Tokens } from './cql2_tokens.ts'

/** What a name in a filter stands for: a field, by its keyname, the geometry or the id of the feature. */
export type Cql2Property = { readonly field: string } | 'geometry' | 'id'

/** What the names and coordinates of a filter are resolved with. */
export interface Cql2Scope {
  readonly properties: ReadonlyMap<string, Cql2Property>
  /** Returns a geometry with x first, and its reference system. */
  readonly place: (geometry: Geometry) => FilterGeometry
}

/**
 * Parses CQL2 text: `and`, `or`, `not`, comparisons, `like`, `between`, `in`, `is null`, `casei()` and the spatial
 * functions.
 *
 * @throws {Problem} request/invalid with the position
 * @see OGC 21-065r2 clause 6 to 8, annex B
 */
export function parseCql2(text: string, scope: Cql2Scope): FilterExpression {
  return new Parser(text, scope).parse()
}

/** Maximum depth of parentheses and `not`. */
const maxDepth = 60

/** Maximum number of items of `in`. */
const maxItems = 1000

/** An operand of a comparison, before its use is known. */
type Value =
  | { readonly kind: 'property'; readonly property: Cql2Property; readonly token: Cql2Token }
  | { readonly kind: 'literal'; readonly text: string; readonly token: Cql2Token }

interface CaseValue {
  readonly value: Value
  /** Whether the value stands in `casei()`. */
  readonly ignoresCase: boolean
}

const geometryWords = /^(?:multi)?(?:point|linestring|polygon)$|^geometrycollection$/i

class Parser {
  readonly #text: string
  readonly #scope: Cql2Scope
  readonly #tokens: readonly Cql2Token[]
  #at = 0
  #depth = 0

  constructor(text: string, scope: Cql2Scope) {
    this.#text = text
    this.#scope = scope
    this.#tokens = readCql2Tokens(text)
  }

  parse(): FilterExpression {
    const expression = this.#readOr()
    if (this.#next.kind !== 'end') throw this.#expected('an operator such as AND')
    return expression
  }

  get #next(): Cql2Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1)
    if (token === undefined) throw cql2Error(0, 'the filter is empty')
    return token
  }

  #take(): Cql2Token {
    const token = this.#next
    this.#at += 1
    return token
  }

  #isWord(word: string, { kind, isQuoted, text }: Cql2Token = this.#next): boolean {
    return kind === 'name' && !isQuoted && text.toLowerCase() === word
  }

  #takeWord(word: string): boolean {
    if (!this.#isWord(word)) return false
    this.#at += 1
    return true
  }

  #takeSymbol(symbol: string): boolean {
    if (this.#next.kind !== 'symbol' || this.#next.text !== symbol) return false
    this.#at += 1
    return true
  }

  #needSymbol(symbol: string): void {
    if (!this.#takeSymbol(symbol)) throw this.#expected(`"${symbol}"`)
  }

  #expected(what: string): Error {
    const { kind, text, start } = this.#next
    return cql2Error(start, `expected ${what}, got ${kind === 'end' ? 'the end' : `"${text}"`}`)
  }

  #readOr(): FilterExpression {
    const items = [this.#readAnd()]
    while (this.#takeWord('or')) items.push(this.#readAnd())
    return combine('or', items)
  }

  #readAnd(): FilterExpression {
    const items = [this.#readNot()]
    while (this.#takeWord('and')) items.push(this.#readNot())
    return combine('and', items)
  }

  #readNot(): FilterExpression {
    if (!this.#takeWord('not')) return this.#readPredicate()
    return this.#nest(() => ({ kind: 'not', item: this.#readNot() }))
  }

  #nest<T>(read: () => T): T {
    this.#depth += 1
    if (this.#depth > maxDepth)
      throw cql2Error(this.#next.start, `conditions are nested more than ${maxDepth} times`)
    const result = read()
    this.#depth -= 1
    return result
  }

  #readPredicate(): FilterExpression {
    if (this.#takeSymbol('('))
      return this.#nest(() => {
        const inner = this.#readOr()
        this.#needSymbol(')')
        return inner
      })
    const isCall = this.#tokens[this.#at + 1]?.text === '('
    if (isCall && /^s_/i.test(this.#next.text)) return this.#readSpatial()
    if (!isCall && (this.#isWord('true') || this.#isWord('false')))
      return { kind: this.#isWord('true', this.#take()) ? 'and' : 'or', items: [] }
    return this.#readComparison()
  }

  #readComparison(): FilterExpression {
    const left = this.#readValue()
    if (this.#takeWord('is')) {
      const isNot = this.#takeWord('not')
      if (!this.#takeWord('null')) throw this.#expected('NULL')
      return negate(isNot, nullTest(left.value))
    }
    const isNot = this.#takeWord('not')
    if (this.#takeWord('like')) return negate(isNot, this.#readLike(left))
    if (this.#takeWord('between')) return negate(isNot, this.#readBetween(left))
    if (this.#takeWord('in')) return negate(isNot, this.#readIn(left))
    if (isNot) throw this.#expected('LIKE, BETWEEN or IN')
    const operator = this.#take()
    if (!/^(?:=|<>|<|<=|>|>=)$/.test(operator.text))
      throw cql2Error(operator.start, `expected a comparison, got "${operator.text}"`)
    return compare(operator.text as Comparison, left, this.#readValue())
  }

  #readLike(left: CaseValue): FilterExpression {
    const field = fieldOf(left.value)
    const right = this.#readValue()
    if (right.value.kind !== 'literal')
      throw cql2Error(right.value.token.start, 'expected a pattern in quotes')
    const matchCase = !(left.ignoresCase || right.ignoresCase)
    return { kind: 'like', field, pattern: right.value.text, matchCase }
  }

  #readBetween(left: CaseValue): FilterExpression {
    const field = fieldOf(left.value)
    const lower = literalOf(this.#readValue().value)
    if (!this.#takeWord('and')) throw this.#expected('AND')
    return { kind: 'between', field, lower, upper: literalOf(this.#readValue().value) }
  }

  #readIn(left: CaseValue): FilterExpression {
    this.#needSymbol('(')
    const items: FilterExpression[] = []
    do items.push(compare('=', left, this.#readValue()))
    while (items.length <= maxItems && this.#takeSymbol(','))
    if (items.length > maxItems) throw cql2Error(this.#next.start, `IN has more than ${maxItems} values`)
    this.#needSymbol(')')
    return combine('or', items)
  }

  #readValue(): CaseValue {
    const token = this.#next
    if (this.#isWord('casei') && this.#tokens[this.#at + 1]?.text === '(') {
      this.#at += 2
      const { value } = this.#nest(() => this.#readValue())
      this.#needSymbol(')')
      return { value, ignoresCase: true }
    }
    return { value: this.#readPlainValue(token), ignoresCase: false }
  }

  #readPlainValue(token: Cql2Token): Value {
    if (token.kind === 'symbol' && (token.text === '-' || token.text === '+')) return this.#readSigned()
    if (token.kind === 'number' || token.kind === 'string') {
      this.#at += 1
      return { kind: 'literal', text: token.text, token }
    }
    if (token.kind !== 'name') throw this.#expected('a property or value')
    this.#at += 1
    if (!token.isQuoted && this.#takeSymbol('(')) return this.#readInstant(token)
    return { kind: 'property', property: this.#find(token), token }
  }

  #readSigned(): Value {
    const sign = this.#take()
    const token = this.#take()
    if (token.kind !== 'number') throw cql2Error(token.start, 'expected a number')
    return { kind: 'literal', text: sign.text === '-' ? `-${token.text}` : token.text, token }
  }

  /** Reads the rest of `DATE('…')` or `TIMESTAMP('…')`. */
  #readInstant(name: Cql2Token): Value {
    if (!/^(?:date|timestamp)$/i.test(name.text))
      throw cql2Error(name.start, `the function ${name.text} is not supported`)
    const token = this.#take()
    if (token.kind !== 'string') throw cql2Error(token.start, `expected a time in quotes`)
    this.#needSymbol(')')
    return { kind: 'literal', text: token.text, token }
  }

  #find({ text, start }: Cql2Token): Cql2Property {
    const { properties } = this.#scope
    const found = properties.get(text)
    if (found !== undefined) return found
    throw cql2Error(start, `the collection has no property "${text}"`, findHint(text, [...properties.keys()]))
  }

  #readSpatial(): FilterExpression {
    const name = this.#take()
    const operator = name.text.slice(2).toLowerCase() as SpatialOperator
    if (!spatialOperators.includes(operator))
      throw cql2Error(name.start, `the function ${name.text} is not supported`)
    this.#needSymbol('(')
    const left = this.#readGeometry()
    this.#needSymbol(',')
    const right = this.#readGeometry()
    this.#needSymbol(')')
    if (left === 'geometry' && right !== 'geometry')
      return { kind: 'spatial', operator, ...this.#scope.place(right) }
    if (right === 'geometry' && left !== 'geometry')
      return { kind: 'spatial', operator: inverse[operator] ?? operator, ...this.#scope.place(left) }
    throw cql2Error(name.start, `${name.text} needs the geometry of the features and another geometry`)
  }

  #readGeometry(): 'geometry' | Geometry {
    const token = this.#take()
    const isCall = this.#next.text === '(' || /^(?:z|empty)$/i.test(this.#next.text)
    if (token.kind === 'name' && !token.isQuoted && isCall) {
      if (token.text.toLowerCase() === 'bbox') return this.#readBbox()
      if (geometryWords.test(token.text)) return this.#readWkt(token)
    }
    if (token.kind === 'name' && this.#find(token) === 'geometry') return 'geometry'
    throw cql2Error(token.start, 'expected a geometry')
  }

  #readBbox(): Geometry {
    const { start } = this.#next
    this.#needSymbol('(')
    const numbers: number[] = []
    do numbers.push(Number(literalOf(this.#readPlainValue(this.#next))))
    while (numbers.length < 6 && this.#takeSymbol(','))
    this.#needSymbol(')')
    const [minX, minY, maxX, maxY] = numbers.length === 6 ? [0, 1, 3, 4].map((at) => numbers[at]) : numbers
    const isComplete = numbers.length === 4 || numbers.length === 6
    if (!isComplete || !numbers.every(Number.isFinite))
      throw cql2Error(start, 'BBOX needs four or six numbers')
    return bboxGeometry([minX ?? 0, minY ?? 0, maxX ?? 0, maxY ?? 0])
  }

  /** Reads WKT, whose first word has been taken. */
  #readWkt(first: Cql2Token): Geometry {
    let depth = 0
    let last = first
    do {
      last = this.#take()
      if (last.text === '(' && last.kind === 'symbol') depth += 1
      if (last.text === ')' && last.kind === 'symbol') depth -= 1
      if (last.kind === 'end') throw cql2Error(first.start, 'the geometry is not closed')
    } while (depth > 0 || /^z$/i.test(last.text))
    try {
      return parseWkt(this.#text.slice(first.start, last.end)).geometry
    } catch (error) {
      throw isProblem(error) ? cql2Error(first.start, error.message.replace(/\.$/, '')) : error
    }
  }
}

/** Operators that change when their operands are swapped. */
const inverse: Partial<Record<SpatialOperator, SpatialOperator>> = { within: 'contains', contains: 'within' }

function combine(kind: 'and' | 'or', items: readonly FilterExpression[]): FilterExpression {
  const [only] = items
  return items.length === 1 && only !== undefined ? only : { kind, items }
}

const negate = (isNot: boolean, item: FilterExpression): FilterExpression =>
  isNot ? { kind: 'not', item } : item

function nullTest(value: Value): FilterExpression {
  if (value.kind === 'property' && value.property === 'geometry') return { kind: 'no-geometry' }
  return { kind: 'null', field: fieldOf(value) }
}

function fieldOf(value: Value): string {
  if (value.kind === 'property' && typeof value.property === 'object') return value.property.field
  throw cql2Error(value.token.start, `expected a property, got "${value.token.text}"`)
}

function literalOf(value: Value): string {
  if (value.kind === 'literal') return value.text
  throw cql2Error(value.token.start, `expected a value, got "${value.token.text}"`)
}

function compare(operator: Comparison, left: CaseValue, right: CaseValue): FilterExpression {
  const values = [left.value, right.value]
  const id = values.find((value) => value.kind === 'property' && value.property === 'id')
  if (id !== undefined) return compareId(operator, values, id.token)
  const matchCase = !(left.ignoresCase || right.ignoresCase)
  if (values.every(({ kind }) => kind === 'literal'))
    throw cql2Error(left.value.token.start, 'a comparison needs a property')
  return { kind: 'compare', operator, left: operandOf(left.value), right: operandOf(right.value), matchCase }
}

function operandOf(value: Value): Operand {
  return value.kind === 'literal' ? { literal: value.text } : { field: fieldOf(value) }
}

function compareId(operator: Comparison, values: readonly Value[], { start }: Cql2Token): FilterExpression {
  const literal = values.find(({ kind }) => kind === 'literal')
  const isEquality = operator === '=' || operator === '<>'
  if (literal === undefined || !isEquality || !/^-?\d{1,18}$/.test(literalOf(literal)))
    throw cql2Error(start, 'ids are compared with whole numbers by =, <> or IN only')
  return negate(operator === '<>', { kind: 'ids', ids: [literalOf(literal)] })
}
