import type { Static } from 'typebox'
import type { Field } from '../../contract/classes/feature_layer.ts'
import type { vectorLayer } from '../../contract/classes/vector_layer.ts'
import { type GeometryType, layerReferenceSystems } from '../../contract/geometry.ts'
import type { Members } from '../../contract/registry.ts'
import { joinPointer } from '../../core/pointer.ts'
import type { Queryable } from '../../database/database.ts'
import { adoptStaged } from '../../import/adopt_staged.ts'
import { deleteAllFeatures } from '../../store/feature/write_features.ts'
import { changeFields, requireValidNames } from '../../store/layer/field_change.ts'
import {
  changeGeometryType,
  createEmptyLayers,
  dropLayerTables,
  type NewLayer,
} from '../../store/layer/layer_table.ts'
import {
  findLayers,
  type Layer,
  lockLayer,
  touchLayer,
  untouchLayer,
} from '../../store/layer/stored_layer.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { requireReferences } from '../resource/references.ts'
import type { BehaviourOf, MemberChange } from './behaviour.ts'
import { fieldChangeOf, lookupTablesOf, newFieldOf, wireField } from './layer_field.ts'
import {
  findFeatureChanges,
  isStagedChanges,
  requireDataVersion,
  writeFeatureChanges,
} from './vector_layer_changes.ts'
import { vectorSource } from './vector_layer_preparation.ts'
import { isStagedSource, prepareSource } from './vector_layer_source.ts'

type Change = MemberChange<'vector_layer'>
type Own = Partial<Static<(typeof vectorLayer)['members']['vector_layer']>>

/** Layers whose features are stored in the server's database. */
export const vectorLayerBehaviour: BehaviourOf<'vector_layer'> = {
  async readMembers(tx, ids) {
    const layers = await findLayers(tx, ids)
    return new Map([...layers].map(([id, layer]) => [id, membersOf(layer)]))
  },
  prepare: async (preparation) => (await findFeatureChanges(preparation)) ?? prepareSource(preparation),
  source: vectorSource,
  async create(tx, changes) {
    const [caller] = changes.map((change) => change.caller)
    if (caller === undefined) return
    await requireReferences(tx, { caller, cls: 'vector_layer', checks: changes })
    const empty = changes.filter(({ prepared }) => !isStagedSource(prepared))
    await createEmptyLayers(tx, empty.map(newLayerOf))
    for (const { id, members, prepared } of changes) {
      if (!isStagedSource(prepared)) continue
      await adoptStaged(tx, id, prepared.staged)
      const fields = members.feature_layer?.fields
      if (fields !== undefined) await writeFieldChanges(tx, id, fields)
    }
  },
  async update(tx, changes) {
    for (const change of changes) await updateOne(tx, change)
  },
  remove: dropLayerTables,
}

async function updateOne(tx: Queryable, change: Change): Promise<void> {
  const { caller, id, members, prepared } = change
  const current = await lockLayer(tx, id)
  if (current === undefined) return
  const checks = [{ members, current: lookupTablesOf(current) }]
  await requireReferences(tx, { caller, cls: 'vector_layer', checks })
  const own = members.vector_layer ?? {}
  checkReferenceSystem(own, current)
  if (isStagedSource(prepared)) await adoptStaged(tx, id, prepared.staged)
  if (isStagedChanges(prepared)) requireDataVersion(current, prepared.dataVersion)
  const isSchemaChanged = await changeFeatures(tx, change, { isReplaced: isStagedSource(prepared) })
  if (isSchemaChanged && !isStagedSource(prepared)) await touchLayer(tx, id)
  if (!isStagedChanges(prepared)) return
  await touchLayer(tx, id)
  if (!(await writeFeatureChanges(tx, id, prepared))) await untouchLayer(tx, id)
}

/** Changes the table of a layer; returns whether data changed. */
async function changeFeatures(
  tx: Queryable,
  { id, members }: Change,
  { isReplaced }: { readonly isReplaced: boolean },
): Promise<boolean> {
  const { geometry_type: geometryType, delete_all_features: deletesAll } = members.vector_layer ?? {}
  let isChanged = false
  if (deletesAll === true && !isReplaced) {
    const layer = await lockLayer(tx, id)
    if (layer !== undefined) await deleteAllFeatures(tx, layer)
    isChanged = true
  }
  if (geometryType !== undefined) isChanged = (await writeGeometryType(tx, id, geometryType)) || isChanged
  const fields = members.feature_layer?.fields
  return fields === undefined ? isChanged : (await writeFieldChanges(tx, id, fields)) || isChanged
}

async function writeGeometryType(tx: Queryable, id: number, next: GeometryType): Promise<boolean> {
  const layer = (await findLayers(tx, [id])).get(id)
  if (layer === undefined || layer.geometryType === next) return false
  await changeGeometryType(tx, layer, next)
  return true
}

async function writeFieldChanges(tx: Queryable, id: number, fields: readonly Field[]): Promise<boolean> {
  const layer = (await findLayers(tx, [id])).get(id)
  return layer !== undefined && (await changeFields(tx, layer, fields.map(fieldChangeOf)))
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

function membersOf({ srs, geometryType, dataVersion, fields }: Layer): Members<'vector_layer'> {
  return {
    vector_layer: { srs: { id: srs }, geometry_type: geometryType, data_version: dataVersion },
    feature_layer: { fields: fields.map(wireField) },
  }
}
