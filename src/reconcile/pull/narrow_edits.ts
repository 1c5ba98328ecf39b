import { isDeepStrictEqual } from 'node:util'
import { annotationsOf } from '../../contract/descriptor.ts'
import { findSchemaFor, type Schema } from '../../contract/schema/schema.ts'
import { isObject } from '../../core/is_object.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { YamlEdit } from '../../document/edit_yaml.ts'
import { canonical } from '../model/value_equality.ts'

/** A value as a manifest writes it, and as the server has it. */
export interface ValuePair {
  readonly pointer: Pointer
  readonly old: unknown
  /** Undefined if the manifest must not have a value. */
  readonly value: unknown
  readonly schema?: Schema | undefined
}

/**
 * Lists the smallest edits that make a written value equal to another: members of maps, also of those in lists. A list
 * that gained or lost items, or whose items are not maps, is written as a whole. What has the same meaning stays as written.
 */
export function narrowEdits({ pointer, old, value, schema }: ValuePair): YamlEdit[] {
  if (value === undefined) return old === undefined ? [] : [{ pointer, remove: true }]
  if (isSame(schema, old, value)) return []
  const fitting = schema && (findSchemaFor(schema, value) ?? schema)
  if (isObject(old) && isObject(value)) return narrowMap({ pointer, old, value, schema: fitting })
  const isList = Array.isArray(old) && Array.isArray(value)
  if (isList && [...old, ...value].every(isObject) && hasSameItems(fitting, old, value)) {
    const items = value.map((item, index) => ({
      pointer: joinPointer(pointer, index),
      old: old[index],
      value: item,
    }))
    return items.flatMap((item) => narrowEdits({ ...item, schema: fitting?.items }))
  }
  return [{ pointer, value }]
}

/** Tells whether two lists have the same items in the same order: by key, or if they have none, by number. */
function hasSameItems(schema: Schema | undefined, old: readonly Fields[], value: readonly Fields[]): boolean {
  const key = schema === undefined ? [] : (annotationsOf(schema)['x-key'] ?? [])
  const keysOf = (items: readonly Fields[]) => items.map((item) => key.map((name) => item[name]))
  return old.length === value.length && isDeepStrictEqual(keysOf(old), keysOf(value))
}

type Fields = Readonly<Record<string, unknown>>

function narrowMap({
  pointer,
  old,
  value,
  schema,
}: ValuePair & { readonly old: Fields; readonly value: Fields }): YamlEdit[] {
  // A reference such as { id: 3 } is one value.
  if (schema !== undefined && annotationsOf(schema)['x-ref']) return [{ pointer, value }]
  const names = new Set([...Object.keys(old), ...Object.keys(value)])
  return [...names].flatMap((name) => {
    const field = schema?.properties?.[name]
    const place = joinPointer(pointer, name)
    // The server's form omits defaults.
    if (!(name in value) && field?.default !== undefined && isSame(field, old[name], field.default)) return []
    return narrowEdits({ pointer: place, old: old[name], value: value[name], schema: field })
  })
}

function isSame(schema: Schema | undefined, old: unknown, value: unknown): boolean {
  if (isDeepStrictEqual(old, value)) return true
  if (schema === undefined || old === undefined) return false
  return isDeepStrictEqual(canonical(schema, old), canonical(schema, value))
}
