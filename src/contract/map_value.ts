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
  replace(words: Annotations, value: unknown, pointer: Pointer): unknown
  /** Tells whether values of a schema may change; others are copied by reference. All by default. */
  concerns?(schema: Schema): boolean
  /** Selects the members of an object to map, as a new object; all own members by default. */
  members?(properties: Readonly<Record<string, Schema>>, value: Fields): Record<string, unknown>
  /** Whether `replace` needs the pointer, which is empty otherwise. */
  readonly hasPointers?: boolean
}

/**
 * Copies a value by its schema, replacing parts by the mapping. Handles unions, lists, objects and references to
 * schemas. Null stays null.
 */
export function mapValue(schema: Schema, value: unknown, mapping: ValueMapping): unknown {
  return mapAt(schema, value, { mapping, pointer: '' })
}

function mapAt(schema: Schema, value: unknown, place: Place): unknown {
  const { mapping, pointer } = place
  if (value === null || value === undefined || mapping.concerns?.(schema) === false) return value
  const replaced = mapping.replace(annotationsOf(schema), value, pointer)
  if (replaced !== parts) return replaced
  const branch = findSchemaFor(schema, value)
  if (branch !== undefined && branch !== schema) {
    const inBranch = mapping.replace(annotationsOf(branch), value, pointer)
    if (inBranch !== parts) return inBranch
  }
  const fitting = branch ?? schema
  if (Array.isArray(value)) return mapItems(fitting, value, place)
  return typeof value === 'object' ? mapMembers(fitting, value as Fields, place) : value
}

interface Place {
  readonly mapping: ValueMapping
  readonly pointer: Pointer
}

function mapItems({ items }: Schema, value: readonly unknown[], place: Place): unknown {
  if (items === undefined) return value
  return value.map((item, index) => mapAt(items, item, placeOf(place, index)))
}

function placeOf({ mapping, pointer }: Place, token: string | number): Place {
  return { mapping, pointer: mapping.hasPointers ? joinPointer(pointer, token) : pointer }
}

function mapMembers(owner: Schema, value: Fields, place: Place): unknown {
  const { mapping } = place
  const { properties } = owner
  if (properties === undefined && (mapping.members !== undefined || owner.patternProperties === undefined))
    return value
  const copy =
    properties === undefined ? { ...value } : (mapping.members?.(properties, value) ?? { ...value })
  for (const name in copy) {
    const schema = memberSchema(owner, name)
    if (schema === undefined || mapping.concerns?.(schema) === false) continue
    copy[name] = mapAt(schema, copy[name], placeOf(place, name))
  }
  return copy
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
