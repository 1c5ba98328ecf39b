import { geometryParts } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { uniqueName } from '../core/unique_name.ts'
import type { Queryable } from '../database/database.ts'
import { deleteLayerExtensions, deleteOrphanedExtensions } from '../store/attachment/attachment.ts'
import { type FieldRow, insertFields, writeFields } from '../store/layer/layer_field.ts'
import { exchangeTable, insertLayers } from '../store/layer/layer_table.ts'
import { adoptStaging } from '../store/layer/staging_table.ts'
import { findLayers, type Layer, touchLayer } from '../store/layer/stored_layer.ts'
import type { Staged } from './stage.ts'

/**
 * Makes staged features those of a layer, visible with the transaction. A layer that stands keeps its id and counts
 * one more data version; of its fields, those that the source has too (by keyname) keep id, names and flags.
 *
 * @throws {Problem} request/invalid where the layer that stands holds other shapes; database/conflict where the staged
 *   table is gone
 */
export async function adoptStaged(tx: Queryable, resourceId: number, staged: Staged): Promise<void> {
  const { tableName, geometryType, srs, fields } = staged
  await touchLayer(tx, resourceId)
  const standing = (await findLayers(tx, [resourceId])).get(resourceId)
  if (!(await adoptStaging(tx, tableName))) {
    throw problem('database/conflict', 'the features that were read are gone: read them again')
  }
  const row = { resourceId, geometryType, srs, tableName }
  if (standing === undefined) {
    await insertLayers(tx, [row])
    await insertFields(tx, new Map([[resourceId, fields]]))
    return
  }
  checkKind(standing, staged)
  // Ids that were counted mean other features than before.
  if (staged.hasIds) await deleteOrphanedExtensions(tx, resourceId, tableName)
  else await deleteLayerExtensions(tx, resourceId)
  await exchangeTable(tx, standing, row)
  await writeFields(tx, resourceId, matchFields(standing, staged))
}

/** Styles, maps and clients of a layer rely on what its shapes are. */
function checkKind({ geometryType, srs }: Layer, staged: Staged): void {
  if (geometryParts(geometryType).family !== geometryParts(staged.geometryType).family) {
    throw problem('request/invalid', `the layer holds ${geometryType}, the source ${staged.geometryType}`, {
      hint: 'Load it into another layer, or choose the shapes to take with cast_geometry_type.',
    })
  }
  if (srs !== staged.srs)
    throw problem('request/invalid', `the layer is in EPSG:${srs}, not EPSG:${staged.srs}`)
}

function matchFields({ fields: standing }: Layer, { fields }: Staged): FieldRow[] {
  const byKeyname = new Map(standing.map((field) => [field.keyname, field]))
  const matched = fields.map((field) => ({ field, old: byKeyname.get(field.keyname) }))
  const used = new Set(matched.flatMap(({ old }) => (old === undefined ? [] : [old.displayName])))
  return matched.map(({ field, old }) => {
    const { columnName, datatype } = field
    if (old !== undefined) return { ...old, columnName, datatype }
    // A kept name may be the one that a new field brings along.
    const displayName = used.has(field.displayName ?? field.keyname)
      ? uniqueName(field.keyname, { isTaken: (name) => used.has(name) })
      : field.displayName
    if (displayName !== undefined) used.add(displayName)
    return { ...field, displayName }
  })
}
