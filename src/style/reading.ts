import type { Issue } from '../core/issue.ts'
import { joinPointer, type Pointer } from '../core/pointer.ts'
import type { Span } from '../core/span.ts'
import { findHint } from '../core/suggest.ts'
import type { XmlElement } from './xml.ts'

/** An element on its way into the model, with the path to it, and where faults go. */
export interface Place {
  readonly element: XmlElement
  /** Names from the root, as `/map/layer`. */
  readonly path: Pointer
  readonly issues: Issue[]
}

/** Reads one child element into a part of what its parent comes to. */
export type ReadPart<T> = (child: Place) => Partial<T>

/** What an element may contain. */
export interface Shape<T> {
  readonly children: Readonly<Record<string, ReadPart<T>>>
  readonly attributes?: readonly string[]
}

/** Gives the children of a name, in order. */
export function childrenOf({ element, path, issues }: Place, name: string): Place[] {
  return element.children
    .filter((child) => child.name === name)
    .map((child) => ({ element: child, path: joinPointer(path, name), issues }))
}

/** Joins the parts that the children give, later ones over earlier ones; reports what the shape does not know. */
export function readParts<T>(place: Place, { children, attributes = [] }: Shape<T>): Partial<T> {
  const { element, path, issues } = place
  reportAttributes(place, attributes)
  if (element.text !== '')
    warn(place, element.span, { message: `text in <${element.name}> is not used: ${short(element.text)}` })
  let parts: Partial<T> = {}
  for (const child of element.children) {
    const read = Object.hasOwn(children, child.name) ? children[child.name] : undefined
    const at = { element: child, path: joinPointer(path, child.name), issues }
    if (read === undefined) reportElement(at, Object.keys(children))
    else parts = { ...parts, ...read(at) }
  }
  return parts
}

/** Gives the text of an element, or of its attribute `value`; undefined, and reported, where there is none. */
export function readValue(place: Place): string | undefined {
  const { element } = place
  reportAttributes(place, ['value'])
  for (const child of element.children)
    reportElement({ ...place, element: child, path: joinPointer(place.path, child.name) }, [])
  const attribute = element.attributes.find(({ name }) => name === 'value')?.value.trim()
  const value = element.text === '' ? attribute : element.text
  if (value !== undefined && value !== '') return value
  fail(place, element.span, `<${element.name}> has no value`)
  return undefined
}

/** Limits of a number. */
export interface NumberRange {
  readonly least: number
  readonly most?: number
}

/** Reads a number; undefined, and reported, where there is none or it is out of range. */
export function readNumber(
  place: Place,
  { least, most = Number.MAX_SAFE_INTEGER }: NumberRange,
): number | undefined {
  const text = readValue(place)
  if (text === undefined) return undefined
  const value = parseNumber(text)
  if (value !== undefined && value >= least && value <= most) return value
  fail(
    place,
    place.element.span,
    `<${place.element.name}> takes ${rangeWords(least, most)}, got ${short(text)}`,
  )
  return undefined
}

/** Gives the number a text spells in decimal digits, with or without an exponent. */
export function parseNumber(text: string): number | undefined {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined
}

/** Reports a fault that makes the style unusable. */
export function fail({ path, issues }: Place, span: Span, message: string): void {
  issues.push({ code: 'style/bad-value', message, severity: 'error', span, pointer: path })
}

/** Reports something at a place in the text that the drawing leaves out. */
export function warn({ path, issues }: Place, span: Span, { message, hint }: Remark): void {
  const issue = { code: 'style/unknown', message, severity: 'warning', span, pointer: path } as const
  issues.push(hint === undefined ? issue : { ...issue, hint })
}

/** What is said of something left out. */
export interface Remark {
  readonly message: string
  readonly hint?: string | undefined
}

/** Reports attributes beyond the known ones. */
export function reportAttributes(place: Place, known: readonly string[]): void {
  for (const { name, span } of place.element.attributes) {
    if (known.includes(name)) continue
    warn(place, span, {
      message: `attribute "${name}" of <${place.element.name}> is not known`,
      hint: findHint(name, known),
    })
  }
}

/** Shows a text in a message. */
export function short(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

function reportElement(place: Place, known: readonly string[]): void {
  const { name, span } = place.element
  warn(place, span, { message: `element <${name}> is not known here`, hint: findHint(name, known) })
}

function rangeWords(least: number, most: number): string {
  if (most !== Number.MAX_SAFE_INTEGER) return `a number from ${least} to ${most}`
  return least === 0 ? 'a number of 0 or more' : `a number of ${least} or more`
}
