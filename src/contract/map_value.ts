import { joinPointer, type Pointer } from '../core/pointer.ts'
import { type Annotations, annotationsOf } from './descriptor.ts'
import { findSchemaFor, type Schema } from './schema/schema.ts'

/** Returned by `replace` to map the parts of a value. */
export const parts = Symbol('parts')

type Fields = Readonly<Record<string, unknown>>

/** Callbacks of `mapValue`. */
export interface ValueMapping {
  /**
   * Returns the replacement of a value, or `parts` to map its items or members. Called twice for a union: with the
   * keywords of the union, then with those of the matching branch.
   */
  replace(words: Annotations, value: unknown, place: ValuePlace): unknown
  /** Tells whether values of a schema may change; others are copied by reference. All by default. */
  concerns?(schema: Schema): boolean
  /** Selects the members of an object to map, as a new object; all own members by default. */
  members?(properties: Readonly<Record<string, Schema>>, value: Fields): Record<string, unknown>
}

/** Place of a value in the mapped one. */
export interface ValuePlace {
  /** Place of the list or object with the value; absent for the mapped value itself. */
  readonly owner?: ValuePlace
  readonly token: string | number
}

/** Returns the pointer of a value. Most mappings need few of them. */
export function pointerAt({ owner, token }: ValuePlace): Pointer {
  return owner === undefined ? '' : joinPointer(pointerAt(owner), token)
}

/**
 * Replaces parts of a value by its schema. Handles unions, lists, objects and references to schemas. Null stays null. Does not
 * change the value: what has replaced parts is copied, the rest is shared.
 */
export function mapValue(schema: Schema, value: unknown, mapping: ValueMapping): unknown {
  return mapAt(schema, value, { mapping, token: '' })
}

interface Walk extends ValuePlace {
  readonly mapping: ValueMapping
}

function mapAt(schema: Schema, value: unknown, walk: Walk): unknown {
  const { mapping } = walk
  if (value === null || value === undefined || mapping.concerns?.(schema) === false) return value
  const replaced = mapping.replace(annotationsOf(schema), value, walk)
  if (replaced !== parts) return replaced
  const branch = findSchemaFor(schema, value)
  if (branch !== undefined && branch !== schema) {
    const inBranch = mapping.replace(annotationsOf(branch), value, walk)
    if (inBranch !== parts) return inBranch
  }
  const fitting = branch ?? schema
  if (Array.isArray(value)) return mapItems(fitting, value, walk)
  return typeof value === 'object' ? mapMembers(fitting, value as Fields, walk) : value
}

function mapItems({ items }: Schema, value: readonly unknown[], walk: Walk): unknown {
  if (items === undefined) return value
  let copy: unknown[] | undefined
  for (let index = 0; index < value.length; index += 1) {
    const item = value[index]
    const mapped = mapAt(items, item, inside(walk, index))
    if (mapped === item) continue
    copy ??= [...value]
    copy[index] = mapped
  }
  return copy ?? value
}

const inside = (owner: Walk, token: string | number): Walk => ({ mapping: owner.mapping, owner, token })

function mapMembers(owner: Schema, value: Fields, walk: Walk): unknown {
  const { mapping } = walk
  const { properties } = owner
  if (properties === undefined && (mapping.members !== undefined || owner.patternProperties === undefined))
    return value
  const given = properties && mapping.members?.(properties, value)
  let copy = given
  for (const name in given ?? value) {
    const schema = memberSchema(owner, name)
    if (schema === undefined || mapping.concerns?.(schema) === false) continue
    const member = (copy ?? value)[name]
    const mapped = mapAt(schema, member, inside(walk, name))
    if (mapped === member) continue
    copy ??= { ...value }
    copy[name] = mapped
  }
  return copy ?? value
}

function memberSchema({ properties, patternProperties }: Schema, name: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name]
  return patternProperties === undefined ? undefined : Object.values(patternProperties)[0]
}

/**
 * Returns a predicate that tells whether a schema, or a part of it, has one of the keywords. Results are cached: trees
 * of ten thousand resources have only a few schemas.
 */
export function mentioning(words: readonly (keyof Annotations)[]): (schema: Schema) => boolean {
  const known = new WeakMap<Schema, boolean>()
  // A reference to another schema may lead to any keyword.
  const pattern = new RegExp([...words, '\\$ref'].map((word) => `"${word}"`).join('|'))
  return (schema) => {
    const found = known.get(schema) ?? pattern.test(JSON.stringify(schema))
    known.set(schema, found)
    return found
  }
}
