import type { TileJson } from '../../../contract/bodies/tilejson.ts'
import { problem } from '../../../contract/problems.ts'
import type { tilejsonRoutes } from '../../../contract/routes/tilejson.ts'
import { findRasters } from '../../../store/classes/raster_layer.ts'
import { findRenderSources, type RenderSource } from '../../../store/classes/render_source.ts'
import { isForeign } from '../../../store/feature/feature_table.ts'
import { findLayers } from '../../../store/layer/stored_layer.ts'
import { findResourceNames } from '../../../store/resource/resource_name.ts'
import type { Answer, ApiRequest, Handlers } from '../../http/handler.ts'
import { findExtent, rasterExtent } from '../../map/layer_extents.ts'
import { renderedLayerId } from '../../map/layer_style.ts'
import { pictureTileJson, serviceTileJson, vectorTileJson } from '../../map/tilejson.ts'
import { openSources } from '../../render/sources/open_sources.ts'
import { notFound, requirePermission } from '../../resource/require_permission.ts'
import { openMaps, withMapExtents } from '../../wms/published_wms.ts'

type TileJsonRequest = ApiRequest<keyof typeof tilejsonRoutes>

/** Operations that describe tiles. */
export const tilejsonHandlers: Handlers<keyof typeof tilejsonRoutes> = {
  'render.tilejson': async (request) => {
    const { context, params } = request
    const resource = (await findRenderSources(context.database, [params.id])).get(params.id)
    if (resource === undefined) throw notFound(params.id)
    return resource.cls === 'wmsserver_service' ? describeService(request) : describeLayer(request, resource)
  },
}

/** Address of the server, by the address of the request. */
const baseOf = ({ url }: TileJsonRequest) => url.replace(/\/api\/resource\/\d+\/tilejson\.json.*$/s, '')

async function describeService(request: TileJsonRequest): Promise<Answer<TileJson>> {
  const { context, query, url } = request
  if (query.format === 'pbf')
    throw problem('request/invalid', 'format: a service has raster tiles only; use png.')
  const maps = await openMaps(request)
  const service = await withMapExtents(context, maps)
  const address = url.replace(/\/tilejson\.json.*$/s, '/wmts')
  return { json: serviceTileJson({ ...service, url: address }, { base: baseOf(request), name: query.layer }) }
}

async function describeLayer(request: TileJsonRequest, resource: RenderSource): Promise<Answer<TileJson>> {
  const { context, caller, query, dialect } = request
  const { database } = context
  const { id } = resource
  await requirePermission(context, caller, { ids: [id], permission: 'data.read' })
  const name = (await findResourceNames(database, [id])).get(id)?.displayName ?? ''
  const layerId = renderedLayerId(resource)
  const layer = (await findLayers(database, [layerId])).get(layerId)
  const base = baseOf(request)
  if (layer !== undefined) {
    const extent = isForeign(layer) ? undefined : await findExtent(context, layer)
    const isVector = (query.format ?? (layerId === id ? 'pbf' : 'png')) === 'pbf'
    if (isVector) await requirePermission(context, caller, { ids: [layerId], permission: 'data.read' })
    const subject = { name, extent }
    return {
      json: isVector
        ? vectorTileJson(subject, layer, { base, dialect })
        : pictureTileJson(subject, [id], base),
    }
  }
  if (query.format === 'pbf')
    throw problem('request/invalid', `Resource id = ${id} has no features; use png.`)
  // Throws if the resource cannot be drawn.
  await openSources(context, { ids: [id], caller })
  const raster = (await findRasters(database, [layerId])).get(layerId)
  return { json: pictureTileJson({ name, extent: rasterExtent(raster) }, [id], base) }
}
