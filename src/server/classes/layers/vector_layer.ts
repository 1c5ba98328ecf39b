import type { Static } from 'typebox'
import type { Field } from '../../../contract/classes/feature_layer.ts'
import type { vectorLayer } from '../../../contract/classes/vector_layer.ts'
import { type GeometryType, layerReferenceSystems } from '../../../contract/geometry.ts'
import type { Members } from '../../../contract/registry.ts'
import { joinPointer } from '../../../core/pointer.ts'
import type { Queryable } from '../../../database/database.ts'
import { adoptStaged } from '../../../import/adopt_staged.ts'
import { restoreKept } from '../../../import/restore_kept.ts'
import { deleteAllFeatures } from '../../../store/feature/write_features.ts'
import { changeFields, requireValidNames } from '../../../store/layer/field_change.ts'
import { type KeepRule, keepCopy } from '../../../store/layer/kept_data.ts'
import {
  changeGeometryType,
  createEmptyLayers,
  type NewLayer,
  removeLayerTables,
} from '../../../store/layer/layer_table.ts'
import {
  findLayers,
  type Layer,
  lockLayer,
  touchLayer,
  untouchLayer,
} from '../../../store/layer/stored_layer.ts'
import { recordExtensionsChange } from '../../../store/resource/last_change.ts'
import { requireExtensionsVersion, writeKeyedExtensions } from '../../attachments/keyed_extensions.ts'
import { invalidAt } from '../../http/invalid_request.ts'
import { requireReferences } from '../../resource/references.ts'
import type { BehaviourOf, MemberChange } from '../behaviour.ts'
import { keepRuleFor } from '../keep_rule.ts'
import { fieldChangeOf, lookupTablesOf, newFieldOf, wireField } from '../layer_field.ts'
import {
  findFeatureChanges,
  isStagedChanges,
  requireDataVersion,
  writeFeatureChanges,
} from './vector_layer_changes.ts'
import { findKeptSource, isKeptSource, type KeptSource } from './vector_layer_kept.ts'
import { vectorSource } from './vector_layer_preparation.ts'
import { isStagedSource, prepareSource, type StagedSource } from './vector_layer_source.ts'

type Change = MemberChange<'vector_layer'>
type Own = Partial<Static<(typeof vectorLayer)['members']['vector_layer']>>

/** Layers whose features are stored in the server's database. */
export const vectorLayerBehaviour: BehaviourOf<'vector_layer'> = {
  async readMembers(tx, ids) {
    const layers = await findLayers(tx, ids)
    return new Map([...layers].map(([id, layer]) => [id, membersOf(layer)]))
  },
  prepare: async (preparation) =>
    (await findFeatureChanges(preparation)) ??
    (await findKeptSource(preparation)) ??
    prepareSource(preparation),
  source: vectorSource,
  async create(tx, changes) {
    const [caller] = changes.map((change) => change.caller)
    if (caller === undefined) return
    await requireReferences(tx, { caller, cls: 'vector_layer', checks: changes })
    const empty = changes.filter(({ prepared }) => !isDataSource(prepared))
    await createEmptyLayers(tx, empty.map(newLayerOf))
    for (const { id, members, prepared, context } of changes) {
      if (!isDataSource(prepared)) continue
      await adopt(tx, id, { prepared, rule: keepRuleFor(context) })
      const fields = members.feature_layer?.fields
      if (fields !== undefined) await writeFieldChanges(tx, { id, fields })
    }
    for (const change of changes) await writeExtensionsOfChange(tx, change)
  },
  async update(tx, changes) {
    for (const change of changes) {
      await updateOne(tx, change)
      await writeExtensionsOfChange(tx, change)
      await recordExtensions(tx, change)
    }
  },
  remove: removeLayerTables,
}

// After the data, which hold the keys.
async function writeExtensionsOfChange(tx: Queryable, { caller, id, members }: Change): Promise<void> {
  const extensions = members.vector_layer?.feature_extensions
  if (extensions !== undefined) await writeKeyedExtensions(tx, { layerId: id, userId: caller.id }, extensions)
}

// Data that a load replaces are kept with what their features had, so that its undo restores that, too.
async function recordExtensions(tx: Queryable, { caller, id, members, prepared }: Change): Promise<void> {
  if (members.vector_layer?.feature_extensions === undefined) return
  if (isDataSource(prepared) || isStagedChanges(prepared)) return
  await recordExtensionsChange(tx, id, caller.id)
}

type DataSource = StagedSource | KeptSource

const isDataSource = (prepared: unknown): prepared is DataSource =>
  isStagedSource(prepared) || isKeptSource(prepared)

interface Adoption {
  readonly prepared: DataSource
  readonly rule: KeepRule
}

async function adopt(tx: Queryable, resourceId: number, { prepared, rule }: Adoption): Promise<void> {
  if (isKeptSource(prepared)) await restoreKept(tx, { resourceId, kept: prepared.kept }, rule)
  else await adoptStaged(tx, { resourceId, staged: prepared.staged }, rule)
}

