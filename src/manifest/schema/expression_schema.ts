import type { JsonSchema } from './field_schema.ts'

/** A value that a variable gives, as files have it. */
export const expressionDefinition: JsonSchema = {
  type: 'string',
  pattern: '\\$\\{(env\\.[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?|file:[^}]+)\\}',
  description:
    'A value with environment variables, ${env.NAME} or ${env.NAME:-default}, or with the text of a file, ${file:PATH}.',
}

/** Words under which no value of a manifest stands, or one that decides which schema counts. */
const untouched = ['if', 'propertyNames', 'required', 'default', 'enum', 'const']

/** Members that say which schema counts: an expression would leave that open. */
const deciding = ['cls', 'item_type']

/**
 * Lets an expression stand for every value that is not free text anyway, so that editors accept `port: ${env.PORT}`
 * as the loader does.
 */
export function allowExpressions(schema: JsonSchema): JsonSchema {
  const parts = Object.entries(schema).map(([word, value]) => [word, allowWithin(word, value)])
  const opened = Object.fromEntries(parts) as JsonSchema
  return isNarrow(schema) ? widen(opened) : opened
}

function allowWithin(word: string, value: unknown): unknown {
  if (untouched.includes(word)) return value
  if (word === 'properties' || word === 'definitions') return allowInEach(value as Record<string, JsonSchema>)
  if (Array.isArray(value)) return value.map((item) => (isSchema(item) ? allowExpressions(item) : item))
  return isSchema(value) ? allowExpressions(value) : value
}

function allowInEach(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const entries = Object.entries(schemas).map(([name, schema]) => [
    name,
    deciding.includes(name) ? schema : allowExpressions(schema),
  ])
  return Object.fromEntries(entries)
}

function isSchema(value: unknown): value is JsonSchema {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** Tells whether an expression, which is a text, does not fit a schema of single values. */
function isNarrow({ type, enum: words, pattern }: JsonSchema): boolean {
  if (type === 'string') return words !== undefined || pattern !== undefined
  return type === 'integer' || type === 'number' || type === 'boolean'
}

/** The description stays outside, where editors look for it. */
function widen({ description, title, default: fallback, ...rest }: JsonSchema): JsonSchema {
  const shown = Object.entries({ title, description, default: fallback }).filter(
    ([, word]) => word !== undefined,
  )
  return { ...Object.fromEntries(shown), anyOf: [rest, { $ref: '#/definitions/expression' }] }
}
