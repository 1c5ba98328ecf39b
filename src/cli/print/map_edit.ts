import { splitPointer } from '../../core/pointer.ts'
import type { Edit } from '../../reconcile/model/change.ts'
import { oneLine } from './text_format.ts'
import { showPart, showValue, showValues } from './value.ts'

/** A change of a layer tree in words. */
export interface MapEditText {
  readonly sign: '+' | '-' | '>' | '~'
  /** Names from the top of the tree to the item; empty for the tree itself. */
  readonly item: string
  readonly text: string
}

/** Describes an edit of a web map's layer tree; undefined for other edits, and for those of new web maps. */
export function describeMapEdit({ pointer, from, to, moves }: Edit): MapEditText | undefined {
  const place = placeOf(pointer)
  if (place === undefined) return undefined
  const { path, isList, field } = place
  const item = nameOf(path)
  if (moves) return { sign: '>', item, text: `moved from ${groupOf(from)} to ${groupOf(to)}` }
  if (isList) return { sign: '~', item, text: `order ${showValues(from, to).join(' → ')}` }
  if (field !== undefined) return { sign: '~', item, text: describeField(field, from, to) }
  if (from === undefined) return { sign: '+', item, text: describeItem(to) }
  return to === undefined ? { sign: '-', item, text: describeItem(from) } : undefined
}

/** What a layer tree has on both sides of an edit, in words. */
export interface MapSides {
  /** Names from the top of the tree to the item; empty for the tree itself. */
  readonly item: string
  readonly from: string
  readonly to: string
}

/** Describes both sides of an edit of a web map's layer tree; undefined for other edits. */
export function describeMapSides({ pointer, from, to, moves }: Edit): MapSides | undefined {
  const place = placeOf(pointer)
  if (place === undefined) return undefined
  const { path, isList, field } = place
  const describe = (value: unknown) => {
    if (moves) return (value as readonly string[]).length === 0 ? 'at the top' : `in ${groupOf(value)}`
    if (field !== undefined) return describeState(field, value)
    return value === undefined ? 'none' : describeItem(value)
  }
  const [old, next] = isList
    ? showValues(from, to).map((names) => `order ${names}`)
    : [from, to].map(describe)
  return { item: nameOf(path), from: old ?? '', to: next ?? '' }
}

interface Place {
  readonly path: readonly string[]
  /** Whether it is the list of the items of a group. */
  readonly isList: boolean
  readonly field: string | undefined
}

// Each name follows the word of the list: /webmap/root_item/children/Water/children/rivers/layer_enabled.
function placeOf(pointer: string): Place | undefined {
  const [member, root, ...rest] = splitPointer(pointer)
  if (member !== 'webmap' || root !== 'root_item' || rest[0] !== 'children') return undefined
  const path: string[] = []
  let at = 0
  for (; rest[at] === 'children' && at + 1 < rest.length; at += 2) path.push(rest[at + 1] ?? '')
  const field = rest[at]
  return { path, isList: field === 'children', field: field === 'children' ? undefined : field }
}

const nameOf = (path: readonly string[]) => path.map(showPart).map(oneLine).join(' / ')

function groupOf(path: unknown): string {
  const names = (path as readonly string[]).map(oneLine)
  return names.length === 0 ? 'the top' : `"${names.join(' / ')}"`
}

function describeItem(item: unknown): string {
  const { item_type: type, children, display_name: name } = item as Readonly<Record<string, unknown>>
  if (type !== 'group') return `layer ${showValue(name)}`
  return Array.isArray(children) && children.length > 0 ? `group with ${showValue(children)}` : 'group'
}

function describeField(field: string, from: unknown, to: unknown): string {
  if (field === 'display_name') return `renamed from ${showValue(from)} to ${showValue(to)}`
  if (field === 'layer_enabled' || field === 'group_expanded') return describeState(field, to)
  if (field === 'layer_transparency') return `transparency ${showPercent(from)} → ${showPercent(to)}`
  return `${field}  ${showValues(from, to).join(' → ')}`
}

function describeState(field: string, value: unknown): string {
  if (field === 'display_name') return `named ${showValue(value)}`
  if (field === 'layer_enabled') return value === false ? 'hidden' : 'shown'
  if (field === 'group_expanded') return value === true ? 'expanded' : 'collapsed'
  if (field === 'layer_transparency') return `transparency ${showPercent(value)}`
  return `${field} ${showValue(value)}`
}

const showPercent = (value: unknown) => (typeof value === 'number' ? `${value} %` : 'none')
