import type { WebmapConfig } from '../../contract/bodies/webmap_config.ts'
import { problem } from '../../contract/problems.ts'
import { previewSize } from '../../contract/routes/render.ts'
import { findRenderSources } from '../../store/classes/render_source.ts'
import { findResourceClasses } from '../../store/resource/resource_class.ts'
import { matchesTag } from '../http/byte_range.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'
import { readOwnConfig } from '../map/webmap_config.ts'
import { drawLegend, legendTag, listLegendSymbols, openLegends } from '../render/legend/legend.ts'
import type { Legend } from '../render/legend/legend_content.ts'
import { drawLegends, listMapSymbols, openMapLegends } from '../render/legend/map_legend.ts'
import { answerLayerPreview, answerMapPreview, type PreviewSize } from '../render/preview.ts'
import { rasterSources } from '../render/sources/raster_source.ts'
import { lacksPart, requirePermission } from '../resource/require_permission.ts'

/** Side of icons in pixels. */
const defaultIconSize = 24

/** Operations on previews and legends. */
export const legendHandlers: Handlers<
  'render.preview' | 'render.legend' | 'render.legend_symbols' | 'render.resource_legend_symbols'
> = {
  'render.preview': async (request) => {
    const { context, params, query } = request
    const { id } = params
    const size = sizeOf(query.size)
    const shown = await openMap(request)
    if (shown !== undefined) return answerMapPreview(request, shown, size)
    const resource = (await findRenderSources(context.database, [id])).get(id)
    if (resource === undefined) throw await lacksPart(context.database, id, 'preview')
    return answerLayerPreview(request, resource, size)
  },

  'render.legend': async (request) => {
    const { context, params, query, headers, signal } = request
    const { id } = params
    const { scale = 1 } = query
    const shown = await openMap(request)
    if (shown !== undefined) {
      const bytes = await drawLegends(context, await openMapLegends(context, shown), { scale, signal })
      return { bytes, mediaType: 'image/png', headers: { 'cache-control': 'private, no-cache' } }
    }
    const legend = await needLegend(context, id)
    const form = { kind: 'image', scale } as const
    const shared = { etag: legendTag(legend, form), 'cache-control': 'private, no-cache' }
    if (matchesTag(headers['if-none-match'], shared.etag))
      return { empty: true, status: 304, headers: shared }
    const { bytes } = await drawLegend(context, legend, { form, signal })
    return { bytes, mediaType: 'image/png', headers: shared }
  },

  'render.legend_symbols': async (request) => {
    const { context, params, query, signal } = request
    const options = { ...iconsOf(query), signal }
    const shown = await openMap(request)
    if (shown !== undefined) {
      const legends = await openMapLegends(context, shown)
      return { json: await listMapSymbols(context, legends, options) }
    }
    const legend = await needLegend(context, params.id)
    return { json: await listLegendSymbols(context, legend, options) }
  },

  'render.resource_legend_symbols': async ({ context, caller, query, signal }) => {
    const ids = [...new Set(query.resources)]
    if (ids.length === 0) throw problem('request/invalid', 'Missing parameter "resources".')
    await requirePermission(context, caller, { ids, permission: 'data.read' })
    const options = { ...iconsOf(query), signal }
    const legends = await openLegends(context, ids)
    const items = []
    for (const id of ids) {
      const legend = legends.get(id)
      const symbols = legend && (await listLegendSymbols(context, legend, options))
      items.push({ resource: { id }, ...(symbols === undefined ? {} : { legend_symbols: symbols }) })
    }
    return { json: { items } }
  },
}

function iconsOf(query: { readonly icon_size?: number | undefined; readonly scale?: number | undefined }) {
  return { iconSize: query.icon_size ?? defaultIconSize, scale: query.scale ?? 1 }
}

function sizeOf(size: readonly number[] = [previewSize.width, previewSize.height]): PreviewSize {
  const [width, height, ...others] = size
  if (width !== undefined && height !== undefined && others.length === 0) return [width, height]
  throw problem('request/invalid', `size: expected width,height, got ${size.length} numbers.`)
}

/**
 * Reads the layers of a web map that the caller may read; undefined for other resources, whose data the caller may read.
 *
 * @throws {Problem} resource/not-found, access/denied
 */
async function openMap({
  context,
  caller,
  params: { id },
}: Pick<ApiRequest<'render.legend'>, 'context' | 'caller' | 'params'>): Promise<WebmapConfig | undefined> {
  const cls = (await findResourceClasses(context.database, [id])).get(id)
  const permission = cls === 'webmap' ? 'webmap.display' : 'data.read'
  await requirePermission(context, caller, { ids: [id], permission })
  return cls === 'webmap' ? readOwnConfig(context, caller, id) : undefined
}

async function needLegend(context: ApiRequest['context'], id: number): Promise<Legend> {
  const legend = (await openLegends(context, [id])).get(id)
  if (legend !== undefined) return legend
  const cls = (await findRenderSources(context.database, [id])).get(id)?.cls
  if (cls === undefined || !rasterSources.classes.includes(cls))
    throw await lacksPart(context.database, id, 'legend')
  const message = `The raster of resource id = ${id} has colours of 8 bits, so it has no legend.`
  throw problem('resource/not-found', message, { resource: id })
}
