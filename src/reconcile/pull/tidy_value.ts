import { isDeepStrictEqual } from 'node:util'
import { annotationsOf } from '../../contract/descriptor.ts'
import { findSchemaFor, type Schema } from '../../contract/schema.ts'
import { canonical, isCompared } from '../model/canonical.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Leaves out of a value in the words of a manifest what a reader need not see: defaults, and what only the server
 * writes. Read again, it means the same.
 */
export function tidyValue(schema: Schema, value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  const fitting = findSchemaFor(schema, value) ?? schema
  const words = annotationsOf(fitting)
  if (words['x-ref'] || words['x-principal']) return value
  if (Array.isArray(value)) {
    const { items } = fitting
    return items === undefined ? value : value.map((item) => tidyValue(items, item))
  }
  return fitting.properties === undefined ? value : tidyObject(fitting, value as Fields)
}

function tidyObject(schema: Schema, value: Fields): Fields {
  const required = (schema as { required?: readonly string[] }).required ?? []
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const there = value[name]
    if (there === undefined || !isCompared(field)) return []
    const optional = !required.includes(name)
    return optional && isDefault(field, there, value) ? [] : [[name, tidyValue(field, there)] as const]
  })
  return Object.fromEntries(entries)
}

/** Tells whether a field says no more than its absence would. */
export function isDefault(schema: Schema, value: unknown, siblings: Fields = {}): boolean {
  const from = annotationsOf(schema)['x-default-from']
  const fallback = from === undefined ? schema.default : siblings[from]
  if (fallback === undefined) return false
  return isDeepStrictEqual(canonical(schema, value), canonical(schema, fallback))
}
