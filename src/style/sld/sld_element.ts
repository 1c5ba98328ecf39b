import type { Issue } from '../../core/issue.ts'
import type { Expression } from '../expression/expression.ts'
import { readFinite, reportPart } from '../qml/qml_element.ts'
import type { XmlElement } from '../xml/xml_read.ts'

/** Parts of a file that are not drawn as it says. */
export interface SldReading {
  readonly issues: Issue[]
}

/** Returns the name of an element without its namespace prefix. */
export function localName({ name }: Pick<XmlElement, 'name'>): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Returns the children with a local name. */
export function childrenOfSld({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => localName(child) === name)
}

/** Returns the first child with a local name. */
export function childOfSld(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => localName(child) === name)
}

/** Follows local names downwards. */
export function findSld(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>((inner, name) => childOfSld(inner, name), element)
}

/** Reports all children that are not listed. */
export function reportOthers(reading: SldReading, element: XmlElement, known: readonly string[]): void {
  for (const child of element.children)
    if (!known.includes(localName(child)))
      reportPart(reading, child, `<${localName(child)}> of <${localName(element)}> is not drawn`)
}

/** Reports a geometry that is computed. That of a field is the geometry of the layer. */
export function reportGeometry(reading: SldReading, symbolizer: XmlElement): void {
  const geometry = childOfSld(symbolizer, 'Geometry')
  if (geometry !== undefined) reportOthers(reading, geometry, ['PropertyName', 'ValueReference'])
}

const arithmetic = { Add: '+', Sub: '-', Mul: '*', Div: '/' } as const

/** Reads an expression: a field, a constant or arithmetic; undefined, with an issue, for others. */
export function readSldExpression(reading: SldReading, element: XmlElement): Expression | undefined {
  const name = localName(element)
  if (name === 'PropertyName' || name === 'ValueReference') return { op: 'field', name: element.text }
  if (name === 'Literal') return { op: 'literal', value: element.text }
  const operator = Object.hasOwn(arithmetic, name) ? arithmetic[name as keyof typeof arithmetic] : undefined
  const [left, right] = element.children
  if (operator === undefined || left === undefined || right === undefined) {
    const called = element.attributes.find((one) => one.name === 'name')?.value
    reportPart(reading, element, `<${name}>${called === undefined ? '' : ` ${called}`} is not supported`)
    return undefined
  }
  const [a, b] = [readSldExpression(reading, left), readSldExpression(reading, right)]
  if (a === undefined || b === undefined) return undefined
  return { op: 'binary', operator, left: numberOf(a), right: numberOf(b) }
}

const numberOf = (operand: Expression): Expression => ({ op: 'call', name: 'to_real', operands: [operand] })

/** Parses a finite number. Reports a text that is not one, and numbers that can never be drawn. */
export function readSldNumber(
  reading: SldReading,
  element: XmlElement,
  text: string | undefined,
): number | undefined {
  const named = element.attributes.find((one) => one.name === 'name')?.value
  return readFinite(reading, { at: element, name: named ?? `<${localName(element)}>`, text })
}

/** A parameter: a constant text, or an expression. */
export interface SldParameter {
  readonly element: XmlElement
  readonly text?: string
  readonly expression?: Expression
}

/** Reads the parameters `CssParameter` and `SvgParameter` of an element by name; reports unknown ones. */
export function readParameters(
  reading: SldReading,
  element: XmlElement | undefined,
  known: readonly string[],
): ReadonlyMap<string, SldParameter> {
  const found = new Map<string, SldParameter>()
  for (const child of element?.children ?? []) {
    if (!['CssParameter', 'SvgParameter'].includes(localName(child))) continue
    const name = child.attributes.find((one) => one.name === 'name')?.value ?? ''
    // Further families of a font replace one that is missing.
    if (known.includes(name) && name === 'font-family' && found.has(name)) continue
    if (known.includes(name)) found.set(name, readParameter(reading, child))
    else reportPart(reading, child, `parameter ${name} is ignored`)
  }
  return found
}

/** Reads the value of an element: its text, a constant, or an expression. */
export function readParameter(reading: SldReading, element: XmlElement): SldParameter {
  const [inner] = element.children
  if (inner === undefined) return { element, text: element.text }
  if (localName(inner) === 'Literal') return { element, text: inner.text }
  const expression = readSldExpression(reading, inner)
  return expression === undefined ? { element } : { element, expression }
}
