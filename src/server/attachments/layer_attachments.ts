import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import type { AttachmentPlace } from '../../store/attachment/attachment_json.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import { findFeature } from '../../store/feature/read_features.ts'
import { type Layer, lockLayer } from '../../store/layer/stored_layer.ts'
import { recordDataChange } from '../../store/resource/last_change.ts'
import {
  checkFeatureId,
  featureNotFound,
  getLayer,
  type LayerRequest,
  refuseForeign,
} from '../features/open_layer.ts'
import { checkMask, lacksPart } from '../resource/require_permission.ts'

/** The parts of a request that operations on the attachments of a feature need. */
export type AttachmentRequest = LayerRequest & {
  readonly params: { readonly id: number; readonly fid: number; readonly aid?: number }
}

/**
 * Changes the attachments of a feature in one transaction. The permission is read without cache. The data version of the
 * layer does not change.
 *
 * @throws {Problem} resource/not-found, access/denied, feature/not-found, and what the work throws
 */
export async function writeAttachments<T>(
  request: AttachmentRequest,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  const { context, caller, params, signal } = request
  checkAttachmentId(params)
  const change = async (tx: Queryable) => {
    const layer = await lockLayer(tx, params.id)
    const masks = await findPermissionMasks(tx, caller, [params.id])
    checkMask(masks.get(params.id), params.id, 'data.write')
    if (layer === undefined) throw await lacksPart(tx, params.id, 'features')
    refuseForeign(layer)
    await checkFeature(tx, layer, params.fid)
    const result = await work(tx)
    await recordDataChange(tx, { ids: [params.id] }, caller.id)
    return result
  }
  return context.database.transaction(change, { signal })
}

/**
 * Checks that the feature of a request exists.
 *
 * @throws {Problem} resource/not-found, feature/not-found
 */
export async function openFeature({ context, params }: AttachmentRequest): Promise<AttachmentPlace> {
  checkAttachmentId(params)
  const layer = await getLayer(context.database, params.id)
  // Features in external databases have no attachments.
  if (!isForeign(layer)) await checkFeature(context.database, layer, params.fid)
  return { layerId: params.id, featureId: params.fid }
}

/** Checks that an attachment id is not beyond 2^53, which no attachment has. */
function checkAttachmentId({ id: layerId, fid: featureId, aid: id = 0 }: AttachmentRequest['params']): void {
  if (!Number.isSafeInteger(id)) throw attachmentNotFound({ layerId, featureId, id })
}

async function checkFeature(tx: Queryable, layer: Layer, id: number): Promise<void> {
  checkFeatureId(layer.resourceId, id)
  const found = await findFeature(tx, layer, { id, format: idAlone })
  if (found === undefined) throw featureNotFound(layer.resourceId, id)
}

const idAlone = {
  geom: false,
  geomFormat: 'wkt',
  srs: 0,
  temporalFormat: 'iso',
  fields: [],
  extensions: [],
} as const

/** Returns the problem of a missing attachment. */
export function attachmentNotFound({ layerId, featureId, id }: AttachmentPlace): Problem {
  const message = `Attachment with id = ${id} was not found in feature id = ${featureId} of resource id = ${layerId}.`
  return problem('attachment/not-found', message, {
    resource: layerId,
    data: { resource_id: layerId, feature_id: featureId, attachment_id: id },
  })
}
