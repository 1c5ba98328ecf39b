import { isDeepStrictEqual } from 'node:util'
import { annotationsOf } from '../../contract/descriptor.ts'
import { isLayerLevel, itemNamer, nameLayer, numberNames } from '../../contract/schema/item_names.ts'
import { targetOf } from '../../contract/schema/references.ts'
import { findSchemaFor, type Schema } from '../../contract/schema/schema.ts'
import { isObject } from '../../core/is_object.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Edit } from '../model/change.ts'
import {
  canonical,
  isCompared,
  isSame,
  type Names,
  toWantedForm,
  withTitles,
} from '../model/value_equality.ts'
import { listTreeEdits } from './layer_tree/layer_tree_edits.ts'

/** A value on the server and in the manifest. */
export interface FieldValues {
  readonly pointer: Pointer
  readonly wire: unknown
  /** In manifest form: references are keys. */
  readonly wanted: unknown
}

/** Lists the edits that change a field from its value on the server to that of the manifest. */
export function compareField(schema: Schema, { pointer, wire, wanted }: FieldValues, names: Names): Edit[] {
  if (isSame(schema, { wire, wanted }, names)) return []
  const shown = (value: unknown) => canonical(schema, withTitles(schema, value, names))
  return listEdits(schema, { pointer, from: shown(toWantedForm(schema, wire, names)), to: shown(wanted) })
}

/** Two canonical values at a pointer. */
export interface Pair {
  readonly pointer: Pointer
  readonly from: unknown
  readonly to: unknown
}

/**
 * Lists the edits between two canonical values: objects by member, lists with a key by item, layer trees by group and
 * layer, other values as a whole.
 */
export function listEdits(schema: Schema, pair: Pair): Edit[] {
  const { from, to } = pair
  if (from === to || isDeepStrictEqual(from, to)) return []
  const fitting = findSchemaFor(schema, to ?? from) ?? schema
  const edits = listPartEdits(fitting, pair) ?? [whole(pair)]
  return withWords(fitting === schema ? edits : withWords(edits, fitting), schema)
}

const whole = ({ pointer, from, to }: Pair): Edit => ({
  pointer,
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
})

// A reference is compared as one value.
function listPartEdits(schema: Schema, pair: Pair): Edit[] | undefined {
  const words = annotationsOf(schema)
  if (targetOf(words) !== undefined) return undefined
  if (isLayerLevel(schema)) return listLayerEdits(schema, pair)
  const name = itemNamer(schema)
  if (name !== undefined) return listKeyedEdits(schema, name, pair)
  return isObject(pair.from) && isObject(pair.to) ? listMemberEdits(schema, pair) : undefined
}

function listMemberEdits({ properties }: Schema, { pointer, from, to }: Pair): Edit[] {
  const [old, next] = [from as Fields, to as Fields]
  const names = [...new Set([...Object.keys(next), ...Object.keys(old)])]
  return names.flatMap((name) => {
    const schema = (properties?.[name] ?? {}) as Schema
    const pair = { pointer: joinPointer(pointer, name), from: old[name], to: next[name] }
    if (Object.keys(schema).length === 0) return isDeepStrictEqual(pair.from, pair.to) ? [] : [whole(pair)]
    return isCompared(schema) ? listEdits(schema, pair) : []
  })
}

type Fields = Readonly<Record<string, unknown>>

function listKeyedEdits(schema: Schema, name: Lists['name'], pair: Pair): Edit[] | undefined {
  const { items } = schema
  if (items === undefined || !Array.isArray(pair.from) || !Array.isArray(pair.to)) return undefined
  return listItemEdits(items, { pair, name })
}

function listLayerEdits(schema: Schema, { pointer, from, to }: Pair): Edit[] | undefined {
  const { items } = schema
  if (items === undefined || !Array.isArray(from) || !Array.isArray(to)) return undefined
  const compareItem = (pair: Pair) => listEdits(items, pair)
  const edits = listTreeEdits({ pointer, from, to, identify: nameLayer, compareItem })
  return edits.length === 0 ? undefined : edits
}

interface Lists {
  readonly pair: Pair
  readonly name: (item: unknown) => string
}

function listItemEdits(items: Schema, { pair, name }: Lists): Edit[] {
  const old = nameItems(pair.from as unknown[], name)
  const next = nameItems(pair.to as unknown[], name)
  const edits: Edit[] = []
  for (const [id, to] of next) {
    const at = { pointer: joinPointer(pair.pointer, id), from: old.get(id), to }
    edits.push(...(old.has(id) ? listEdits(items, at) : [whole(at)]))
  }
  for (const [id, from] of old)
    if (!next.has(id)) edits.push(whole({ pointer: joinPointer(pair.pointer, id), from, to: undefined }))
  const kept = (from: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>) =>
    [...from.keys()].filter((id) => other.has(id))
  if (!isDeepStrictEqual(kept(old, next), kept(next, old))) {
    edits.push({ pointer: pair.pointer, from: [...old.keys()], to: [...next.keys()] })
  }
  return edits
}

function nameItems(list: readonly unknown[], name: (item: unknown) => string): Map<string, unknown> {
  return new Map(numberNames(list.map(name)).map((id, at) => [id, list[at]]))
}

function withWords(edits: readonly Edit[], schema: Schema): Edit[] {
  const { 'x-data': loses, 'x-replace': replaces } = annotationsOf(schema)
  if (loses === undefined && replaces === undefined) return [...edits]
  return edits.map((edit) => ({
    ...edit,
    ...(loses !== undefined && edit.to === undefined ? { loses } : {}),
    ...(replaces !== undefined && edit.from !== undefined ? { replaces } : {}),
  }))
}
