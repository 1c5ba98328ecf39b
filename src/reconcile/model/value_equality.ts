import { isDeepStrictEqual } from 'node:util'
import { annotationsOf } from '../../contract/descriptor.ts'
import { mapValue, parts, type ValueMapping } from '../../contract/map_value.ts'
import { targetOf } from '../../contract/references.ts'
import { findSchemaFor, type Schema } from '../../contract/schema.ts'
import { writeScale } from '../../contract/translate.ts'
import { canonicalXml } from '../../style/canonical_xml.ts'
import { type Names, nameReference } from './wanted_form.ts'

/**
 * Brings a value into the one form in which equal means same: defaults filled in, scales and XML in one spelling,
 * members left out that only the server or only requests have. References must be in the words of a manifest already.
 */
export function canonical(schema: Schema, value: unknown): unknown {
  return mapValue(schema, value, filling)
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

function canonicalText(form: 'scale' | 'xml', value: unknown): unknown {
  if (form === 'scale') return writeScale(value)
  return typeof value === 'string' ? canonicalXml(value) : value
}

/** Tells whether a field can be compared: it can be both written and read, and has no way of its own. */
export function isCompared(schema: Schema): boolean {
  const words = annotationsOf(schema)
  return !(words.readOnly || words.writeOnly || words['x-wire'] || words['x-secret'])
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Tells whether a value of the wire means the same as one of a manifest, without building either in its canonical
 * form: nearly all of a tree is as it should be. A false `false` is only slow.
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
