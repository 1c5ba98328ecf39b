import { isObject } from '../../core/is_object.ts'
import { uniqueName } from '../../core/unique_name.ts'
import { annotationsOf } from '../descriptor.ts'
import type { Schema } from './schema.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns what names the items of a list in plans and in paths; undefined if they have no names, such as permission rules. */
export function itemNamer(list: Schema): ((item: unknown) => string) | undefined {
  if (isLayerLevel(list)) return nameLayer
  const key = annotationsOf(list)['x-key']
  if (key === undefined || key.length === 0) return undefined
  return (item) => key.map((field) => showKey((item as Fields | null)?.[field])).join(' ')
}

/** A level of a web map's layer tree. */
export const isLayerLevel = ({ items }: Schema): boolean => items?.$ref === 'webmap_item'

/** Names an item of a layer tree: layers by their style, groups by their name. */
export function nameLayer(item: unknown): string {
  const { item_type, layer_style_id, display_name } = item as Fields
  return item_type === 'layer' ? showKey(layer_style_id) : `${display_name}`
}

function showKey(value: unknown): string {
  if (typeof value === 'string') return value
  return isObject(value) && typeof value.title === 'string' ? value.title : JSON.stringify(value)
}

/** Numbers the names of items that occur again: `roads`, `roads (2)`. */
export function numberNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((base) => {
    const isTaken = (name: string) => taken.has(name)
    const name = uniqueName(base, { isTaken, firstNumber: 2, suffix: (number) => ` (${number})` })
    taken.add(name)
    return name
  })
}
