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
  gather(found, { schema: schema as Schema, value, pointer: '' })
  return found
}

/** Gives what a reference of the wire names its target by, in whichever of its two forms it stands: `{id}` or the id. */
export function targetIdOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value
}

interface Part {
  readonly schema: Schema
  readonly value: unknown
  readonly pointer: Pointer
}

function gather(found: FoundReference[], { schema, value, pointer }: Part): void {
  if (value === null || value === undefined || !mentionsReferences(schema)) return
  const target = targetOf(schema)
  if (target !== undefined) {
    found.push({ target, pointer, value })
    return
  }
  const branch = findSchemaFor(schema, value)
  if (branch !== undefined && branch !== schema) gather(found, { schema: branch, value, pointer })
  else if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    for (const [index, item] of value.entries())
      gather(found, { schema: items, value: item, pointer: joinPointer(pointer, index) })
  } else if (typeof value === 'object') gatherMembers(found, { schema, value, pointer })
}

function gatherMembers(found: FoundReference[], { schema, value, pointer }: Part): void {
  const members = value as Readonly<Record<string, unknown>>
  for (const name of Object.keys(members)) {
    const part = memberSchema(schema, name)
    if (part === undefined || !mentionsReferences(part)) continue
    gather(found, { schema: part, value: members[name], pointer: joinPointer(pointer, name) })
  }
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
  const target = targetOf(schema)
  if (target !== undefined) return at.replace({ target, pointer: at.pointer, value })
  const branch = findSchemaFor(schema, value)
  if (branch !== undefined && branch !== schema) return walk(branch, value, at)
  if (Array.isArray(value)) return walkList(schema, value, at)
  return typeof value === 'object' ? walkObject(schema, value, at) : value
}

function targetOf(schema: Schema): FoundReference['target'] | undefined {
  const words = annotationsOf(schema)
  return words['x-ref'] ?? (words['x-principal'] ? 'principal' : undefined)
}

function memberSchema({ properties, patternProperties }: Schema, name: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name]
  return patternProperties === undefined ? undefined : Object.values(patternProperties)[0]
}

function walkList({ items }: Schema, value: readonly unknown[], at: Walk): unknown[] {
  if (items === undefined) return [...value]
  return value.map((item, index) => walk(items, item, { ...at, pointer: joinPointer(at.pointer, index) }))
}

function walkObject(owner: Schema, value: object, at: Walk): object {
  const copy: Record<string, unknown> = { ...value }
  for (const [name, member] of Object.entries(value)) {
    const schema = memberSchema(owner, name)
    if (schema === undefined || !mentionsReferences(schema)) continue
    copy[name] = walk(schema, member, { ...at, pointer: joinPointer(at.pointer, name) })
  }
  return copy
}
