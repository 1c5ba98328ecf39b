import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import type { AttachmentPlace } from '../../store/attachment/attachment_json.ts'
import { isForeign } from '../../store/feature/foreign_table.ts'
import { findFeature } from '../../store/feature/read_features.ts'
import { type Layer, lockLayer } from '../../store/layer/stored_layer.ts'
import {
  checkFeatureId,
  featureNotFound,
  getLayer,
  type LayerRequest,
  refuseForeign,
} from '../features/open_layer.ts'
import { checkMask, lacksPart } from '../resource/require_permission.ts'

/** What the operations on the attachments of one feature have in common. */
export type AttachmentRequest = LayerRequest & {
  readonly params: { readonly id: number; readonly fid: number; readonly aid?: number }
}

/**
 * Changes the attachments of a feature in one transaction; the permission is computed afresh. The features themselves
 * stay as they are, and so does the version of their data.
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
    return work(tx)
  }
  return context.database.transaction(change, { signal })
}

/**
 * Checks that a request reads attachments of a feature that is there.
 *
 * @throws {Problem} resource/not-found, feature/not-found
 */
export async function openFeature({ context, params }: AttachmentRequest): Promise<AttachmentPlace> {
  checkAttachmentId(params)
  const layer = await getLayer(context.database, params.id)
  // What features have beside stands in our database: those of another one have nothing.
  if (!isForeign(layer)) await checkFeature(context.database, layer, params.fid)
  return { layerId: params.id, featureId: params.fid }
}

/** An id that is too great for the database is the id of none. */
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

/** An attachment that does not exist. */
export function attachmentNotFound({ layerId, featureId, id }: AttachmentPlace): Problem {
  const message = `Attachment with id = ${id} was not found in feature id = ${featureId} of resource id = ${layerId}.`
  return problem('attachment/not-found', message, {
    resource: layerId,
    data: { resource_id: layerId, feature_id: featureId, attachment_id: id },
  })
}
