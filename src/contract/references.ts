import type { TSchema } from 'typebox'
import { joinPointer, type Pointer } from '../core/pointer.ts'
import { WebmapItemSchema } from './classes/webmap.ts'
import { annotationsOf, type Reference } from './descriptor.ts'

/** One reference met in a value. */
export interface FoundReference {
  /** What it may point at; `principal` for users and groups. */
  readonly target: Reference | 'principal'
  readonly pointer: Pointer
  /** The value that stands there: id, `{id}`, or what a manifest writes instead. */
  readonly value: unknown
}

/** Gives what is to stand in the place of a reference. */
export type ReplaceReference = (found: FoundReference) => unknown

type Schema = TSchema & {
  readonly type?: string
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly unknown[]
}

/**
 * Copies a value, putting something else in the place of each reference. Walks by the schema's `x-ref` and
 * `x-principal`, so that no place can be forgotten; values that do not fit the schema are copied as they are.
 */
export function mapReferences(schema: object, value: unknown, replace: ReplaceReference): unknown {
  return walk(schema as Schema, value, { replace, pointer: '' })
}

/** Lists the references of a value, in the order they stand. */
export function findReferences(schema: object, value: unknown): FoundReference[] {
  const found: FoundReference[] = []
  mapReferences(schema, value, (reference) => {
    found.push(reference)
    return reference.value
  })
  return found
}

interface Walk {
  readonly replace: ReplaceReference
  readonly pointer: Pointer
}

function walk(schema: Schema, value: unknown, at: Walk): unknown {
  if (value === null || value === undefined) return value
  const words = annotationsOf(schema)
  const target = words['x-ref'] ?? (words['x-principal'] ? 'principal' : undefined)
  if (target !== undefined) return at.replace({ target, pointer: at.pointer, value })
  if (schema.$ref !== undefined) return walk(WebmapItemSchema as Schema, value, at)
  const branch = branchFor(schema.anyOf ?? schema.oneOf, value)
  if (branch !== undefined) return walk(branch, value, at)
  if (Array.isArray(value)) return walkList(schema, value, at)
  return typeof value === 'object' ? walkObject(schema, value, at) : value
}

function walkList({ items }: Schema, value: readonly unknown[], at: Walk): unknown[] {
  if (items === undefined) return [...value]
  return value.map((item, index) => walk(items, item, { ...at, pointer: joinPointer(at.pointer, index) }))
}

function walkObject({ properties, patternProperties }: Schema, value: object, at: Walk): object {
  const rest = Object.values(patternProperties ?? {})[0]
  const entries = Object.entries(value).map(([name, member]) => {
    const schema = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : rest
    const pointer = joinPointer(at.pointer, name)
    return [name, schema === undefined ? member : walk(schema, member, { ...at, pointer })]
  })
  return Object.fromEntries(entries)
}

/** Of a union, the branch whose discriminating words the value has; else the one that is not null. */
function branchFor(branches: readonly Schema[] | undefined, value: unknown): Schema | undefined {
  if (branches === undefined) return undefined
  const open = branches.filter((branch) => branch.type !== 'null')
  return open.find((branch) => hasWords(branch, value)) ?? (open.length === 1 ? open[0] : undefined)
}

function hasWords({ properties }: Schema, value: unknown): boolean {
  if (properties === undefined || typeof value !== 'object' || value === null) return false
  const words = Object.entries(properties).filter(([, schema]) => schema.enum?.length === 1)
  return (
    words.length > 0 &&
    words.every(([name, schema]) => schema.enum?.[0] === (value as Record<string, unknown>)[name])
  )
}
