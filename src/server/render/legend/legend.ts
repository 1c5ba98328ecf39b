import { createHash } from 'node:crypto'
import { geometryParts } from '../../../contract/geometry.ts'
import { currentDepth } from '../../../http/service_depth.ts'
import { getLegendGraphicUrl } from '../../../ogc/wms_request.ts'
import type { DrawnImage, JobWindow } from '../../../render/image/draw_job.ts'
import {
  type LegendForm,
  type LegendIcon,
  type LegendJob,
  maxLegendItems,
} from '../../../render/legend/legend_job.ts'
import { findRenderSources, type RenderSource } from '../../../store/classes/render_source.ts'
import { findLayers, type Layer } from '../../../store/layer/stored_layer.ts'
import { findResourceNames } from '../../../store/resource/resource_name.ts'
import { heatmapEntries } from '../../../style/heatmap.ts'
import { type LegendEntry, legendEntries } from '../../../style/legend_entries.ts'
import type { Style } from '../../../style/style_model.ts'
import type { ServerContext } from '../../context.ts'
import { renderedLayerId } from '../../map/layer_style.ts'
import { featureSources, findStyle } from '../sources/feature_source.ts'
import { rasterSources } from '../sources/raster_source.ts'
import { openWmsLayers, type WmsLayer, wmsSources } from '../sources/wms_source.ts'
import { type Legend, legendVersion } from './legend_content.ts'
import { rampEntries } from './ramp_entries.ts'
import { openRasterLegends } from './raster_legend.ts'

/** Maximum number of layers of a service of which one legend consists; the others are left out. */
const maxPictures = 20

/**
 * Opens the legends of styles, of layers, which have a default style, of rasters with values, and of layers of web map services.
 * Ids of other resources are left out.
 */
export async function openLegends(
  context: ServerContext,
  ids: readonly number[],
): Promise<Map<number, Legend>> {
  const { database } = context
  const found = [...(await findRenderSources(database, ids)).values()]
  const styled = found.filter(({ cls }) => featureSources.classes.includes(cls))
  const layerIds = styled.map(renderedLayerId)
  const [layers, names] = await Promise.all([
    findLayers(database, layerIds),
    findResourceNames(database, layerIds),
  ])
  const rasters = found.filter(({ cls }) => rasterSources.classes.includes(cls))
  const services = found.filter(({ cls }) => wmsSources.classes.includes(cls))
  const legends = new Map([
    ...(await openRasterLegends(context, rasters)),
    ...(await openWmsLegends(context, services)),
  ])
  for (const resource of styled) {
    const layer = layers.get(renderedLayerId(resource))
    if (layer === undefined) continue
    const title = names.get(layer.resourceId)?.displayName ?? ''
    legends.set(resource.id, await openLegend(context, { resource, layer, title }))
  }
  return legends
}

interface LegendSource {
  readonly resource: RenderSource
  readonly layer: Layer
  readonly title: string
}

async function openLegend(context: ServerContext, { resource, layer, title }: LegendSource): Promise<Legend> {
  const { family } = geometryParts(layer.geometryType)
  const style = await findStyle(context, { resource, layer })
  const fields = layer.fields.map(({ keyname }) => keyname)
  return {
    key: [legendVersion, resource.id, resource.version, title, family, fields],
    title,
    family: style.heatmap === undefined ? family : 'POLYGON',
    opacity: style.opacity,
    entries: entriesOf(style),
  }
}

function entriesOf(style: Style): LegendEntry[] {
  return style.heatmap === undefined ? legendEntries(style) : rampEntries(heatmapEntries(style.heatmap))
}

/** How a legend is drawn. */
export interface LegendView {
  readonly form: LegendForm
  /** Pixels per map unit of the map that the legend is for; undefined if it is not known. */
  readonly pixelsPerMapUnit?: number
  readonly signal: AbortSignal
}

/**
 * Draws a legend, once for all requests until the style changes. Pictures leave out symbols that are not drawn.
 *
 * @throws {Problem} render/timeout, render/too-large, render/failed, external/*
 */
