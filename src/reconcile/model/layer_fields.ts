import { FieldSchema } from '../../contract/classes/feature_layer.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import type { Datatype } from '../../contract/geometry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { splitPointer } from '../../core/pointer.ts'
import type { LoadedField } from '../../transfer/prepare_source.ts'
import type { Edit } from './change.ts'
import { isCompared } from './value_equality.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Writes the fields of a layer for a request: existing fields with their id and all members, so that removed members
 * return to their defaults; other fields of the layer are dropped.
 */
export function writeFields(wanted: unknown, actual: unknown): Fields[] {
  const existing = new Map(listOf(actual).map((field) => [field.keyname, field] as const))
  const kept = listOf(wanted).map((field) => {
    const id = existing.get(field.keyname)?.id
    return id === undefined ? field : { id, ...defaults(field), ...field }
  })
  const names = new Set(listOf(wanted).map(({ keyname }) => keyname))
  const dropped = [...existing.values()].filter(({ keyname }) => !names.has(keyname))
  return [...kept, ...dropped.map(({ id }) => ({ id, delete: true }))]
}

/** Like `writeFields`, for the request that loads the data: fields have no ids yet and are identified by keyname. */
export function writeLoadedFields(wanted: unknown, loaded: readonly LoadedField[]): Fields[] {
  const existing = new Set(loaded.map(({ keyname }) => keyname))
  const listed = listOf(wanted)
  const names = new Set(listed.map(({ keyname }) => keyname))
  const dropped = loaded.filter(({ keyname }) => !names.has(keyname))
  return [
    ...listed.map((field) =>
      existing.has(String(field.keyname)) ? { ...defaults(field), ...field } : field,
    ),
    ...dropped.map(({ keyname, datatype }) => ({ keyname, datatype, delete: true })),
  ]
}

/** Lists the keynames of the fields that edits drop. */
export function droppedFields(edits: readonly Edit[]): Set<string> {
  return new Set(edits.flatMap((edit) => droppedFieldOf(edit) ?? []))
}

/** Returns the keyname of the field that an edit drops. */
export function droppedFieldOf(edit: Edit): string | undefined {
  return edit.to === undefined ? fieldOf(edit) : undefined
}

/** Lists the keynames of the fields that edits add. */
export function addedFields(edits: readonly Edit[]): Set<string> {
  const added = edits.filter(({ from, to }) => from === undefined && to !== undefined)
  return new Set(added.flatMap((edit) => fieldOf(edit) ?? []))
}

/** Lists the keynames of the fields that edits convert to another datatype. */
export function convertedFields(edits: readonly Edit[]): Set<string> {
  return new Set(edits.flatMap((edit) => conversionOf(edit)?.keyname ?? []))
}

/** A conversion of the values of a field. */
export interface FieldConversion {
  readonly keyname: string
  readonly datatype: Datatype
  readonly to: Datatype
}

/** Returns the conversion that an edit makes; undefined for other edits. */
export function conversionOf({ pointer, from, to }: Edit): FieldConversion | undefined {
  const [member, list, keyname, part] = splitPointer(pointer)
  if (member !== 'feature_layer' || list !== 'fields' || keyname === undefined || part !== 'datatype')
    return undefined
  return { keyname, datatype: from as Datatype, to: to as Datatype }
}

/** Returns the new keyname of the field that an edit renames; undefined for other edits. */
export function renamedFieldOf({
  pointer,
  from,
  to,
}: Pick<Edit, 'pointer' | 'from' | 'to'>): string | undefined {
  const [member, list, , part] = splitPointer(pointer)
  const isRename = member === 'feature_layer' && list === 'fields' && part === 'keyname' && from !== undefined
  return isRename && typeof to === 'string' ? to : undefined
}

// The keyname of a field that an edit adds or drops; edits of members of a field have longer pointers.
function fieldOf({ pointer }: Edit): string | undefined {
  const [member, list, keyname, ...rest] = splitPointer(pointer)
  const isField = member === 'feature_layer' && list === 'fields' && rest.length === 0
  return isField ? keyname : undefined
}

/** Reports whether fields of a request change feature values by dropping or converting a field. */
export function changesValues(written: unknown, actual: unknown): boolean {
  const datatypes = new Map(listOf(actual).map(({ id, datatype }) => [id, datatype] as const))
  return listOf(written).some(
    ({ id, delete: isDropped, datatype = datatypes.get(id) }) =>
      id !== undefined && (isDropped === true || datatype !== datatypes.get(id)),
  )
}

// Defaults of the members that the field omits.
function defaults(field: Fields): Fields {
  const entries = Object.entries(FieldSchema.properties as Readonly<Record<string, Schema>>)
    .filter(([, schema]) => isCompared(schema))
    .map(([name, schema]) => [name, field[annotationsOf(schema)['x-default-from'] ?? ''] ?? schema.default])
    .filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries)
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : []
}
