import { isProblem } from '../../core/problem.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { createFeatureTypes, type FeatureType } from '../../ogc/wfs/feature_type.ts'
import { namespaceOf } from '../../ogc/wfs/wfs_service.ts'
import { describeFound, featureInfo, type PixelFeature, type PixelLayer } from '../../ogc/wms/feature_info.ts'
import { boxAroundPixel } from '../../ogc/wms/map_frame.ts'
import { WmsFault } from '../../ogc/wms/wms_fault.ts'
import { type InfoFormat, isDrawnAt, type WmsLayer } from '../../ogc/wms/wms_service.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import { findInfoFeatures } from '../../store/feature/info_features.ts'
import type { ServerContext } from '../context.ts'
import { type FieldValue, type FindFieldLabels, openFieldLabels } from '../features/field_labels.ts'
import { openIdentifiedImages, type Spot, spotOfBox } from '../features/identify_images.ts'
import { findDatabase } from '../geodb/geodb_session.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { scaleOfFrame } from './map_image.ts'
import type { PublishedMaps } from './published_wms.ts'

/** A pixel of a map whose features are requested. */
export interface PixelQuery {
  readonly layers: readonly WmsLayer[]
  readonly frame: ImageFrame
  readonly pixel: readonly [column: number, row: number]
  /** In pixels. */
  readonly tolerance: number
  /** Maximum number of features of a layer. */
  readonly featureCount: number
  readonly format: InfoFormat
  readonly signal: AbortSignal
}

/**
 * Answers with what is at a pixel: features, values of rasters, and what other web map services find there.
 *
 * @throws {WmsFault} LayerNotQueryable
 * @throws {Problem} external/*
 */
export async function answerFeatureInfo(
  { context, caller }: Pick<ApiRequest, 'context' | 'caller'>,
  { id, featureLayers, imageLayerIds }: PublishedMaps,
  query: PixelQuery,
): Promise<Answer> {
  const { frame, format } = query
  const scale = scaleOfFrame(frame)
  for (const { name, isQueryable } of query.layers)
    if (!isQueryable)
      throw new WmsFault(
        'LayerNotQueryable',
        `The layer ${JSON.stringify(name)} has neither features nor values.`,
        'QUERY_LAYERS',
      )
  const drawn = query.layers.filter((layer) => isDrawnAt(layer, scale))
  const published = drawn.flatMap(({ name, title, resourceId }) => {
    const layer = featureLayers.get(resourceId)
    if (layer === undefined) return []
    return [{ keyname: name, displayName: title, maxFeatures: null, layer, isWritable: false }]
  })
  const types = new Map(createFeatureTypes(published).map((type, at) => [published[at]?.keyname ?? '', type]))
  const isForPeople = format === 'text/plain' || format === 'text/html'
  const findLabels = await openFieldLabels(
    { context, caller },
    isForPeople ? published.map(({ layer }) => layer) : [],
  )
  const box = boxAroundPixel({ ...frame, ...query })
  const srs = frame.system?.srs ?? 3857
  const imageIds = drawn.flatMap(({ resourceId }) => imageLayerIds.get(resourceId) ?? [])
  const spot = spotOfPixel({ frame, box, srs })
  const images = await openIdentifiedImages(
    { context, signal: query.signal },
    { ids: imageIds, spot, limit: query.featureCount },
  )
  const parts = await Promise.all(
    drawn.map(async (layer): Promise<readonly PixelLayer[]> => {
      const type = types.get(layer.name)
      if (type !== undefined)
        return [{ type, features: await readPixel(context, { type, query, box, findLabels }) }]
      const find = images.get(imageLayerIds.get(layer.resourceId) ?? 0)
      const found = (await find?.()) ?? []
      return describeFound(
        layer,
        found.map(({ fields }) => fields),
      )
    }),
  )
  const layers = parts.flat()
  const { mediaType, text } = featureInfo({ namespace: namespaceOf(id), srs, layers }, format)
  return { bytes: Buffer.from(text), mediaType }
}

/** Pixels of the radius of a spot, by which other services take our pixels for theirs. */
const spotRadius = 5

/** Returns the middle of a pixel. */
function spotOfPixel({ frame, box, srs }: SpotOfPixel): Spot {
  const resolution = (frame.box[2] - frame.box[0]) / frame.width
  return spotOfBox(box, { radius: spotRadius * resolution, srs })
}

interface SpotOfPixel {
  readonly frame: ImageFrame
  /** Around the pixel. */
  readonly box: Bbox
  readonly srs: number
}

/** Kind of geometry that each format has. */
const geometries = {
  'text/plain': 'none',
  'text/html': 'none',
  'application/json': 'geojson',
  'application/vnd.ogc.gml': 'wkb',
} as const

interface PixelTarget {
  readonly type: FeatureType
  readonly query: PixelQuery
  readonly box: Bbox
  readonly findLabels: FindFieldLabels
}

async function readPixel(
  context: ServerContext,
  { type: { layer }, query, box, findLabels }: PixelTarget,
): Promise<readonly PixelFeature[]> {
  const { frame, format, featureCount } = query
  const database = await findDatabase(context, layer)
  const srs = frame.system?.srs ?? 3857
  try {
    const found = await findInfoFeatures(database, layer, {
      box,
      srs,
      limit: featureCount,
      geometry: geometries[format],
    })
    const labels = await findLabels(
      found.flatMap(({ values }) => layer.fields.map((field, at): FieldValue => [field, values[at]])),
    )
    return found.map((feature) => ({
      ...feature,
      labels: layer.fields.map((field, at) => labels.find(field, feature.values[at])),
    }))
  } catch (error) {
    // Nothing lies outside the reference system of the layer.
    if (isProblem(error, 'feature/invalid') && /transform/i.test(error.message)) return []
    throw error
  }
}