export function drawLegend(context: ServerContext, legend: Legend, view: LegendView): Promise<DrawnImage> {
  const { form, pixelsPerMapUnit, signal } = view
  const drawn = form.kind === 'image' ? legend.entries.filter(({ isDrawn }) => isDrawn) : legend.entries
  const job: Omit<LegendJob, 'items'> = {
    legend: form,
    title: legend.title,
    family: legend.family,
    opacity: legend.opacity,
    ...(pixelsPerMapUnit === undefined ? {} : { pixelsPerMapUnit }),
  }
  const symbols = drawn.slice(0, maxLegendItems).flatMap(({ index, title, rule: { symbol } }) => {
    return symbol === undefined ? [] : { index, title, symbol }
  })
  const key = JSON.stringify(['legend', form, pixelsPerMapUnit ?? null, ...legend.key])
  return context.layerCaches.images.get({ key, layers: [], signal }, async (stop) => {
    const pictures = (await legend.fetchPictures?.(stop)) ?? []
    const items = [...symbols, ...pictures.map((picture, index) => ({ index, title: '', picture }))]
    const image = await context.draws.draw({ ...job, items }, stop)
    return { tile: { ...image, etag: undefined }, data: [] }
  })
}

/** Returns the ETag of a drawing of a legend. */
export function legendTag({ key }: Legend, form: LegendForm): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([form, key]))
    .digest('base64url')
  return `"${digest.slice(0, 22)}"`
}

/** A symbol of a legend, as in responses. */
export interface LegendSymbol {
  readonly index: number
  readonly render: boolean
  readonly display_name: string
  readonly icon: { readonly format: 'png'; readonly data: string }
}

/** How icons are drawn. */
export interface IconOptions {
  /** Side in pixels. */
  readonly iconSize: number
  /** Device pixels per pixel. */
  readonly scale: number
  readonly signal: AbortSignal
}

/** Lists the symbols of a legend with their icons; leaves out those that draw nothing. */
export async function listLegendSymbols(
  context: ServerContext,
  legend: Legend,
  { iconSize, scale, signal }: IconOptions,
): Promise<LegendSymbol[]> {
  const { entries, title } = legend
  const { bytes } = await drawLegend(context, legend, { form: { kind: 'icons', iconSize, scale }, signal })
  const icons = JSON.parse(new TextDecoder().decode(bytes)) as LegendIcon[]
  return icons.flatMap(({ index, data }): LegendSymbol[] => {
    const icon = { format: 'png', data } as const
    if (legend.fetchPictures !== undefined) return [{ index, render: true, display_name: title, icon }]
    const entry = entries[index]
    if (entry === undefined) return []
    const name = entry.title === '' && entries.length === 1 ? title : entry.title
    return [{ index, render: entry.isDrawn, display_name: name, icon }]
  })
}

/** Opens the legends of layers of web map services, which the services draw. */
async function openWmsLegends(
  context: ServerContext,
  resources: readonly RenderSource[],
): Promise<Map<number, Legend>> {
  if (resources.length === 0) return new Map()
  const ids = resources.map(({ id }) => id)
  const layers = await openWmsLayers(context, ids)
  const names = await findResourceNames(context.database, ids)
  return new Map(
    resources.flatMap(({ id, version }): [number, Legend][] => {
      const layer = layers.get(id)
      if (layer === undefined) return []
      const { row, connection, period } = layer
      const title = names.get(id)?.displayName ?? ''
      const legend: Legend = {
        // The password is encrypted.
        key: ['wms', id, version, row, connection, period, title, currentDepth()],
        ...{ title, family: 'POLYGON', opacity: 1, entries: [] },
        fetchPictures: (signal) => fetchPictures(context, layer, signal),
      }
      return [[id, legend]]
    }),
  )
}

/** Fetches a picture for each layer of the service that is drawn, since GetLegendGraphic has one layer. */
async function fetchPictures(
  { externalImages }: ServerContext,
  { id, row, connection, credentials, period }: WmsLayer,
  signal: AbortSignal,
): Promise<readonly JobWindow[]> {
  const { url, version } = connection
  const names = row.wmslayers.split(',').filter((name) => name !== '')
  const pictures = await Promise.all(
    names.slice(0, maxPictures).map((layer) =>
      externalImages.get({
        url: getLegendGraphicUrl({ url, version, layer, vendor: row.vendor_params }),
        ...{ service: url, resource: id, credentials: credentials(), period, mayBeAbsent: false, signal },
      }),
    ),
  )
  return pictures.filter((picture) => picture !== undefined)
}
