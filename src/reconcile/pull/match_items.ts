import { isDeepStrictEqual } from 'node:util'
import { annotationsOf } from '../../contract/descriptor.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { isObject } from '../../core/is_object.ts'
import { canonical } from '../model/value_equality.ts'

/** Tells what an item is; undefined if it says nothing. */
type NameItem = (item: unknown) => unknown

/**
 * Finds for each item of a list the index of the item that it was before: by key, for layers and groups of web maps by what
 * they show, else by value and by place. Undefined for new items.
 */
export function matchItems(
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
export function matchBy(
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
