import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { findLayers, type Layer, touchLayer, type WritableLayer } from '../../store/layer.ts'
import { ensureFeatureTable } from '../../store/layer_table.ts'
import { findPermissionMasks } from '../../store/permission.ts'
import type { ApiRequest } from '../handler.ts'
import { checkMask, notFound } from '../permit.ts'

/** What the operations on one layer have in common. */
export type LayerRequest = Pick<ApiRequest, 'context' | 'caller' | 'signal'> & {
  readonly params: { readonly id: number }
}

/**
 * Gets the layer of a request.
 *
 * @throws {Problem} resource/not-found where the resource has no features
 */
export async function getLayer(tx: Queryable, id: number): Promise<Layer> {
  const layer = (await findLayers(tx, [id])).get(id)
  if (layer === undefined) throw notFound(id)
  return layer
}

/**
 * Changes the features of the layer of a request in one transaction, and counts the change. Other writers of the layer
 * wait; the permission is computed afresh.
 *
 * @throws {Problem} resource/not-found, access/denied, and what the work throws
 */
export function writeLayer<T>(
  { context, caller, signal, params: { id } }: LayerRequest,
  work: (tx: Queryable, layer: WritableLayer) => Promise<T>,
): Promise<T> {
  const change = async (tx: Queryable) => {
    await touchLayer(tx, id)
    const masks = await findPermissionMasks(tx, caller, [id])
    checkMask(masks.get(id), id, 'data.write')
    return work(tx, await ensureFeatureTable(tx, await getLayer(tx, id)))
  }
  return context.database.transaction(change, { signal })
}

/**
 * Checks that a feature may have such an id at all: one that is too great for the database is the id of none.
 *
 * @throws {Problem} feature/not-found
 */
export function checkFeatureId(layerId: number, id: number): void {
  if (!Number.isSafeInteger(id)) throw featureNotFound(layerId, id)
}

/** A feature that does not exist. */
export function featureNotFound(layerId: number, id: number): Problem {
  return problem('feature/not-found', `Feature with id = ${id} was not found in resource id = ${layerId}.`, {
    resource: layerId,
    data: { resource_id: layerId, feature_id: id },
  })
}
