import type { ErrorObject } from 'ajv'
import { countOf } from '../../core/count.ts'
import { joinPointer } from '../../core/pointer.ts'
import { findHint } from '../../core/suggest.ts'
import type { Fault } from './fault.ts'
import { findPatternWords } from './pattern.ts'

type Describe = (error: ErrorObject) => Fault

const article: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

/** Maximum length of a value in a message. */
const shownLength = 60

/** Formats a value for a message, as shortened JSON. */
export function showValue(value: unknown): string {
  const text = JSON.stringify(startOf(value, { left: shownLength })) ?? 'undefined'
  return text.length > shownLength ? `${text.slice(0, shownLength - 3)}...` : text
}

/** Returns the start of a value that may have millions of parts: at most as many as the message has characters. */
function startOf(value: unknown, parts: { left: number }): unknown {
  parts.left -= 1
  if (typeof value === 'string') return value.slice(0, shownLength)
  if (typeof value !== 'object' || value === null || hasOwnText(value)) return value
  if (Array.isArray(value))
    return value.slice(0, Math.max(0, parts.left + 1)).map((item) => startOf(item, parts))
  const members: [string, unknown][] = []
  for (const name of Object.keys(value)) {
    if (parts.left < 0) break
    members.push([name.slice(0, shownLength), startOf((value as Record<string, unknown>)[name], parts)])
  }
  return Object.fromEntries(members)
}

const hasOwnText = (value: object) => 'toJSON' in value && typeof value.toJSON === 'function'

/** Converts an Ajv error into a message with the value and, if available, a hint. */
export function describeFault(error: ErrorObject): Fault {
  return (byKeyword[error.keyword] ?? describeOther)(error)
}

const byKeyword: Readonly<Record<string, Describe>> = {
  additionalProperties: (error) => unknownField(error, String(error.params.additionalProperty)),
  unevaluatedProperties: (error) => unknownField(error, String(error.params.unevaluatedProperty)),
  required: (error) => ({
    kind: 'missing-field',
    pointer: error.instancePath,
    message: `missing field "${error.params.missingProperty}"`,
  }),
  type: (error) =>
    bad(error, `expected ${typeWords(error.params.type)}, got ${showValue(error.data)}`, truthHint(error)),
  enum: (error) => oneOfWords(error, error.params.allowedValues as unknown[]),
  const: (error) =>
    bad(error, `expected ${showValue(error.params.allowedValue)}, got ${showValue(error.data)}`),
  discriminator: (error) => {
    const tag = String(error.params.tag)
    const pointer = joinPointer(error.instancePath, tag)
    return { kind: 'bad-value', pointer, message: `unknown ${tag} ${showValue(error.params.tagValue)}` }
  },
  anyOf: describeUnion,
  oneOf: describeUnion,
  pattern: (error) =>
    bad(
      error,
      `${showValue(error.data)} ${lackOf(error.params.pattern)}`,
      (error.parentSchema as { description?: string } | undefined)?.description,
    ),
  minLength: (error) =>
    bad(
      error,
      error.params.limit === 1
        ? 'must not be empty'
        : `shorter than ${countOf(error.params.limit, 'character')}`,
    ),
  maxLength: (error) => bad(error, exceeds(error, 'string', 'characters')),
  minimum: (error) => bad(error, `${showValue(error.data)} is less than ${error.params.limit}`),
  maximum: (error) => bad(error, `${showValue(error.data)} is more than ${error.params.limit}`),
  minItems: (error) => bad(error, `expected at least ${countOf(error.params.limit, 'item')}`),
  maxItems: (error) => bad(error, exceeds(error, 'list', 'items')),
  maxProperties: (error) => bad(error, exceeds(error, 'object', 'members')),
  minProperties: (error) => bad(error, 'must not be empty'),
}

/** Describes a size and its limit. */
function exceeds({ data, params }: ErrorObject, what: string, parts: string): string {
  const count =
    typeof data === 'string'
      ? countCharacters(data)
      : Array.isArray(data)
        ? data.length
        : Object.keys(data as object).length
  return `the ${what} has ${count} ${parts}; the limit is ${params.limit}`
}

function countCharacters(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1
  return count
}

function bad(error: ErrorObject, message: string, hint?: string): Fault {
  return { kind: 'bad-value', pointer: error.instancePath, message, ...(hint ? { hint } : {}) }
}

function lackOf(pattern: string): string {
  const words = findPatternWords(pattern)
  return words === undefined ? `does not match the pattern ${pattern}` : `is not ${words}`
}

function describeOther(error: ErrorObject): Fault {
  return bad(error, `${showValue(error.data)} ${error.message ?? 'is not valid'}`)
}

/** YAML 1.1 reads `yes` as true; YAML 1.2 reads it as a string. */
function truthHint({ params, data }: ErrorObject): string | undefined {
  if (params.type !== 'boolean' || typeof data !== 'string') return undefined
  if (/^(?:y|yes|on|true)$/i.test(data)) return 'write true'
  return /^(?:n|no|off|false)$/i.test(data) ? 'write false' : undefined
}

function typeWords(type: unknown): string {
  const types = Array.isArray(type) ? type : String(type).split(',')
  return types.map((one) => article[String(one)] ?? String(one)).join(' or ')
}

function unknownField(error: ErrorObject, name: string): Fault {
  const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {})
  const hint = findHint(name, known) ?? (known.length > 0 ? `use one of: ${known.join(', ')}` : undefined)
  const pointer = joinPointer(error.instancePath, name)
  return { kind: 'unknown-field', pointer, message: `unknown field "${name}"`, ...(hint ? { hint } : {}) }
}

function oneOfWords(error: ErrorObject, allowed: readonly unknown[]): Fault {
  const words = allowed.map((value) => showValue(value))
  const hint =
    typeof error.data === 'string' ? findHint(error.data, allowed.map(String)) : textHint(error, allowed)
  return bad(error, `expected one of ${words.join(', ')}, got ${showValue(error.data)}`, hint)
}

/** A version such as 1.3 is a number in YAML. */
function textHint({ data }: ErrorObject, allowed: readonly unknown[]): string | undefined {
  if (typeof data !== 'number') return undefined
  const texts = allowed.filter((value) => typeof value === 'string')
  const near = texts.filter((text) => text === String(data) || text.startsWith(`${data}.`))
  return near.length === 1 ? `write ${showValue(near[0])}` : undefined
}

function describeUnion(error: ErrorObject): Fault {
  const branches = (error.schema ?? []) as readonly Record<string, unknown>[]
  const words = branches.flatMap((branch) => {
    if (Array.isArray(branch.enum)) return branch.enum.map((value) => showValue(value))
    return branch.type === undefined ? [] : [typeWords(branch.type)]
  })
  if (words.length === 0) return bad(error, `${showValue(error.data)} is not valid`)
  const allowed = branches.flatMap((branch) => (Array.isArray(branch.enum) ? branch.enum.map(String) : []))
  const hint = typeof error.data === 'string' ? findHint(error.data, allowed) : undefined
  return bad(error, `expected ${words.join(' or ')}, got ${showValue(error.data)}`, hint)
}
