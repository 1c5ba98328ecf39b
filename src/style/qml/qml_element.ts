import type { Issue } from '../../core/issue.ts'
import type { Span } from '../../core/span.ts'
import { type Expression, operandsOf, type VariableName } from '../expression/expression.ts'
import { parseExpression } from '../expression/expression_parse.ts'
import { ExpressionFault } from '../expression/expression_tokens.ts'
import { bindLabels } from '../expression/representation.ts'
import type { XmlElement } from '../xml/xml_read.ts'

/** Parts of a QML file that are not drawn as in QGIS. */
export interface QmlReading {
  readonly issues: Issue[]
  /** Names of the fields of the layer, as far as they are known. */
  readonly fields: ReadonlySet<string>
  /** Variables that have a value in the part that is read, apart from those of the map and the feature. */
  readonly variables?: readonly VariableName[]
  /** Reads how the form of a field shows its values; undefined for fields that the file does not have. */
  readonly findWidget?: (field: string) => FieldWidget | undefined
}

/** How a form shows the values of a field. */
export interface FieldWidget {
  /** Name of the widget, such as `ValueMap`. */
  readonly type: string
  /** Labels of values, as in a `Representation`; undefined for widgets that are not lists of values. */
  readonly labels?: string
}

/** Maximum number of issues of a file. */
const maxIssues = 1000

/** Adds a warning about a part of a file. */
export function reportPart(
  { issues }: Pick<QmlReading, 'issues'>,
  { span }: { readonly span: Span },
  message: string,
): void {
  if (issues.length > maxIssues) return
  const isLast = issues.length === maxIssues
  const text = isLast ? `more than ${maxIssues} parts are not drawn as in QGIS` : message
  issues.push({ code: 'style/unknown', message: text, severity: 'warning', span })
}

/** Returns the children of an element with a name. */
export function childrenNamed({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child.name === name)
}

/** Returns the first child of an element with a name. */
export function childNamed({ children }: XmlElement, name: string): XmlElement | undefined {
  return children.find((child) => child.name === name)
}

/** Returns the value of an attribute. */
export function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  return attributes.find((attribute) => attribute.name === name)?.value
}

/** Returns the value of an attribute as a finite number. */
export function numberAttribute(element: XmlElement, name: string): number | undefined {
  return findFinite(attributeOf(element, name))
}

/** Parses a finite number; undefined for others. */
export function findFinite(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** A number of a file, and what it is for. */
export interface NumberSource {
  /** Element or attribute that has the number, for the position of issues. */
  readonly at: { readonly span: Span }
  /** What the number is, such as `size of SimpleMarker`. */
  readonly name: string
  readonly text: string | undefined
}

/** Largest size, width or distance that may be drawn: many times that of an image in pixels, or of the world in metres. */
const mostDrawn = 1e9

/** Parses a finite number. Reports a text that is not one, and numbers that can never be drawn. */
export function readFinite(
  reading: Pick<QmlReading, 'issues'>,
  { at, name, text }: NumberSource,
): number | undefined {
  const value = findFinite(text)
  const quoted = JSON.stringify((text ?? '').slice(0, 40))
  if (value === undefined && (text ?? '').trim() !== '')
    reportPart(reading, at, `${name}: ${quoted} is not a finite number; the default is drawn`)
  if (value !== undefined && Math.abs(value) > mostDrawn)
    reportPart(reading, at, `${name}: ${quoted} is too large to be drawn`)
  return value
}

/** Finds an own entry of a table; inherited properties do not count. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name = ''): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Text of an expression, and what depends on it. */
export interface ExpressionSource {
  readonly element: XmlElement
  /** Attribute with the text, for the position of issues. */
  readonly attribute: string
  readonly text: string
  /** What is not drawn without the expression, such as `rule "a" is not drawn`. */
  readonly effect: string
}

/** Parses an expression; undefined, with an issue, if it has errors or parts that are not supported. */
export function readExpression(
  reading: QmlReading,
  { element, attribute, text, effect }: ExpressionSource,
): Expression | undefined {
  const at = element.attributes.find(({ name }) => name === attribute) ?? element
  try {
    return parseFor(reading, text, at)
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error
    reportPart(reading, at, `${effect}: ${error.message} (character ${error.offset + 1} of the expression)`)
    return undefined
  }
}

/** @throws {ExpressionFault} */
function parseFor(reading: QmlReading, text: string, at: { readonly span: Span }): Expression {
  const expression = checkVariables(reading, parseExpression(text))
  return bindLabels(expression, (field) => findLabels(reading, field, at))
}

/** Widgets that show their values as other text than `represent_value()` does for most fields. */
const otherWidgets = ['ValueRelation', 'RelationReference', 'CheckBox', 'DateTime', 'KeyValue', 'List']

function findLabels(reading: QmlReading, field: string, at: { readonly span: Span }): string | undefined {
  const widget = reading.findWidget?.(field)
  if (widget !== undefined && otherWidgets.includes(widget.type))
    reportPart(
      reading,
      at,
      `represent_value(): the widget ${widget.type} of field ${JSON.stringify(field)} is not read; labels are those of its lookup table`,
    )
  return widget?.labels
}

const everywhere: readonly VariableName[] = ['id', 'map_scale']

/** @throws {ExpressionFault} on variables that have no value in the part that is read */
function checkVariables(reading: QmlReading, expression: Expression): Expression {
  const known = [...everywhere, ...(reading.variables ?? [])]
  const check = (one: Expression): void => {
    if (one.op === 'variable' && !known.includes(one.name))
      throw new ExpressionFault(`@${one.name} is not supported here`, 0)
    operandsOf(one).forEach(check)
  }
  check(expression)
  return expression
}

/**
 * Reads the name of a field or an expression, as renderers have it: a text that is not an expression is the name of a
 * field.
 */
export function readFieldOrExpression(reading: QmlReading, source: ExpressionSource): Expression | undefined {
  if (reading.fields.has(source.text)) return { op: 'field', name: source.text }
  try {
    const at = source.element.attributes.find(({ name }) => name === source.attribute) ?? source.element
    return parseFor(reading, source.text, at)
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error
    const isName = /^[\p{L}_][\p{L}\d_ .:-]*$/u.test(source.text)
    return isName ? { op: 'field', name: source.text } : readExpression(reading, source)
  }
}
