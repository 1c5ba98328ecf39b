import { isDeepStrictEqual } from 'node:util'
import { type Annotations, annotationsOf, type Reference } from '../../contract/descriptor.ts'
import { mapValue, mentioning, parts, type ValueMapping } from '../../contract/map_value.ts'
import { type FoundReference, mapReferences, targetIdOf, targetOf } from '../../contract/schema/references.ts'
import { findSchemaFor, type Schema } from '../../contract/schema/schema.ts'
import { writeScale } from '../../contract/schema/translate.ts'
import { canonicalBoundary } from '../../geo/boundary.ts'
import { canonicalXml } from '../../style/xml/canonical_xml.ts'
import type { Principals } from './principals.ts'

/**
 * Converts a value to its canonical form: with defaults, normalized scales, XML and boundaries, lists in the order of the server,
 * and without read-only and write-only members. References must be in manifest form.
 */
export function canonical(schema: Schema, value: unknown): unknown {
  return mapValue(schema, mapValue(schema, value, sorting), filling)
}

const sorting: ValueMapping = {
  concerns: mentioning(['x-order']),
  replace: ({ 'x-order': member }, value) =>
    member !== undefined && Array.isArray(value) ? sortItems(value as Fields[], member) : parts,
}

function sortItems(items: readonly Fields[], member: string): Fields[] {
  return items.toSorted((one, other) => Number(one[member]) - Number(other[member]))
}

const filling: ValueMapping = {
  replace: (words, value) => {
    if (words['x-form'] !== undefined) return canonicalText(words['x-form'], value)
    return targetOf(words) === undefined ? parts : value
  },
  members: (properties, value) => {
    const fields: Record<string, unknown> = {}
    for (const [name, schema] of Object.entries(properties)) {
      if (!isCompared(schema)) continue
      const field = value[name] ?? value[annotationsOf(schema)['x-default-from'] ?? ''] ?? schema.default
      if (value[name] === null && schema.default === undefined) fields[name] = null
      else if (field !== undefined) fields[name] = field
    }
    return fields
  },
}

function canonicalText(form: NonNullable<Annotations['x-form']>, value: unknown): unknown {
  if (form === 'scale') return writeScale(value)
  if (typeof value !== 'string') return value
  return form === 'xml' ? canonicalXml(value) : canonicalBoundary(value)
}

/** Reports whether a field is compared: it is both readable and writable, and not a secret. */
export function isCompared(schema: Schema): boolean {
  const words = annotationsOf(schema)
  return !(words.readOnly || words.writeOnly || words['x-wire'] || words['x-secret'])
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Reports whether an API value equals a manifest value, without building canonical forms: most values of a tree are
 * unchanged. May return false for equal values, which then costs a full comparison.
 */
export function isSame(
  schema: Schema,
  sides: { readonly wire: unknown; readonly wanted: unknown },
  names: Names,
): boolean {
  const { wire, wanted } = sides
  if (wire === wanted) return true
  if (wire === null || wanted === null || wire === undefined || wanted === undefined) return false
  const outer = annotationsOf(schema)
  if (outer['x-form']) return canonical(schema, wire) === canonical(schema, wanted)
  const fitting = findSchemaFor(schema, wanted) ?? schema
  const words = fitting === schema ? outer : annotationsOf(fitting)
  if (words['x-form']) return canonical(fitting, wire) === canonical(fitting, wanted)
  const target = targetOf(words)
  if (target !== undefined)
    return isSameReference(nameReference({ target, pointer: '', value: wire }, names), wanted)
  if (Array.isArray(wanted)) return Array.isArray(wire) && areSameItems(fitting, { wire, wanted }, names)
  if (typeof wanted !== 'object' || typeof wire !== 'object') return false
  return areSameFields(fitting, { wire: wire as Fields, wanted: wanted as Fields }, names)
}

function isSameReference(name: unknown, wanted: unknown): boolean {
  return name === wanted || isDeepStrictEqual(name, wanted)
}

function areSameItems(
  { items }: Schema,
  { wire, wanted }: { readonly wire: readonly unknown[]; readonly wanted: readonly unknown[] },
  names: Names,
): boolean {
  if (wire.length !== wanted.length) return false
  if (items === undefined) return isDeepStrictEqual(wire, wanted)
  return wanted.every((item, at) => isSame(items, { wire: wire[at], wanted: item }, names))
}

function areSameFields(
  { properties }: Schema,
  { wire, wanted }: { readonly wire: Fields; readonly wanted: Fields },
  names: Names,
): boolean {
  if (properties === undefined) return isDeepStrictEqual(wire, wanted)
  for (const name in properties) {
    const schema = properties[name]
    if (schema === undefined || !isCompared(schema)) continue
    const from = annotationsOf(schema)['x-default-from']
    const there = wire[name] ?? (from === undefined ? schema.default : wire[from])
    const here = wanted[name] ?? (from === undefined ? schema.default : wanted[from])
    if (!isSame(schema, { wire: there, wanted: here }, names)) return false
  }
  return true
}

/** Names that replace ids in manifest form. */
export interface Names {
  /** Keys by id, of resources of the manifest that keep their id. */
  readonly keyOf: ReadonlyMap<number, string>
  readonly principals: Principals
  /** Finds what people call a resource outside of the manifest: its keyname, else its display names from the root. */
  readonly titleOf?: (id: number) => string | undefined
}

/** Converts an API value to manifest form: ids become keys; resources outside the manifest stay `{id}`. */
export function toWantedForm(schema: Schema, value: unknown, names: Names): unknown {
  return mapReferences(schema, value, (found) => nameReference(found, names))
}

/** Adds titles to references outside of the manifest in a value in manifest form: `{id}` becomes `{id, title}`. */
export function withTitles(schema: Schema, value: unknown, { titleOf }: Names): unknown {
  if (titleOf === undefined) return value
  return mapReferences(schema, value, ({ target, value: name }) => {
    const id = typeof name === 'object' ? idOf(name) : undefined
    const title = id === undefined || target === 'principal' ? undefined : titleOf(id)
    return title === undefined ? name : { id, title }
  })
}

/** Returns the manifest form of an API reference. */
function nameReference({ target, value }: FoundReference, { keyOf, principals }: Names): unknown {
  const id = idOf(value)
  if (id === undefined) return value
  if (target === 'principal') return principals.nameOf(id)
  return keyOf.get(id) ?? { id }
}

function idOf(value: unknown): number | undefined {
  const id = targetIdOf(value)
  return typeof id === 'number' ? id : undefined
}

/** Resolves a name of a manifest to an id, or to the local name of a resource that the same request creates. */
type FindId = (name: string, target: Reference | 'principal') => number | string | undefined

/** Converts a value in manifest form to the API form. Omits names without an id. */
export function toWire(schema: Schema, value: unknown, findId: FindId): unknown {
  return mapReferences(schema, value, ({ target, value: name }) => {
    const id = typeof name === 'string' ? findId(name, target) : idOf(name)
    if (id === undefined) return undefined
    return target !== 'principal' && target.form === 'id' ? id : { id }
  })
}
