import type { Issue } from '../../core/issue.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Span } from '../../core/span.ts'
import { findHint } from '../../core/suggest.ts'
import type { XmlElement } from './xml_read.ts'

/** An element to read, its path, and the list that receives issues. */
export interface ElementContext {
  readonly element: XmlElement
  /** Element names from the root, such as `/map/layer`. */
  readonly path: Pointer
  readonly issues: Issue[]
}

/** Reads a child element into some of the properties of its parent. */
export type ReadPart<T> = (child: ElementContext) => Partial<T>

/** Children and attributes that an element may have. */
export interface ElementSchema<T> {
  readonly children: Readonly<Record<string, ReadPart<T>>>
  readonly attributes?: readonly string[]
}

/** Returns the children with a name, in order. */
export function childrenOf({ element, path, issues }: ElementContext, name: string): ElementContext[] {
  return element.children
    .filter((child) => child.name === name)
    .map((child) => ({ element: child, path: joinPointer(path, name), issues }))
}

/** Merges the properties read from the children, the last one winning; reports unknown elements and attributes. */
export function readParts<T>(
  context: ElementContext,
  { children, attributes = [] }: ElementSchema<T>,
): Partial<T> {
  const { element, path, issues } = context
  reportAttributes(context, attributes)
  if (element.text !== '')
    warn(context, element.span, { message: `ignored text in <${element.name}>: ${quoteShort(element.text)}` })
  let parts: Partial<T> = {}
  for (const child of element.children) {
    const read = Object.hasOwn(children, child.name) ? children[child.name] : undefined
    const at = { element: child, path: joinPointer(path, child.name), issues }
    if (read === undefined) reportElement(at, Object.keys(children))
    else parts = { ...parts, ...read(at) }
  }
  return parts
}

/** Returns the text of an element or of its attribute `value`; undefined, with an issue, if it has neither. */
export function readValue(context: ElementContext): string | undefined {
  const { element } = context
  reportAttributes(context, ['value'])
  for (const child of element.children)
    reportElement({ ...context, element: child, path: joinPointer(context.path, child.name) }, [])
  const attribute = element.attributes.find(({ name }) => name === 'value')?.value.trim()
  const value = element.text === '' ? attribute : element.text
  if (value !== undefined && value !== '') return value
  fail(context, element.span, `<${element.name}> has no value`)
  return undefined
}

/** Limits of a number. */
export interface NumberRange {
  readonly least: number
  readonly most?: number
}

/** Reads a number; undefined, with an issue, if it is missing, invalid or out of range. */
export function readNumber(
  context: ElementContext,
  { least, most = Number.MAX_SAFE_INTEGER }: NumberRange,
): number | undefined {
  const text = readValue(context)
  if (text === undefined) return undefined
  const value = parseNumber(text)
  if (value !== undefined && value >= least && value <= most) return value
  fail(
    context,
    context.element.span,
    `<${context.element.name}>: expected ${describeRange(least, most)}, got ${quoteShort(text)}`,
  )
  return undefined
}

/** Parses a decimal number, with or without an exponent. */
export function parseNumber(text: string): number | undefined {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined
}

/** Adds an error; the style cannot be used. */
export function fail({ path, issues }: ElementContext, span: Span, fault: string | Warning): void {
  const { message, hint } = typeof fault === 'string' ? { message: fault, hint: undefined } : fault
  const issue = { code: 'style/bad-value', message, severity: 'error', span, pointer: path } as const
  issues.push(hint === undefined ? issue : { ...issue, hint })
}

/** Adds a warning about a part that is not drawn. */
export function warn({ path, issues }: ElementContext, span: Span, { message, hint }: Warning): void {
  const issue = { code: 'style/unknown', message, severity: 'warning', span, pointer: path } as const
  issues.push(hint === undefined ? issue : { ...issue, hint })
}

/** Message and hint of a warning. */
export interface Warning {
  readonly message: string
  readonly hint?: string | undefined
}

/** Reports unknown attributes. */
export function reportAttributes(context: ElementContext, known: readonly string[]): void {
  for (const { name, span } of context.element.attributes) {
    if (known.includes(name)) continue
    warn(context, span, {
      message: `unknown attribute "${name}" of <${context.element.name}>`,
      hint: findHint(name, known),
    })
  }
}

/** Quotes a string for a message, truncated to 40 characters. */
export function quoteShort(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

function reportElement(context: ElementContext, known: readonly string[]): void {
  const { name, span } = context.element
  warn(context, span, { message: `unknown element <${name}>`, hint: findHint(name, known) })
}

function describeRange(least: number, most: number): string {
  if (most !== Number.MAX_SAFE_INTEGER) return `a number from ${least} to ${most}`
  return least === 0 ? 'a number of 0 or more' : `a number of ${least} or more`
}