async function updateOne(tx: Queryable, change: Change): Promise<void> {
  const { caller, id, members, prepared, context } = change
  const current = await lockLayer(tx, id)
  if (current === undefined) return
  const checks = [{ members, current: lookupTablesOf(current) }]
  await requireReferences(tx, { caller, cls: 'vector_layer', checks })
  const own = members.vector_layer ?? {}
  // Before a load, which removes them.
  requireExtensionsVersion(current, own.if_extensions_version)
  if (own.if_data_version !== undefined) requireDataVersion(current, own.if_data_version)
  checkReferenceSystem(own, current)
  const isReplaced = isDataSource(prepared)
  const rule = keepRuleFor(context)
  if (isReplaced) await adopt(tx, id, { prepared, rule })
  if (isStagedChanges(prepared)) requireDataVersion(current, prepared.dataVersion)
  // Data that were replaced are kept already.
  const beforeLoss = isReplaced ? nothing : once(() => keepCopy(tx, current, rule))
  const isSchemaChanged = await changeFeatures(tx, change, { isReplaced, beforeLoss })
  if (isStagedChanges(prepared)) await beforeLoss()
  if (isSchemaChanged && !isReplaced) await touchLayer(tx, id)
  if (!isStagedChanges(prepared)) return
  await touchLayer(tx, id)
  if (!(await writeFeatureChanges(tx, id, prepared))) await untouchLayer(tx, id)
}

const nothing = async () => undefined

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

interface Changing {
  readonly isReplaced: boolean
  /** Called before data are lost. */
  readonly beforeLoss: () => Promise<void>
}

/** Changes the table of a layer; returns whether data changed. */
async function changeFeatures(
  tx: Queryable,
  { id, members }: Change,
  { isReplaced, beforeLoss }: Changing,
): Promise<boolean> {
  const { geometry_type: geometryType, delete_all_features: deletesAll } = members.vector_layer ?? {}
  let isChanged = false
  if (deletesAll === true && !isReplaced) {
    const layer = await lockLayer(tx, id)
    if (layer !== undefined) isChanged = await deleteAllFeatures(tx, layer, beforeLoss)
  }
  if (geometryType !== undefined)
    isChanged = (await writeGeometryType(tx, { id, next: geometryType, beforeLoss })) || isChanged
  const fields = members.feature_layer?.fields
  return fields === undefined
    ? isChanged
    : (await writeFieldChanges(tx, { id, fields, beforeLoss })) || isChanged
}

interface GeometryChange extends Pick<Changing, 'beforeLoss'> {
  readonly id: number
  readonly next: GeometryType
}

async function writeGeometryType(tx: Queryable, { id, next, beforeLoss }: GeometryChange): Promise<boolean> {
  const layer = (await findLayers(tx, [id])).get(id)
  if (layer === undefined || layer.geometryType === next) return false
  await beforeLoss()
  await changeGeometryType(tx, layer, next)
  return true
}

interface WrittenFields extends Partial<Pick<Changing, 'beforeLoss'>> {
  readonly id: number
  readonly fields: readonly Field[]
}

async function writeFieldChanges(tx: Queryable, { id, fields, beforeLoss }: WrittenFields): Promise<boolean> {
  const layer = (await findLayers(tx, [id])).get(id)
  if (layer === undefined) return false
  return changeFields(tx, layer, { changes: fields.map(fieldChangeOf), beforeLoss })
}

function newLayerOf({ id, members }: Change): NewLayer {
  const { geometry_type: geometryType, srs, fields: ownFields } = members.vector_layer ?? {}
  if (geometryType === undefined)
    throw invalidAt('/vector_layer', 'missing fields "geometry_type" and "srs", or "source"')
  if (srs === undefined) throw invalidAt('/vector_layer/srs', 'missing field "srs"')
  checkSrs(srs.id)
  const fields = (members.feature_layer?.fields ?? ownFields ?? []).filter((field) => field.delete !== true)
  const newFields = fields.map(newFieldOf)
  requireValidNames(newFields)
  return { resourceId: id, geometryType, srs: srs.id, fields: newFields }
}

function checkSrs(srs: number): void {
  if (layerReferenceSystems.some((known) => known === srs)) return
  throw invalidAt(
    '/vector_layer/srs/id',
    `layers are stored in EPSG:${layerReferenceSystems.join(' or EPSG:')}, not EPSG:${srs}`,
  )
}

function checkReferenceSystem({ srs }: Own, { srs: current }: Layer): void {
  if (srs === undefined || srs.id === current) return
  throw invalidAt(
    joinPointer('/vector_layer/srs', 'id'),
    `the layer is in EPSG:${current}; its reference system cannot change`,
  )
}

function membersOf({
  srs,
  geometryType,
  dataVersion,
  extensionsVersion,
  fields,
}: Layer): Members<'vector_layer'> {
  return {
    vector_layer: {
      srs: { id: srs },
      geometry_type: geometryType,
      data_version: dataVersion,
      extensions_version: extensionsVersion,
    },
    feature_layer: { fields: fields.map(wireField) },
  }
}
