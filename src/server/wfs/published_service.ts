import { hasPermission } from '../../access/permission_mask.ts'
import { isProblem } from '../../core/problem.ts'
import { createFeatureTypes, type FeatureType } from '../../ogc/wfs/feature_type.ts'
import { namespaceOf, type WfsService } from '../../ogc/wfs/wfs_service.ts'
import { findServiceLayers } from '../../store/classes/service_layer.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import { findLayers } from '../../store/layer/stored_layer.ts'
import { findResourceNames } from '../../store/resource/resource_name.ts'
import type { ServerContext } from '../context.ts'
import type { ApiRequest } from '../http/handler.ts'
import { lacksPart, requirePermission } from '../resource/require_permission.ts'

/** A request to a service. */
export type WfsHttpRequest = Pick<
  ApiRequest<'wfs.get' | 'wfs.post'>,
  'context' | 'caller' | 'url' | 'more' | 'params' | 'signal' | 'raw' | 'headers'
>

/**
 * Reads a service as the caller sees it: with the layers that the caller may read.
 *
 * @throws {Problem} resource/not-found, access/denied
 */
export async function openService({ context, caller, url, params }: WfsHttpRequest): Promise<WfsService> {
  const { database } = context
  const { id } = params
  await requirePermission(context, caller, { ids: [id], permission: 'service.connect' })
  const resource = (await findResourceNames(database, [id])).get(id)
  if (resource?.cls !== 'wfsserver_service') throw await lacksPart(database, id, 'web feature service')
  const entries = (await findServiceLayers(database, [id])).get(id) ?? []
  const ids = [...new Set(entries.map(({ resourceId }) => resourceId))]
  const masks = await context.permissions.findMasks(caller, ids)
  const layers = await findLayers(database, ids)
  const published = entries.flatMap((entry) => {
    const mask = masks.get(entry.resourceId) ?? 0
    const layer = layers.get(entry.resourceId)
    if (layer === undefined || !hasPermission(mask, 'data.read')) return []
    return [{ ...entry, layer, isWritable: hasPermission(mask, 'data.write') }]
  })
  return {
    title: resource.displayName,
    url: addressOf(url),
    namespace: namespaceOf(id),
    types: createFeatureTypes(published),
  }
}

/** Returns the address of a request, without its query. */
function addressOf(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/+$/, '')
}

/** Number of extents that are read at a time. */
const concurrency = 8

/**
 * Adds the extents of layers. Those of layers in other databases are left out: reading them may take long, and the
 * database may be unreachable.
 */
export async function withExtents(context: ServerContext, service: WfsService): Promise<WfsService> {
  const types: FeatureType[] = []
  for (let at = 0; at < service.types.length; at += concurrency) {
    const batch = service.types.slice(at, at + concurrency)
    types.push(...(await Promise.all(batch.map((type) => withExtent(context, type)))))
  }
  return { ...service, types }
}

async function withExtent({ database, layerCaches }: ServerContext, type: FeatureType): Promise<FeatureType> {
  if (isForeign(type.layer)) return type
  const extent = await layerCaches.extent(database, type.layer).catch((error: unknown) => {
    // The extent is optional: a layer that takes too long must not hide the others.
    if (isProblem(error, 'database/timeout')) return undefined
    throw error
  })
  return { ...type, extent }
}
