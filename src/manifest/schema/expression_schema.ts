import { isObject } from '../../core/is_object.ts'
import type { JsonSchema } from './field_schema.ts'

/** Schema of an expression with a variable or a file. */
export const expressionDefinition: JsonSchema = {
  type: 'string',
  pattern: '\\$\\{(env\\.[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?|param\\.[A-Za-z_][A-Za-z0-9_]*|file:[^}]+)\\}',
  description:
    'A value with environment variables, ${env.NAME} or ${env.NAME:-default}, with the text of a file, ${file:PATH}, or with a parameter of a fragment, ${param.NAME}.',
}

/** Keywords that do not contain schemas of manifest values. */
const keptKeywords = ['if', 'propertyNames', 'required', 'default', 'enum', 'const']

/** Fields that select a schema; they cannot be expressions. */
const selectors = ['cls', 'item_type']

/**
 * Allows an expression for every value that is not a free string, so that editors accept `port: ${env.PORT}` like the
 * loader does.
 */
export function allowExpressions(schema: JsonSchema): JsonSchema {
  const parts = Object.entries(schema).map(([word, value]) => [word, allowWithin(word, value)])
  const opened = Object.fromEntries(parts) as JsonSchema
  return isNarrow(schema) ? widen(opened) : opened
}

function allowWithin(word: string, value: unknown): unknown {
  if (keptKeywords.includes(word)) return value
  if (word === 'properties' || word === 'definitions') return allowInEach(value as Record<string, JsonSchema>)
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? allowExpressions(item) : item))
  return isObject(value) ? allowExpressions(value) : value
}

function allowInEach(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const entries = Object.entries(schemas).map(([name, schema]) => [
    name,
    selectors.includes(name) ? schema : allowExpressions(schema),
  ])
  return Object.fromEntries(entries)
}

/** Reports whether a schema of scalars, lists, or maps of values rejects an expression. */
function isNarrow({ type, enum: words, pattern, additionalProperties: values }: JsonSchema): boolean {
  if (type === 'string') return words !== undefined || pattern !== undefined
  if (type === 'object') return isObject(values) && !Object.hasOwn(values, '$ref')
  if (type === 'array') return true
  return type === 'integer' || type === 'number' || type === 'boolean'
}

/** Adds the expression as an alternative; the description stays outside, where editors read it. */
function widen({ description, title, default: fallback, ...rest }: JsonSchema): JsonSchema {
  const shown = Object.entries({ title, description, default: fallback }).filter(
    ([, word]) => word !== undefined,
  )
  return { ...Object.fromEntries(shown), anyOf: [rest, { $ref: '#/definitions/expression' }] }
}
