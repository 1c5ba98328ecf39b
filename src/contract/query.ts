import type { TSchema } from 'typebox'
import type { Problem } from '../core/problem.ts'
import { problem } from './problems.ts'
import type { RouteDescriptor } from './route.ts'

/** Query string as returned by a URL parser; of a repeated parameter the last value counts. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>

/** Parsed query: the declared parameters with their types, and the other parameters of the operation as strings. */
export interface ParsedQuery {
  readonly named: Readonly<Record<string, unknown>>
  /** Names and values in their order, with repeated names. */
  readonly more: readonly (readonly [name: string, value: string])[]
}

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  '1': true,
  false: false,
  no: false,
  '0': false,
}

/**
 * Parses the query of an operation by its schema. Unknown parameters are ignored. `amp;x` is read as `x`: a widely
 * used client escapes its parameters twice.
 *
 * @throws {Problem} request/invalid with the name of the invalid parameter
 */
export function parseQuery(route: RouteDescriptor, raw: RawQuery): ParsedQuery {
  const named: Record<string, unknown> = {}
  const more: (readonly [string, string])[] = []
  const { moreQuery } = route
  for (const [rawName, value] of Object.entries(raw)) {
    const name = rawName.startsWith('amp;') ? rawName.slice(4) : rawName
    const texts = typeof value === 'string' ? [value] : (value ?? [])
    const schema = route.query?.properties[name]
    const last = texts.at(-1)
    if (schema !== undefined && last !== undefined) named[name] = parseParameter(name, last, schema)
    else if (moreQuery !== undefined && patternOf(moreQuery.pattern).test(name))
      more.push(...texts.map((text) => [name, text] as const))
  }
  if (moreQuery !== undefined && more.length > moreQuery.maxCount)
    throw problem(
      'request/invalid',
      `The query has ${more.length} conditions; the limit is ${moreQuery.maxCount}.`,
      { data: { location: ['query'] } },
    )
  return { named, more }
}

/** Formats a value for a query string, as `parseQuery` reads it. */
export function formatParameter(value: unknown): string {
  return Array.isArray(value) ? value.map((item) => encodeComma(String(item))).join(',') : String(value)
}

function parseParameter(name: string, text: string, schema: TSchema & Partial<Constraints>): unknown {
  if (schema.type === 'array') return parseList(name, text, schema)
  const value = parseScalar(name, text, schema)
  const allowed = schema.enum
  if (allowed !== undefined && !allowed.includes(value)) refuse(name, text, `one of ${allowed.join(', ')}`)
  if (typeof value === 'number' && schema.minimum !== undefined && value < schema.minimum)
    refuse(name, text, `at least ${schema.minimum}`)
  if (typeof value === 'number' && schema.maximum !== undefined && value > schema.maximum)
    refuse(name, text, `at most ${schema.maximum}`)
  return value
}

function parseList(name: string, text: string, { items = {}, maxItems }: Partial<Constraints>): unknown[] {
  const texts = splitList(text)
  if (maxItems !== undefined && texts.length > maxItems)
    throw invalid(name, ` has ${texts.length} items; the limit is ${maxItems}`)
  return texts.map((item) => parseParameter(name, item, items))
}

interface Constraints {
  type: string
  items: TSchema
  maxItems: number
  maxLength: number
  enum: unknown[]
  minimum: number
  maximum: number
  pattern: string
  examples: unknown[]
}

function parseScalar(name: string, text: string, schema: Partial<Constraints>): unknown {
  const { type, pattern, examples, maxLength } = schema
  if (type === 'boolean') return parseTruth(text) ?? refuse(name, text, 'true or false')
  if (type === 'integer')
    return /^[+-]?\d{1,15}$/.test(text.trim())
      ? Number(text)
      : refuse(name, text, `an integer${rangeOf(schema)}`)
  if (type === 'number')
    return text.trim() !== '' && Number.isFinite(Number(text))
      ? Number(text)
      : refuse(name, text, `a number${rangeOf(schema)}`)
  if (maxLength !== undefined && text.length > maxLength)
    throw invalid(name, ` has ${text.length} characters; the limit is ${maxLength}`)
  if (pattern !== undefined && !patternOf(pattern).test(text))
    refuse(
      name,
      text,
      examples === undefined ? `a value that matches ${pattern}` : `a value such as ${examples[0]}`,
    )
  return text
}

const patterns = new Map<string, RegExp>()

/** Returns the expression of a pattern of the contract, which is compiled once. */
function patternOf(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern)
  patterns.set(pattern, known)
  return known
}

function rangeOf({ minimum, maximum }: Partial<Constraints>): string {
  if (maximum === undefined) return ''
  return minimum === undefined ? ` of at most ${maximum}` : ` from ${minimum} to ${maximum}`
}

/** Parses a boolean as clients write it; undefined if it is not one. */
export function parseTruth(text: string): boolean | undefined {
  const word = text.toLowerCase()
  return Object.hasOwn(truths, word) ? truths[word] : undefined
}

function splitList(text: string): string[] {
  return text === ''
    ? []
    : text.split(',').map((item) => item.replaceAll(/%2c/gi, ',').replaceAll(/%25/g, '%'))
}

function encodeComma(item: string): string {
  return item.replaceAll('%', '%25').replaceAll(',', '%2C')
}

function refuse(name: string, text: string, expected: string): never {
  throw invalid(name, `: expected ${expected}, got "${shorten(text)}"`)
}

function invalid(name: string, fault: string): Problem {
  return problem('request/invalid', `Parameter "${name}"${fault}.`, { data: { location: ['query', name] } })
}

/** Maximum length of an invalid value in a message, in characters. */
const shownLength = 200

function shorten(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text
}
