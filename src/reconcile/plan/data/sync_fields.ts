import type { Field } from '../../../contract/classes/feature_layer.ts'
import { type GeometryType, geometryParts } from '../../../contract/geometry.ts'
import { countOf, joinWords } from '../../../core/count.ts'
import { joinPointer } from '../../../core/pointer.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { DataChange } from '../../../transfer/data_loss.ts'
import { listSyncedFields } from '../../../transfer/sync/synced_fields.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { DataLoad, Edit } from '../../model/change.ts'

/** Changes of the fields of a layer, as edits and as the field list of a request. */
export interface SyncFields {
  readonly edits: readonly Edit[]
  readonly fields: readonly Readonly<Record<string, unknown>>[]
}

/**
 * Adds the new fields of a synchronized source to the layer, and drops the fields that the source does not have, as a load
 * of all features does. Undefined if the fields stay as they are, or if the manifest lists them.
 */
export function planSyncFields(
  { members, data }: WantedResource,
  actual: ActualResource,
  load: DataLoad | undefined,
): SyncFields | undefined {
  const { difference } = load?.change ?? {}
  const isFixed = members.feature_layer?.fields !== undefined || data?.options.keep_fields === true
  if (difference === undefined || isFixed) return undefined
  const standing = (actual.members.feature_layer?.fields as readonly Field[] | undefined) ?? []
  const synced = listSyncedFields(difference, standing)
  if (synced === undefined) return undefined
  const { added, dropped, fields } = synced
  const edits = [
    ...added.map((field) => ({ pointer: pointerOf(field), to: field })),
    ...dropped.map((field) => ({ pointer: pointerOf(field), from: field, ...lossOf(field, load?.change) })),
  ]
  return { edits, fields }
}

/** Lists what a load changes in a layer without the manifest setting it: the type of its geometries, and its fields. */
export function listLoadedEdits(
  wanted: WantedResource,
  actual: ActualResource,
  load: DataLoad | undefined,
): Edit[] {
  const fields = planSyncFields(wanted, actual, load)?.edits ?? listLoadedFieldEdits(wanted, actual, load)
  return [...listGeometryEdits(wanted, actual, load), ...fields]
}

/** The type of a layer follows its source, which the plan shows: clients depend on it. */
function listGeometryEdits(
  { members }: WantedResource,
  actual: ActualResource,
  load: DataLoad | undefined,
): Edit[] {
  const from = actual.members.vector_layer?.geometry_type as GeometryType | undefined
  const to = load?.change?.difference?.geometryType ?? load?.change?.sourceGeometry
  if (from === undefined || to === undefined || from === to) return []
  if (members.vector_layer?.geometry_type !== undefined) return []
  const reason = describeTypes(from, to, load?.options ?? {})
  return [{ pointer: '/vector_layer/geometry_type', from, to, origin: 'manifest', reason }]
}

function describeTypes(from: GeometryType, to: GeometryType, options: DataLoad['options']): string {
  const [old, next] = [geometryParts(from), geometryParts(to)]
  const found = [
    ...(next.isMulti && !old.isMulti && options.cast_is_multi == null ? ['multi-part geometries'] : []),
    ...(next.hasZ && !old.hasZ && options.cast_has_z == null ? ['Z values'] : []),
  ]
  return found.length === 0 ? 'set in data' : `the source has ${joinWords(found)}`
}

/**
 * Lists how a load of all features changes the fields of a layer: the source adds, drops and converts them. Empty if the manifest
 * lists the fields or keeps them, or if the source was not read.
 */
function listLoadedFieldEdits(
  { members, data }: WantedResource,
  actual: ActualResource,
  load: DataLoad | undefined,
): Edit[] {
  const source = load?.change?.sourceFields
  const isFixed = members.feature_layer?.fields !== undefined || data?.options.keep_fields === true
  if (source === undefined || isFixed) return []
  const standing = (actual.members.feature_layer?.fields as readonly Field[] | undefined) ?? []
  const datatypes = new Map(standing.map(({ keyname, datatype }) => [keyname, datatype]))
  const names = new Set(source.map(({ keyname }) => keyname))
  const changed = source.flatMap((field): Edit[] => {
    const from = datatypes.get(field.keyname)
    if (from === undefined) return [{ pointer: pointerOf(field), to: field }]
    if (from === field.datatype) return []
    return [{ pointer: joinPointer(pointerOf(field), 'datatype'), from, to: field.datatype }]
  })
  const dropped = standing.filter(({ keyname }) => !names.has(keyname))
  return [
    ...changed,
    ...dropped.map((field) => ({ pointer: pointerOf(field), from: field, ...lossOf(field, load?.change) })),
  ]
}

const pointerOf = ({ keyname }: { readonly keyname: string }) => joinPointer('/feature_layer/fields', keyname)

function lossOf({ keyname }: Field, change: DataChange | undefined): Pick<Edit, 'loses' | 'lostValues'> {
  const count = change?.lostFields.find((field) => field.keyname === keyname)?.valueCount
  if (count === undefined) return {}
  return { loses: `deletes ${countOf(count, 'value')}`, lostValues: count }
}
