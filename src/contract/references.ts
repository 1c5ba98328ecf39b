import { joinPointer, type Pointer } from '../core/pointer.ts'
import { annotationsOf, type Reference } from './descriptor.ts'
import { findSchemaFor, type Schema } from './schema.ts'

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

/**
 * Copies a value, putting something else in the place of each reference. Walks by the schema's `x-ref` and
 * `x-principal`, so that no place can be forgotten; parts that hold no reference are taken over as they are.
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

const mentionCache = new WeakMap<Schema, boolean>()

/** Tells whether values of a schema may hold references. */
function mentionsReferences(schema: Schema): boolean {
  const known = mentionCache.get(schema)
  if (known !== undefined) return known
  const found = /"x-ref"|"x-principal"|"\$ref"/.test(JSON.stringify(schema))
  mentionCache.set(schema, found)
  return found
}

function walk(schema: Schema, value: unknown, at: Walk): unknown {
  if (value === null || value === undefined || !mentionsReferences(schema)) return value
  const words = annotationsOf(schema)
  const target = words['x-ref'] ?? (words['x-principal'] ? 'principal' : undefined)
  if (target !== undefined) return at.replace({ target, pointer: at.pointer, value })
  const branch = findSchemaFor(schema, value)
  if (branch !== undefined && branch !== schema) return walk(branch, value, at)
  if (Array.isArray(value)) return walkList(schema, value, at)
  return typeof value === 'object' ? walkObject(schema, value, at) : value
}

function walkList({ items }: Schema, value: readonly unknown[], at: Walk): unknown[] {
  if (items === undefined) return [...value]
  return value.map((item, index) => walk(items, item, { ...at, pointer: joinPointer(at.pointer, index) }))
}

function walkObject({ properties, patternProperties }: Schema, value: object, at: Walk): object {
  const rest = Object.values(patternProperties ?? {})[0]
  const copy: Record<string, unknown> = { ...value }
  for (const [name, member] of Object.entries(value)) {
    const schema = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : rest
    if (schema === undefined || !mentionsReferences(schema)) continue
    copy[name] = walk(schema, member, { ...at, pointer: joinPointer(at.pointer, name) })
  }
  return copy
}
