import { isProblem } from '../../core/problem.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { createFeatureTypes, type FeatureType } from '../../ogc/wfs/feature_type.ts'
import { namespaceOf } from '../../ogc/wfs/wfs_service.ts'
import { featureInfo, type PixelFeature, type PixelLayer } from '../../ogc/wms/feature_info.ts'
import { boxAroundPixel } from '../../ogc/wms/map_frame.ts'
import { WmsFault } from '../../ogc/wms/wms_fault.ts'
import { type InfoFormat, isDrawnAt, type WmsLayer } from '../../ogc/wms/wms_service.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import { findInfoFeatures } from '../../store/feature/info_features.ts'
import type { ServerContext } from '../context.ts'
import { findDatabase } from '../geodb/geodb_session.ts'
import type { Answer } from '../http/handler.ts'
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
}

/**
 * Answers with the features at a pixel.
 *
 * @throws {WmsFault} LayerNotQueryable
 */
export async function answerFeatureInfo(
  context: ServerContext,
  { id, featureLayers }: PublishedMaps,
  query: PixelQuery,
): Promise<Answer> {
  const { frame, format } = query
  const scale = scaleOfFrame(frame)
  for (const { name, isQueryable } of query.layers)
    if (!isQueryable)
      throw new WmsFault(
        'LayerNotQueryable',
        `The layer ${JSON.stringify(name)} has no features.`,
        'QUERY_LAYERS',
      )
  const published = query.layers
    .filter((layer) => isDrawnAt(layer, scale))
    .flatMap(({ name, title, resourceId }) => {
      const layer = featureLayers.get(resourceId)
      if (layer === undefined) return []
      return [{ keyname: name, displayName: title, maxFeatures: null, layer, isWritable: false }]
    })
  const box = boxAroundPixel({ ...frame, ...query })
  const types = createFeatureTypes(published)
  const layers = await Promise.all(
    types.map(
      async (type): Promise<PixelLayer> => ({
        type,
        features: await readPixel(context, { type, query, box }),
      }),
    ),
  )
  const srs = frame.system?.srs ?? 3857
  const { mediaType, text } = featureInfo({ namespace: namespaceOf(id), srs, layers }, format)
  return { bytes: Buffer.from(text), mediaType }
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
}

async function readPixel(
  context: ServerContext,
  { type: { layer }, query, box }: PixelTarget,
): Promise<readonly PixelFeature[]> {
  const { frame, format, featureCount } = query
  const database = await findDatabase(context, layer)
  const srs = frame.system?.srs ?? 3857
  try {
    return await findInfoFeatures(database, layer, {
      box,
      srs,
      limit: featureCount,
      geometry: geometries[format],
    })
  } catch (error) {
    // Nothing lies outside the reference system of the layer.
    if (isProblem(error, 'feature/invalid') && /transform/i.test(error.message)) return []
    throw error
  }
}
