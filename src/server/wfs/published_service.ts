import { hasPermission } from '../../access/permission_mask.ts'
import { isProblem } from '../../core/problem.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { createFeatureTypes, type FeatureType, type PublishedLayer } from '../../ogc/wfs/feature_type.ts'
import { namespaceOf, type WfsService } from '../../ogc/wfs/wfs_service.ts'
import { findServiceLayers } from '../../store/classes/service_layer.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import { findLayers, type Layer } from '../../store/layer/stored_layer.ts'
import { findResourceNames } from '../../store/resource/resource_name.ts'
import type { ServerContext } from '../context.ts'
import type { ApiRequest } from '../http/handler.ts'
import { readDescriptions } from '../resource/description.ts'
import { lacksPart, requirePermission } from '../resource/require_permission.ts'

/** A request to a service. */
export type WfsHttpRequest = Pick<
  ApiRequest<'wfs.get' | 'wfs.post'>,
  'context' | 'caller' | 'url' | 'more' | 'params' | 'signal' | 'raw' | 'headers'
>

/** Layers of a service that a caller may read. */
export interface PublishedService {
  readonly title: string
  readonly layers: readonly PublishedLayer[]
}

/**
 * Reads a service as the caller sees it: with the layers that the caller may read.
 *
 * @throws {Problem} resource/not-found, access/denied
 */
export async function openService(request: WfsHttpRequest): Promise<WfsService> {
  const { id } = request.params
  const { title, layers } = await openPublishedLayers(request, id)
  return {
    title,
    url: addressOf(request.url),
    namespace: namespaceOf(id),
    systems: request.context.announcedSystems,
    types: createFeatureTypes(layers),
  }
}

/**
 * Reads the layers of a service that the caller may read.
 *
 * @throws {Problem} resource/not-found, access/denied
 */
export async function openPublishedLayers(
  { context, caller }: Pick<ApiRequest, 'context' | 'caller'>,
  id: number,
): Promise<PublishedService> {
  const { database } = context
  await requirePermission(context, caller, { ids: [id], permission: 'service.connect' })
  const resource = (await findResourceNames(database, [id])).get(id)
  if (resource?.cls !== 'wfsserver_service') throw await lacksPart(database, id, 'web feature service')
  const entries = (await findServiceLayers(database, [id])).get(id) ?? []
  const ids = [...new Set(entries.map(({ resourceId }) => resourceId))]
  const masks = await context.permissions.findMasks(caller, ids)
  const found = await findLayers(database, ids)
  const layers = entries.flatMap((entry) => {
    const mask = masks.get(entry.resourceId) ?? 0
    const layer = found.get(entry.resourceId)
    if (layer === undefined || !hasPermission(mask, 'data.read')) return []
    return [{ ...entry, layer, isWritable: hasPermission(mask, 'data.write') }]
  })
  return { title: resource.displayName, layers }
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
  return { ...service, types: await addExtents<FeatureType>(context, service.types) }
}

/** Adds the descriptions that the caller may read. */
export async function withAbstracts(request: WfsHttpRequest, service: WfsService): Promise<WfsService> {
  const { id } = request.params
  const texts = await readDescriptions(request, [id, ...service.types.map(({ layer }) => layer.resourceId)])
  const types = service.types.map((type) => ({ ...type, abstract: texts.get(type.layer.resourceId) }))
  return { ...service, abstract: texts.get(id), types }
}

/** Adds extents in degrees to descriptions of layers, apart from those of layers in other databases. */
export async function addExtents<T extends { readonly layer: Layer }>(
  context: ServerContext,
  described: readonly T[],
): Promise<(T & { readonly extent?: Bbox | undefined })[]> {
  const done: (T & { readonly extent?: Bbox | undefined })[] = []
  for (let at = 0; at < described.length; at += concurrency) {
    const batch = described.slice(at, at + concurrency)
    done.push(...(await Promise.all(batch.map((one) => withExtent(context, one)))))
  }
  return done
}

async function withExtent<T extends { readonly layer: Layer }>(
  { database, layerCaches }: ServerContext,
  described: T,
) {
  if (isForeign(described.layer)) return described
  const extent = await layerCaches.extent(database, described.layer).catch((error: unknown) => {
    // The extent is optional: a layer that takes too long must not hide the others.
    if (isProblem(error, 'database/timeout')) return undefined
    throw error
  })
  return { ...described, extent }
}
