import { geometryParts } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { uniqueName } from '../core/unique_name.ts'
import type { Queryable } from '../database/database.ts'
import { deleteLayerExtensions, deleteOrphanedExtensions } from '../store/attachment/attachment.ts'
import { type KeepRule, keepData } from '../store/layer/kept_data.ts'
import { type FieldRow, insertFields, writeFields } from '../store/layer/layer_field.ts'
import { exchangeTable, insertLayers } from '../store/layer/layer_table.ts'
import { adoptStaging } from '../store/layer/staging_table.ts'
import { findLayers, type Layer, touchLayer } from '../store/layer/stored_layer.ts'
import type { Staged } from './stage_source.ts'

/**
 * Makes staged features the features of a layer, on commit. An existing layer keeps its id and gets the next data
 * version; fields that the source also has, by keyname, keep their id, names and flags. The former data are kept for an undo.
 *
 * @throws {Problem} request/invalid if the existing layer has another geometry family; database/conflict if the staging
 * table no longer exists
 */
export async function adoptStaged(
  tx: Queryable,
  { resourceId, staged }: { readonly resourceId: number; readonly staged: Staged },
  rule: KeepRule,
): Promise<void> {
  const { tableName, geometryType, srs, fields } = staged
  await touchLayer(tx, resourceId)
  const existing = (await findLayers(tx, [resourceId])).get(resourceId)
  if (!(await adoptStaging(tx, tableName))) {
    throw problem('database/conflict', 'the staged features no longer exist; load the source again')
  }
  const row = { resourceId, geometryType, srs, tableName }
  if (existing === undefined) {
    await insertLayers(tx, [row])
    await insertFields(tx, new Map([[resourceId, fields]]))
    return
  }
  requireSameGeometry(existing, staged)
  const old = { ...existing, dataVersion: existing.dataVersion - 1 }
  const isKept = (await keepData(tx, [old], rule)).has(resourceId)
  // Sequential ids denote other features than before.
  if (staged.hasIds) await deleteOrphanedExtensions(tx, resourceId, tableName)
  else await deleteLayerExtensions(tx, resourceId)
  await exchangeTable(tx, isKept ? { ...existing, tableName: null } : existing, row)
  await writeFields(tx, resourceId, matchFields(existing, staged))
}

/** Styles, maps and clients of a layer depend on its geometry family and reference system. */
function requireSameGeometry({ geometryType, srs }: Layer, staged: Staged): void {
  if (geometryParts(geometryType).family !== geometryParts(staged.geometryType).family) {
    throw problem(
      'request/invalid',
      `the layer has geometry type ${geometryType}, the source ${staged.geometryType}`,
      {
        hint: 'Load the source into another layer, or select geometries with cast_geometry_type.',
      },
    )
  }
  if (srs !== staged.srs)
    throw problem(
      'request/invalid',
      `the layer has reference system EPSG:${srs}, the source EPSG:${staged.srs}`,
    )
}

function matchFields({ fields: existing }: Layer, { fields }: Staged): FieldRow[] {
  const byKeyname = new Map(existing.map((field) => [field.keyname, field]))
  const matched = fields.map((field) => ({ field, old: byKeyname.get(field.keyname) }))
  const used = new Set(matched.flatMap(({ old }) => (old === undefined ? [] : [old.displayName])))
  return matched.map(({ field, old }) => {
    const { columnName, datatype } = field
    if (old !== undefined) return { ...old, columnName, datatype }
    // A new field may have the display name of a kept one.
    const displayName = used.has(field.displayName ?? field.keyname)
      ? uniqueName(field.keyname, { isTaken: (name) => used.has(name) })
      : field.displayName
    if (displayName !== undefined) used.add(displayName)
    return { ...field, displayName }
  })
}
