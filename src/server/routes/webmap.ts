import type { Answer, ApiRequest, Handlers } from '../http/handler.ts'
import { findWebBundle } from '../http/web_files.ts'
import { readBasemaps, tileOrigins } from '../map/webmap_basemaps.ts'
import { findMap, readOwnConfig } from '../map/webmap_config.ts'
import { pageHeaders, webmapPage } from '../map/webmap_page.ts'

/** Operations of web map pages. */
export const webmapHandlers: Handlers<'webmap.display' | 'webmap.display_tiny' | 'webmap.config'> = {
  'webmap.display': (request) => display(request, false),
  'webmap.display_tiny': (request) => display(request, true),
  'webmap.config': async ({ context, caller, params }) => ({
    json: await readOwnConfig(context, caller, params.id),
    headers: { 'cache-control': 'no-cache' },
  }),
}

async function display(
  { context, caller, params, url }: ApiRequest<'webmap.display' | 'webmap.display_tiny'>,
  tiny: boolean,
): Promise<Answer> {
  const { map, resource } = await findMap(context, params.id)
  const ids = map.basemaps.map(({ resourceId }) => resourceId)
  const masks = await context.permissions.findMasks(caller, ids)
  const { list } = await readBasemaps(context.database, map, masks)
  const bundle = await findWebBundle(context.log)
  const base = url.replace(/\/resource\/\d+\/display.*$/s, '')
  const { renderTimeoutSeconds } = context
  const html = webmapPage({
    ...{ id: params.id, title: resource.displayName, bundle, base, tiny, renderTimeoutSeconds },
  })
  const headers = pageHeaders({ tiny, imageOrigins: tileOrigins(list) })
  return { bytes: Buffer.from(html), mediaType: 'text/html; charset=utf-8', headers }
}
