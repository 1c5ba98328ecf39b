import { findWebmaps, type WebmapRow } from '../../store/classes/webmap.ts'
import { findResources, type ResourceRow } from '../../store/resource/resource_row.ts'
import type { ServerContext } from '../context.ts'
import type { Answer, ApiRequest, Handlers } from '../http/handler.ts'
import { findWebBundle } from '../http/web_files.ts'
import { readBasemaps, tileOrigins } from '../map/webmap_basemaps.ts'
import { listShownResources, readWebmapConfig } from '../map/webmap_config.ts'
import { pageHeaders, webmapPage } from '../map/webmap_page.ts'
import { notFound } from '../resource/require_permission.ts'

/** Operations of web map pages. */
export const webmapHandlers: Handlers<'webmap.display' | 'webmap.display_tiny' | 'webmap.config'> = {
  'webmap.display': (request) => display(request, false),
  'webmap.display_tiny': (request) => display(request, true),
  'webmap.config': async ({ context, caller, params }) => {
    const { map, resource } = await findMap(context, params.id)
    const masks = await context.permissions.findMasks(caller, listShownResources(map))
    return {
      json: await readWebmapConfig(context.database, { map, resource, masks }),
      headers: { 'cache-control': 'no-cache' },
    }
  },
}

async function display(
  { context, caller, params }: ApiRequest<'webmap.display' | 'webmap.display_tiny'>,
  tiny: boolean,
): Promise<Answer> {
  const { map, resource } = await findMap(context, params.id)
  const ids = map.basemaps.map(({ resourceId }) => resourceId)
  const masks = await context.permissions.findMasks(caller, ids)
  const { list } = await readBasemaps(context.database, map, masks)
  const bundle = await findWebBundle()
  const html = webmapPage({ id: params.id, title: resource.displayName, bundle, tiny })
  const headers = pageHeaders({ tiny, imageOrigins: tileOrigins(list) })
  return { bytes: Buffer.from(html), mediaType: 'text/html; charset=utf-8', headers }
}

interface MapResource {
  readonly map: WebmapRow
  readonly resource: ResourceRow
}

async function findMap({ database }: ServerContext, id: number): Promise<MapResource> {
  const map = (await findWebmaps(database, [id])).get(id)
  const [resource] = await findResources(database, [id])
  if (map === undefined || resource === undefined) throw notFound(id)
  return { map, resource }
}
