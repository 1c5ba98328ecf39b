import type { TSchema } from 'typebox'
import { WebmapItemSchema } from './classes/webmap.ts'

/** The parts of a JSON Schema that walkers of values read. */
export type Schema = TSchema & {
  readonly type?: string | readonly string[]
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly default?: unknown
}

/**
 * Finds the schema that a value is written by: follows `$ref`, and of a union takes the branch whose discriminating
 * words the value has, else the one that is not null. Undefined where the value fits none.
 */
export function findSchemaFor(schema: Schema, value: unknown): Schema | undefined {
  if (schema.$ref !== undefined) return findSchemaFor(WebmapItemSchema as Schema, value)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches === undefined) return schema
  const open = branches.filter((branch) => branch.type !== 'null')
  const branch = open.find((one) => hasWords(one, value)) ?? (open.length === 1 ? open[0] : undefined)
  return branch === undefined ? undefined : findSchemaFor(branch, value)
}

function hasWords({ properties }: Schema, value: unknown): boolean {
  if (properties === undefined || typeof value !== 'object' || value === null) return false
  const words = Object.entries(properties).filter(([, schema]) => schema.enum?.length === 1)
  return (
    words.length > 0 &&
    words.every(([name, schema]) => schema.enum?.[0] === (value as Record<string, unknown>)[name])
  )
}
