import type { TSchema } from 'typebox'
import { WebmapItemSchema } from '../classes/webmap.ts'
import { annotationsOf } from '../descriptor.ts'

/** Keywords of JSON Schema that value walkers read. */
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

/** Lists the secret fields of an object schema. */
export function listSecrets({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, field]) =>
    annotationsOf(field)['x-secret'] ? [name] : [],
  )
}

/**
 * Finds the schema of a value: follows `$ref`, and selects the branch of a union by its discriminator values, else the
 * branch that is not null. Undefined if no branch matches.
 */
export function findSchemaFor(schema: Schema, value: unknown): Schema | undefined {
  if (schema.$ref !== undefined) return findSchemaFor(WebmapItemSchema as Schema, value)
  if (schema.anyOf === undefined && schema.oneOf === undefined) return schema
  const branches = branchesOf(schema)
  const branch =
    branches.find(({ words }) => hasWords(words, value)) ?? (branches.length === 1 ? branches[0] : undefined)
  return branch === undefined ? undefined : findSchemaFor(branch.schema, value)
}

/** Branch of a union other than null, with its discriminator values. */
interface Branch {
  readonly schema: Schema
  readonly words: readonly (readonly [field: string, word: unknown])[]
}

// Trees of ten thousand resources have only a few schemas.
const branchCache = new WeakMap<Schema, readonly Branch[]>()

function branchesOf(union: Schema): readonly Branch[] {
  const known = branchCache.get(union)
  if (known !== undefined) return known
  const open = (union.anyOf ?? union.oneOf ?? []).filter((branch) => branch.type !== 'null')
  const branches = open.map((schema) => ({ schema, words: wordsOf(schema) }))
  branchCache.set(union, branches)
  return branches
}

function wordsOf({ properties = {} }: Schema): Branch['words'] {
  return Object.entries(properties).flatMap(([name, { enum: words }]) =>
    words?.length === 1 ? [[name, words[0]] as const] : [],
  )
}

function hasWords(words: Branch['words'], value: unknown): boolean {
  if (words.length === 0 || typeof value !== 'object' || value === null) return false
  return words.every(([name, word]) => word === (value as Record<string, unknown>)[name])
}
