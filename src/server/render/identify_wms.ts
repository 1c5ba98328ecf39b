import { LRUCache } from 'lru-cache'
import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { type FoundFeature, parseFeatureInfo } from '../../ogc/feature_info.ts'
import { getFeatureInfoUrl } from '../../ogc/wms_request.ts'
import { transformPoints } from '../../store/transform_points.ts'
import type { ServerContext } from '../context.ts'
import { findNorthFirst } from '../wfs/north_first.ts'
import { type WmsLayer, wmsRequest } from './sources/wms_source.ts'

/** Media types of the answers that are read, best first. Services support some of them. */
const infoFormats = [
  'application/json',
  'application/geo+json',
  'application/vnd.ogc.gml',
  'text/plain',
] as const

/** Format that the service of a connection has answered in. */
const knownFormats = new LRUCache<string, string>({ max: 500 })

/** Where a layer is identified. */
export interface WmsSpot {
  readonly spot: { readonly x: number; readonly y: number; readonly radius: number; readonly srs: number }
  readonly signal: AbortSignal
  /** Maximum number of features. */
  readonly limit: number
}

/** Pixels of the view in which features are searched: its middle is the spot, and ten pixels are the spot's diameter. */
const view = { side: 101, middle: 50, radius: 5 }

/**
 * Finds the features of a layer of a web map service at a spot, with GetFeatureInfo.
 *
 * @throws {Problem} external/*
 */
export async function identifyWms(
  context: ServerContext,
  layer: WmsLayer,
  { spot, signal, limit }: WmsSpot,
): Promise<readonly FoundFeature[]> {
  const srs = layer.row.srs.id
  const box = await findView(context, spot, srs)
  if (box === undefined) return []
  const isNorthFirst = (await findNorthFirst(context.database)).has(srs)
  const request = wmsRequest(layer, { srs, isNorthFirst, box, width: view.side, height: view.side })
  const credentials = layer.credentials()
  const service = layer.connection.url
  const place = { column: view.middle, row: view.middle, limit }
  const known = knownFormats.get(service)
  const formats = [...new Set([...(known === undefined ? [] : [known]), ...infoFormats])]
  let failure: unknown
  for (const infoFormat of formats) {
    const url = getFeatureInfoUrl(request, { ...place, infoFormat })
    try {
      const answer = await context.externalImages.getText({
        url,
        service,
        resource: layer.id,
        credentials,
        signal,
      })
      const found = parseFeatureInfo(answer)
      if (found === undefined) continue
      knownFormats.set(service, infoFormat)
      return found.slice(0, limit)
    } catch (error) {
      // An exception of the service, perhaps since it does not support the format.
      if (!isProblem(error, 'external/answer')) throw error
      failure ??= error
    }
  }
  const { host } = new URL(service)
  throw failure ?? problem('external/answer', `${host} describes no features as JSON, GML or text.`)
}

/** Finds a square around a spot in a reference system; undefined outside of it. */
async function findView(
  { database }: ServerContext,
  { x, y, radius, srs: from }: WmsSpot['spot'],
  to: number,
): Promise<Bbox | undefined> {
  // A point has no size: a pixel is a metre, or a hundred-thousandth of a degree.
  const reach = radius > 0 ? radius : Math.abs(x) <= 360 && from !== 3857 ? 5e-5 : 5
  const points = await transformPoints(database, Float64Array.of(x, y, x + reach, y + reach), { from, to })
  const [middleX = Number.NaN, middleY = Number.NaN, otherX = Number.NaN, otherY = Number.NaN] = points ?? []
  const step = Math.max(Math.abs(otherX - middleX), Math.abs(otherY - middleY)) / view.radius
  const half = (step * view.side) / 2
  const box = [middleX - half, middleY - half, middleX + half, middleY + half] as const
  return box.every(Number.isFinite) && half > 0 ? box : undefined
}
