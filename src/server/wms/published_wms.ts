import { hasPermission } from '../../access/permission_mask.ts'
import { type Bbox, joinBboxes } from '../../geo/bbox.ts'
import { layerNames, type WmsLayer, type WmsService } from '../../ogc/wms/wms_service.ts'
import { findRasters } from '../../store/classes/raster_layer.ts'
import { findRenderSources, type RenderSource } from '../../store/classes/render_source.ts'
import { findServiceLayers } from '../../store/classes/service_layer.ts'
import { findLayers, type Layer } from '../../store/layer/stored_layer.ts'
import { findResourceNames } from '../../store/resource/resource_name.ts'
import type { ServerContext } from '../context.ts'
import type { ApiRequest } from '../http/handler.ts'
import { findFeatureExtents, rasterExtent } from '../map/layer_extents.ts'
import { renderedLayerId } from '../map/layer_style.ts'
import { findServiceExtents } from '../map/service_extents.ts'
import { findImageSystem } from '../render/image_system.ts'
import { rasterSources } from '../render/sources/raster_source.ts'
import { wmsSources } from '../render/sources/wms_source.ts'
import { lacksPart, requirePermission } from '../resource/require_permission.ts'

/** A request to a service. */
export type MapServiceRequest = Pick<ApiRequest, 'context' | 'caller' | 'url' | 'signal' | 'headers'> & {
  readonly params: { readonly id: number }
}

/** A service, and the layers with features that it draws, by the id of the published resource. */
export interface PublishedMaps {
  readonly id: number
  readonly service: WmsService
  readonly featureLayers: ReadonlyMap<number, Layer>
  /** Rasters and layers of web map services that it draws, by the id of the published resource. */
  readonly imageLayerIds: ReadonlyMap<number, number>
}

/**
 * Reads a service as the caller sees it: with the layers that the caller may read.
 *
 * @throws {Problem} resource/not-found, access/denied
 */
export async function openMaps({ context, caller, params, url }: MapServiceRequest): Promise<PublishedMaps> {
  const { database } = context
  const { id } = params
  await requirePermission(context, caller, { ids: [id], permission: 'service.connect' })
  const resource = (await findResourceNames(database, [id])).get(id)
  if (resource?.cls !== 'wmsserver_service') throw await lacksPart(database, id, 'web map service')
  const entries = (await findServiceLayers(database, [id])).get(id) ?? []
  const names = layerNames(entries.map(({ keyname }) => keyname))
  const ids = [...new Set(entries.map(({ resourceId }) => resourceId))]
  const masks = await context.permissions.findMasks(caller, ids)
  const readable = ids.filter((one) => hasPermission(masks.get(one) ?? 0, 'data.read'))
  const sources = [...(await findRenderSources(database, readable)).values()]
  const featureLayers = await findFeatureLayers(context, sources)
  const images = sources.filter(({ cls }) => imageClasses.includes(cls))
  const imageLayerIds = new Map(images.map((source) => [source.id, renderedLayerId(source)]))
  const layers = entries.flatMap((entry, at): WmsLayer[] => {
    const { resourceId, displayName, minScaleDenom, maxScaleDenom } = entry
    if (!readable.includes(resourceId)) return []
    return [
      {
        name: names[at] ?? '',
        title: displayName,
        resourceId,
        // The minimum scale has the largest denominator.
        largestDenom: minScaleDenom,
        smallestDenom: maxScaleDenom,
        isQueryable: featureLayers.has(resourceId) || imageLayerIds.has(resourceId),
      },
    ]
  })
  return {
    id,
    service: { title: resource.displayName, url: serviceAddress(url), systems: [], layers },
    featureLayers,
    imageLayerIds,
  }
}

/** Returns the address of a service, by the address of a request to it. */
export function serviceAddress(url: string): string {
  return /^[^?#]*?\/resource\/\d+\/(?:wmts|wms)/.exec(url)?.[0] ?? url
}

/** Classes whose images have something to find at a pixel. */
const imageClasses: readonly string[] = [...rasterSources.classes, ...wmsSources.classes]

async function findFeatureLayers(
  { database }: ServerContext,
  sources: readonly RenderSource[],
): Promise<Map<number, Layer>> {
  const layers = await findLayers(database, sources.map(renderedLayerId))
  return new Map(
    sources.flatMap((source) => {
      const layer = layers.get(renderedLayerId(source))
      return layer === undefined ? [] : [[source.id, layer]]
    }),
  )
}

/**
 * Adds the reference systems of layers, and the extents of layers, rasters and layers of web map services. Those of layers in other
 * databases are left out: reading them may take long, or fail.
 */
export async function withMapExtents(context: ServerContext, maps: PublishedMaps): Promise<WmsService> {
  const { service, featureLayers } = maps
  const extents = await findImageExtents(context, service.layers)
  for (const [id, extent] of await findFeatureExtents(context, featureLayers)) extents.set(id, extent)
  return {
    ...service,
    systems: await findOwnSystems(context, featureLayers.values()),
    layers: service.layers.map((layer) => ({ ...layer, extent: extents.get(layer.resourceId) })),
  }
}

/** Finds the reference systems of the server and of layers in which maps can be drawn. */
async function findOwnSystems(
  { database, announcedSystems }: ServerContext,
  layers: Iterable<Layer>,
): Promise<number[]> {
  const codes = [...new Set([...announcedSystems, ...Array.from(layers, ({ srs }) => srs)])]
  const found = await Promise.all(codes.map((srs) => findImageSystem(database, srs)))
  return codes.filter((_, at) => found[at] !== undefined)
}

/** Finds the extents of rasters and of layers of web map services, by the id of the published resource. */
async function findImageExtents(
  { database }: ServerContext,
  layers: readonly WmsLayer[],
): Promise<Map<number, Bbox>> {
  const sources = await findRenderSources(
    database,
    layers.map(({ resourceId }) => resourceId),
  )
  const ids = [...sources.values()].map(renderedLayerId)
  const [rasters, others] = await Promise.all([findRasters(database, ids), findServiceExtents(database, ids)])
  const extentOf = (id: number) => rasterExtent(rasters.get(id)) ?? joinBboxes(others.get(id) ?? [])
  return new Map(
    [...sources.values()].flatMap((source): [number, Bbox][] => {
      const extent = extentOf(renderedLayerId(source))
      return extent === undefined ? [] : [[source.id, extent]]
    }),
  )
}
