import type { BinaryOperator, Expression } from '../expression/expression.ts'
import { reportPart } from '../qml/qml_element.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import { childOfSld, localName, readSldExpression, type SldReading } from './sld_element.ts'

const comparisons: Readonly<Record<string, BinaryOperator>> = {
  PropertyIsEqualTo: '=',
  PropertyIsNotEqualTo: '<>',
  PropertyIsLessThan: '<',
  PropertyIsLessThanOrEqualTo: '<=',
  PropertyIsGreaterThan: '>',
  PropertyIsGreaterThanOrEqualTo: '>=',
}

/**
 * Reads a filter as an expression; undefined, with an issue, if a part of it is not supported.
 *
 * @see https://www.ogc.org/standard/filter/ Filter Encoding 1.1, clauses 9 to 11
 */
export function readSldFilter(reading: SldReading, element: XmlElement): Expression | undefined {
  const name = localName(element)
  if (name === 'And' || name === 'Or') {
    const operands = readAll(reading, element.children)
    return operands && { op: name === 'And' ? 'and' : 'or', operands }
  }
  const [first] = element.children
  if (name === 'Not' && first !== undefined) {
    const operand = readSldFilter(reading, first)
    return operand && { op: 'not', operand }
  }
  return name.startsWith('PropertyIs') ? readComparison(reading, element) : refuse(reading, element)
}

function readComparison(reading: SldReading, element: XmlElement): Expression | undefined {
  const name = localName(element)
  const [first, second] = element.children
  const left = first && readSldExpression(reading, first)
  if (left === undefined) return refuse(reading, element)
  if (name === 'PropertyIsNull')
    return { op: 'binary', operator: 'is', left, right: { op: 'literal', value: null } }
  if (name === 'PropertyIsLike') return readLike(element, left)
  if (name === 'PropertyIsBetween') return readBetween(reading, element, left)
  const operator = Object.hasOwn(comparisons, name) ? comparisons[name] : undefined
  if (operator === undefined || second === undefined) return refuse(reading, element)
  const right = readSldExpression(reading, second)
  return right && { op: 'binary', operator, left, right }
}

function readAll(reading: SldReading, elements: readonly XmlElement[]): Expression[] | undefined {
  const operands = elements.map((one) => readSldFilter(reading, one))
  const found = operands.filter((one) => one !== undefined)
  return found.length === operands.length && found.length > 0 ? found : undefined
}

function refuse(reading: SldReading, element: XmlElement): undefined {
  reportPart(reading, element, `<${localName(element)}> is not supported in filters`)
  return undefined
}

function readBetween(reading: SldReading, element: XmlElement, operand: Expression): Expression | undefined {
  const [lower, upper] = ['LowerBoundary', 'UpperBoundary'].map((name) => {
    const [bound] = childOfSld(element, name)?.children ?? []
    return bound === undefined ? undefined : readSldExpression(reading, bound)
  })
  if (lower === undefined || upper === undefined) return refuse(reading, element)
  return { op: 'between', operand, lower, upper, isNegated: false }
}

/** Converts the wildcards of a pattern to those of `LIKE`. */
function readLike({ attributes, children }: XmlElement, left: Expression): Expression {
  const attribute = (name: string) => attributes.find((one) => one.name.toLowerCase() === name)?.value
  const any = attribute('wildcard') ?? '%'
  const one = attribute('singlechar') ?? '_'
  const escapeCharacter = attribute('escapechar') ?? attribute('escape') ?? '\\'
  let pattern = ''
  const text = [...(children[1]?.text ?? '')]
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === escapeCharacter && at + 1 < text.length) {
      at += 1
      pattern += literal(text[at] ?? '')
    } else if (character === any) pattern += '%'
    else pattern += character === one ? '_' : literal(character)
  }
  const operator = attribute('matchcase') === 'false' ? 'ilike' : 'like'
  return { op: 'binary', operator, left, right: { op: 'literal', value: pattern } }
}

const literal = (character: string) => (character === '%' || character === '_' ? `\\${character}` : character)
