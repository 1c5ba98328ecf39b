import type { Issue } from '../core/issue.ts'
import type { Span } from '../core/span.ts'
import { findHint } from '../core/suggest.ts'
import type { JsonNode } from './json_read.ts'
import type { XmlElement } from './xml/xml_read.ts'

/** Lists the distinct fields that rules, symbols, labels and the order of a style read. */
export function fieldsReadBy(style: unknown): string[] {
  const names = new Set<string>()
  collectFields(style, names)
  return [...names]
}

// Generic over all places of expressions in a style.
function collectFields(value: unknown, into: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  if ('op' in value && value.op === 'field' && 'name' in value) into.add(String(value.name))
  if ('op' in value && value.op === 'represent' && 'field' in value) into.add(String(value.field))
  for (const inner of Object.values(value)) collectFields(inner, into)
}

/** Fields of a style and of its layer. */
export interface FieldCheck {
  /** Fields that the style reads. */
  readonly read: readonly string[]
  /** Fields of the layer. */
  readonly known: readonly string[]
}

/** Reports where a style names fields that its layer does not have: there, values are null. */
export function checkMissingFields(root: XmlElement | JsonNode, { read, known }: FieldCheck): Issue[] {
  const names = new Set(known)
  const missing = read.filter((name) => !names.has(name))
  if (missing.length === 0) return []
  const places = 'kind' in root ? listStrings(root) : drawnParts(root).flatMap(listPlaces)
  return missing.flatMap((name) => {
    const pattern = new RegExp(`(?<![\\p{L}\\d_])${quotePattern(name)}(?![\\p{L}\\d_])`, 'u')
    const found = places.filter(({ text }) => pattern.test(text)).map(({ span }) => span)
    return (found.length === 0 ? [root.span] : found).map((span): Issue => {
      const message = `the layer has no field ${JSON.stringify(name)}; its value is null`
      const hint = findHint(name, known) ?? 'add the field to the layer, or name another field'
      return { code: 'style/missing-field', message, severity: 'warning', span, hint }
    })
  })
}

const quotePattern = (name: string) => name.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)

/** A text with an expression or the name of a field. */
interface Place {
  readonly text: string
  readonly span: Span
}

/** Attributes of QML with an expression or the name of a field. */
const attributeNames = new Set(['attr', 'filter', 'fieldName', 'field', 'weight_expression'])

/** Options of QML whose value is an expression or the name of a field. */
const optionNames = new Set(['expression', 'field'])

/** Elements of MapServer XML, QML and SLD whose text is an expression or the name of a field. */
const elementNames = new Set([
  'classitem',
  'labelitem',
  'expression',
  'text',
  'orderByClause',
  'PropertyName',
])

/** Elements of QML with symbols and labels. Others, such as aliases, defaults and constraints of fields, draw nothing. */
const drawnElements = new Set(['renderer-v2', 'labeling'])

function drawnParts(root: XmlElement): readonly XmlElement[] {
  if (root.name !== 'qgis') return [root]
  return root.children.filter(({ name }) => drawnElements.has(name))
}

function listPlaces(element: XmlElement): Place[] {
  const { name, attributes, text, span, children } = element
  const isOption = attributes.some((one) => one.name === 'name' && optionNames.has(one.value))
  const values = attributes.filter((one) => {
    if (one.name === 'value') return isOption || elementNames.has(localName(name))
    return attributeNames.has(one.name)
  })
  return [
    ...values.map((one) => ({ text: one.value, span: one.span })),
    ...(text !== '' && elementNames.has(localName(name)) ? [{ text, span }] : []),
    ...children.flatMap(listPlaces),
  ]
}

/** Lists the strings of a style of Mapbox GL, apart from the names of its members. */
function listStrings(node: JsonNode): Place[] {
  if (node.kind === 'scalar')
    return typeof node.value === 'string' ? [{ text: node.value, span: node.span }] : []
  const inner = node.kind === 'array' ? node.items : [...node.members.values()].map(({ value }) => value)
  return inner.flatMap(listStrings)
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)
