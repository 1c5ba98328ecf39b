import { geometryParts } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import type { Queryable } from '../database/database.ts'
import { deleteLayerExtensions } from '../store/attachment/attachment.ts'
import { type KeepRule, type KeptData, keepData, takeKept } from '../store/layer/kept_data.ts'
import { type FieldRow, insertFields, writeFields } from '../store/layer/layer_field.ts'
import { exchangeTable, insertLayers, writeDataVersion } from '../store/layer/layer_table.ts'
import { finishFeatureTable } from '../store/layer/staging_table.ts'
import { findLayers, type LayerField, touchLayer } from '../store/layer/stored_layer.ts'
import { findResourceClasses } from '../store/resource/resource_class.ts'

/**
 * Makes kept data the data of a layer, on commit: features with their ids, fields, attachments and descriptions. The replaced data
 * of an existing layer are kept in their turn. A layer that was deleted gets the version that the data had.
 *
 * @throws {Problem} source/not-kept if the data are gone; request/invalid if the layer has another geometry family
 */
export async function restoreKept(
  tx: Queryable,
  { resourceId, kept }: { readonly resourceId: number; readonly kept: KeptData },
  rule: KeepRule,
): Promise<void> {
  const { geometryType, srs, tableName, isCopy, dataVersion } = kept
  await touchLayer(tx, resourceId)
  const existing = (await findLayers(tx, [resourceId])).get(resourceId)
  const row = { resourceId, geometryType, srs, tableName }
  const fields = await withoutLostTables(tx, kept.fields)
  if (existing === undefined) {
    await insertLayers(tx, [row])
    await insertFields(tx, new Map([[resourceId, fields.map(({ id: _, ...field }) => field)]]))
    await writeDataVersion(tx, resourceId, dataVersion)
  } else {
    if (geometryParts(existing.geometryType).family !== geometryParts(geometryType).family)
      throw problem(
        'request/invalid',
        `the layer has geometry type ${existing.geometryType}, the kept data ${geometryType}`,
      )
    const old = { ...existing, dataVersion: existing.dataVersion - 1 }
    const isKept = (await keepData(tx, [old], rule)).has(resourceId)
    await deleteLayerExtensions(tx, resourceId)
    await exchangeTable(tx, isKept ? { ...existing, tableName: null } : existing, row)
    await writeFields(tx, resourceId, matchFields(existing.fields, fields))
  }
  if (!(await takeKept(tx, kept.id, resourceId)))
    throw problem('source/not-kept', `the kept data ${kept.id} no longer exist`)
  if (isCopy && tableName !== null) await finishFeatureTable(tx, tableName)
}

/** A field that still exists keeps its id. */
function matchFields(existing: readonly LayerField[], fields: readonly LayerField[]): FieldRow[] {
  const byId = new Set(existing.map(({ id }) => id))
  const byKeyname = new Map(existing.map((field) => [field.keyname, field.id]))
  const used = new Set(fields.flatMap(({ id }) => (byId.has(id) ? [id] : [])))
  return fields.map(({ id, ...field }) => {
    if (byId.has(id)) return { ...field, id }
    const named = byKeyname.get(field.keyname)
    if (named === undefined || used.has(named)) return field
    used.add(named)
    return { ...field, id: named }
  })
}

/** Lookup tables may have been deleted since. */
async function withoutLostTables(tx: Queryable, fields: readonly LayerField[]): Promise<LayerField[]> {
  const ids = fields.flatMap(({ lookupTableId }) => lookupTableId ?? [])
  const there = ids.length === 0 ? new Map<number, unknown>() : await findResourceClasses(tx, ids)
  return fields.map((field) => ({
    ...field,
    lookupTableId: there.has(field.lookupTableId ?? -1) ? field.lookupTableId : null,
  }))
}
