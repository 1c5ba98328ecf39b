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
  /** For a list in any order: equal items have equal lines. */
  readonly lineOf?: LineOf | undefined
}

/** Formats an item of a set as a line. */
export type LineOf = (item: unknown) => string

/** Tells what an item is; undefined if it says nothing. */
type NameItem = (item: unknown) => unknown

const keyOf =
  (key: readonly string[]): NameItem =>
  (item) =>
    isObject(item) ? key.map((field) => item[field]) : undefined

// Layers are identified by their style and name, then by one of them; groups by their name.
const treeNames: readonly NameItem[] = [
  (item) =>
    isObject(item) && item.layer_style_id !== undefined
      ? [item.layer_style_id, item.display_name]
      : undefined,
  (item) => (isObject(item) ? item.layer_style_id : undefined),
  (item) =>
    isObject(item) && item.display_name !== undefined ? [item.item_type, item.display_name] : undefined,
]

const hasSameType = (old: unknown, value: unknown) =>
  isObject(old) && isObject(value) && old.item_type === value.item_type

/**
 * Lists the smallest edits that make a written value equal to another: members of maps, also of those in lists, and items
 * that moved, came or went. What has the same meaning stays as written.
 */
export function narrowEdits({ pointer, old, value, schema, lineOf }: ValuePair): YamlEdit[] {
  if (value === undefined) return old === undefined ? [] : [{ pointer, remove: true }]
  if (isSame(schema, old, value)) return []
  const fitting = schema && (findSchemaFor(schema, value) ?? schema)
  if (isObject(old) && isObject(value)) return narrowMap({ pointer, old, value, schema: fitting })
  if (!Array.isArray(old) || !Array.isArray(value)) return [{ pointer, value }]
  if (lineOf !== undefined) return narrowSet({ pointer, old, value, lineOf })
  return narrowList({ pointer, old, value, schema: fitting })
}

interface ListPair {
  readonly pointer: Pointer
  readonly old: readonly unknown[]
  readonly value: readonly unknown[]
}

/** Items of a set stay in their order, and new ones are behind them. */
function narrowSet({ pointer, old, value, lineOf }: ListPair & { lineOf: LineOf }): YamlEdit[] {
  const matched = matchBy([lineOf], old, value)
  const stays = matched.filter((index) => index !== undefined).sort((a, b) => a - b)
  const added = value.filter((_, at) => matched[at] === undefined)
  const next = [...stays.map((index) => old[index]), ...added]
  return arrange({ pointer, old, value: next }, [...stays, ...added.map(() => undefined)])
}

function narrowList({ pointer, old, value, schema }: ListPair & Pick<ValuePair, 'schema'>): YamlEdit[] {
  const edits: YamlEdit[] = []
  const kept = matchItems(schema, old, value).map((index, at) => {
    if (index === undefined) return undefined
    const item = { pointer: joinPointer(pointer, index), old: old[index], value: value[at] }
    const changes = narrowEdits({ ...item, schema: schema?.items })
    // An item that is another value as a whole is a new one.
    if (changes.some((edit) => edit.pointer === item.pointer)) return undefined
    edits.push(...changes)
    return index
  })
  return [...edits, ...arrange({ pointer, old, value }, kept)]
}

function arrange({ pointer, old, value }: ListPair, kept: readonly (number | undefined)[]): YamlEdit[] {
  const isInPlace = kept.length === old.length && kept.every((index, at) => index === at)
  return isInPlace ? [] : [{ pointer, value, kept }]
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
    // Only manifests have it: the previous name of a field.
    if (field === undefined && schema?.properties !== undefined && !(name in value)) return []
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

/**
 * Finds for each item of a list the index of the item that it was before: by key, for layers and groups of web maps by what
 * they show, else by value and by place. Undefined for new items.
 */
function matchItems(
  schema: Schema | undefined,
  old: readonly unknown[],
  value: readonly unknown[],
): (number | undefined)[] {
  const key = schema === undefined ? [] : (annotationsOf(schema)['x-key'] ?? [])
  if (key.length > 0) return matchBy([keyOf(key)], old, value)
  const items = schema?.items
  const byValue: NameItem = (item) => (items === undefined ? item : canonical(items, item))
  const matched = matchBy([byValue, ...(items === undefined ? [] : treeNames)], old, value)
  const taken = new Set(matched)
  // An item that is at its place and was not found elsewhere has changed.
  return matched.map((index, at) => {
    const isChanged = index === undefined && !taken.has(at) && isObject(old[at]) && isObject(value[at])
    return isChanged && hasSameType(old[at], value[at]) ? at : index
  })
}

/** Finds for each item the first item of before that has the same name and is not taken, by one kind of name after another. */
function matchBy(
  names: readonly NameItem[],
  old: readonly unknown[],
  value: readonly unknown[],
): (number | undefined)[] {
  const matched: (number | undefined)[] = value.map(() => undefined)
  const taken = new Set<number>()
  for (const name of names) {
    const former = old.map(name)
    for (const [at, item] of value.entries()) {
      const wanted = matched[at] === undefined ? name(item) : undefined
      if (wanted === undefined) continue
      const found = former.findIndex((one, index) => !taken.has(index) && isDeepStrictEqual(one, wanted))
      if (found < 0) continue
      matched[at] = found
      taken.add(found)
    }
  }
  return matched
}
