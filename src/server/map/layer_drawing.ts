import { hasPermission, type PermissionMask } from '../../access/permission_mask.ts'
import type { LayerDrawing } from '../../contract/bodies/webmap_config.ts'
import type { Queryable } from '../../database/database.ts'
import { hasLabels } from '../../render/label/label_spec.ts'
import { findRasters, type Raster } from '../../store/classes/raster_layer.ts'
import { type TileCacheRow, tileCaches } from '../../store/classes/tile_cache.ts'
import type { ItemRow } from '../../store/classes/webmap.ts'
import { findLayers, type Layer } from '../../store/layer/stored_layer.ts'
import { findResources, type ResourceRow } from '../../store/resource/resource_row.ts'
import { hitReach } from '../../style/hit_reach.ts'
import type { ServerContext } from '../context.ts'
import { hasRasterLegend } from '../render/sources/raster_paint.ts'
import { wmsSources } from '../render/sources/wms_source.ts'
import { renderedLayerId } from './layer_style.ts'
import { findStyles, type ParsedStyle } from './stored_style.ts'
import { styleKey } from './style_cache.ts'

/** A layer of a web map, as the page needs it. */
export interface Drawing extends LayerDrawing {
  /** Whether a click finds something in it: features, values of a raster, or what another map service finds. */
  readonly isIdentifiable: boolean
  readonly hasLegend: boolean
  /** Resource of the layer, which is that of the style for layers without styles. */
  readonly layerId: number
}

/** Permissions by resource id. */
export type Masks = ReadonlyMap<number, PermissionMask>

/** Reads what the page needs to know of the layers of items, by style id. Omits what the caller may not read. */
export async function readDrawings(
  context: DrawingContext,
  rows: readonly ItemRow[],
  masks: Masks,
): Promise<Map<number, Drawing>> {
  const tx = context.database
  const styleIds = rows.flatMap(({ styleId }) =>
    styleId === null || !mayRead(masks, styleId) ? [] : styleId,
  )
  const shown = await findResources(tx, [...new Set(styleIds)])
  const layerIds = [...new Set(shown.map(renderedLayerId))].filter((id) => mayRead(masks, id))
  const layers = await findLayers(tx, layerIds)
  const facts: Facts = {
    layers,
    rasters: await findRasters(tx, layerIds),
    styles: await parseStyles(context, shown, layers),
    caches: await tileCaches.find(tx, styleIds),
    resources: new Map((await findResources(tx, layerIds)).map((row) => [row.id, row])),
    masks,
  }
  return new Map(
    shown.flatMap((style) => {
      const layer = facts.resources.get(renderedLayerId(style))
      return layer === undefined ? [] : [[style.id, drawingOf(style, layer, facts)] as const]
    }),
  )
}

type DrawingContext = {
  readonly database: Queryable
  readonly layerCaches: Pick<ServerContext['layerCaches'], 'styles'>
}

/** Parses the styles of layers, each once until it changes. */
async function parseStyles(
  { database, layerCaches }: DrawingContext,
  shown: readonly ResourceRow[],
  layers: ReadonlyMap<number, Layer>,
): Promise<Map<number, ParsedStyle>> {
  // Read after the versions: what is remembered for a version is never older than it.
  const parsers = await findStyles(
    database,
    shown.map(({ id }) => id),
  )
  const parsed = shown.map(async (style) => {
    const [parse, layer] = [parsers.get(style.id), layers.get(renderedLayerId(style))]
    if (parse === undefined || layer === undefined) return []
    const read = () => Promise.resolve(parse(layer))
    return [[style.id, await layerCaches.styles.get(styleKey(style, layer), read)] as const]
  })
  return new Map((await Promise.all(parsed)).flat())
}

const mayRead = (masks: Masks, id: number) => hasPermission(masks.get(id) ?? 0, 'data.read')

interface Facts {
  readonly layers: ReadonlyMap<number, Layer>
  readonly rasters: ReadonlyMap<number, Raster>
  readonly styles: ReadonlyMap<number, ParsedStyle>
  readonly caches: ReadonlyMap<number, TileCacheRow>
  readonly resources: ReadonlyMap<number, ResourceRow>
  readonly masks: Masks
}

function drawingOf(style: ResourceRow, resource: ResourceRow, facts: Facts): Drawing {
  const mask = facts.masks.get(resource.id) ?? 0
  const attribution = hasPermission(mask, 'metadata.read') ? attributionOf(resource) : null
  const keepsTiles = facts.caches.get(style.id)?.enabled ?? false
  const layer = facts.layers.get(resource.id)
  const raster = facts.rasters.get(resource.id)
  const version = [style.version, resource.version, layer?.dataVersion ?? raster?.digest ?? ''].join('.')
  const shared = { layerId: resource.id, attribution, keepsTiles, version }
  const parsed = facts.styles.get(style.id)
  if (layer === undefined || parsed === undefined) {
    const isOfService = wmsSources.classes.includes(resource.cls)
    return {
      ...shared,
      ...imageOnly,
      isIdentifiable: raster !== undefined || isOfService,
      hasExtent: raster !== undefined,
      hasLegend: isOfService || (raster !== undefined && hasRasterLegend(raster)),
      hasLegendPicture: isOfService,
    }
  }
  const fields = hasPermission(mask, 'datastruct.read') ? layer.fields : []
  return {
    ...shared,
    hasFeatures: true,
    hasLabels: hasLabels(parsed.style),
    isIdentifiable: true,
    hasLegendPicture: false,
    hasLegend: true,
    undrawnParts: parsed.issues.slice(0, maxUndrawnParts).map(({ message }) => message),
    reach: hitReach(parsed.style),
    hasExtent: true,
    fields: fields.map(({ keyname, displayName, datatype, gridVisibility }) => ({
      ...{ keyname, label: displayName, datatype, isShown: gridVisibility },
    })),
  }
}

/** A layer without features. */
const imageOnly = { hasFeatures: false, hasLabels: false, undrawnParts: [], reach: 0, fields: [] }

/** Maximum number of messages about a style. */
const maxUndrawnParts = 20

/** Metadata keys of the attribution; the first one present applies. */
const attributionKeys = ['attribution', 'source', 'copyright']

function attributionOf({ metadata }: ResourceRow): string | null {
  const values = attributionKeys.map((key) => metadata[key])
  const found = values.find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof found === 'string' ? found.trim() : null
}
