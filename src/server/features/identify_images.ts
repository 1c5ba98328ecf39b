import type { Bbox } from '../../geo/bbox.ts'
import type { Geometry } from '../../geo/geometry.ts'
import { mercatorWorld } from '../../geo/mercator.ts'
import { boundsOf, xOnMap } from '../../geo/on_map.ts'
import { findRasters, type Raster } from '../../store/classes/raster_layer.ts'
import { transformPoints } from '../../store/transform_points.ts'
import type { ServerContext } from '../context.ts'
import type { ApiRequest } from '../http/handler.ts'
import { identifyWms } from '../render/identify_wms.ts'
import { openWmsLayers } from '../render/sources/wms_source.ts'

/** A pixel or feature that was found in an image. */
export interface FoundInImage {
  readonly label: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Images to identify. */
export interface IdentifiedImages {
  readonly ids: readonly number[]
  readonly spot: Spot
  /** Maximum number of features of a layer. */
  readonly limit: number
}

/** Opens those of some resources that are images: rasters, and layers of web map services. */
export async function openIdentifiedImages(
  { context, signal }: Pick<ApiRequest, 'context' | 'signal'>,
  { ids, spot, limit }: IdentifiedImages,
): Promise<Map<number, () => Promise<readonly FoundInImage[]>>> {
  const rasters = await findRasters(context.database, ids)
  const services = await openWmsLayers(context, ids)
  return new Map([
    ...[...rasters].map(
      ([id, raster]) => [id, () => identifyRaster(context, raster, { spot, signal })] as const,
    ),
    ...[...services].map(
      ([id, layer]) => [id, () => identifyWms(context, layer, { spot, signal, limit })] as const,
    ),
  ])
}

/** The middle of a geometry, on the map, and its size. */
export interface Spot {
  readonly x: number
  readonly y: number
  /** Half the longer side of its box. */
  readonly radius: number
  readonly srs: number
}

/** Returns the spot of a geometry in a reference system. */
export function spotOf(geometry: Geometry, srs: number): Spot {
  const box = boundsOf(geometry)
  return spotOfBox(box, { radius: Math.max(box[2] - box[0], box[3] - box[1]) / 2, srs })
}

/** Returns the spot in the middle of a box, which may lie in another copy of the world. */
export function spotOfBox(
  [minX, minY, maxX, maxY]: Bbox,
  { radius, srs }: Pick<Spot, 'radius' | 'srs'>,
): Spot {
  return { x: xOnMap((minX + maxX) / 2, srs), y: (minY + maxY) / 2, radius, srs }
}

/** Where and how an image is identified. */
export interface SpotRequest {
  readonly spot: Spot
  readonly signal: AbortSignal
}

async function identifyRaster(
  { database, blobs, draws }: ServerContext,
  raster: Raster,
  { spot, signal }: SpotRequest,
): Promise<readonly FoundInImage[]> {
  const point = await transformPoints(database, Float64Array.of(spot.x, spot.y), {
    from: spot.srs,
    to: raster.srs,
  })
  const [x = Number.NaN, y = Number.NaN] = point ?? []
  if (!Number.isFinite(x) || !Number.isFinite(y)) return []
  const [left = 0, stepX = 1, , top = 0, , stepY = -1] = raster.geoTransform
  // A raster across the antimeridian lies in the next copy of the world, too.
  const columns = [0, -1, 1].map((copy) => Math.floor((x + copy * mercatorWorld - left) / stepX))
  const column = columns.find((one) => one >= 0 && one < raster.xsize)
  if (column === undefined) return []
  const row = Math.floor((y - top) / stepY)
  const { digest } = raster
  const probe = { raster: { digest, path: await blobs.localPath(digest) }, column, row }
  const found = await draws.probe({ probe }, signal)
  if (found === undefined) return []
  const values = raster.dtype === 'Float32' ? found.map(shortestOf) : found
  const bands = raster.colorInterpretation.map((name, at) => [name, values[at]] as const)
  // The alpha of values says only that there is one.
  const shown = bands.filter(([name]) => name !== 'Alpha' || raster.colorInterpretation[0] !== 'Gray')
  return [{ label: shown.map(([, value]) => value).join(', '), fields: Object.fromEntries(shown) }]
}

/** Returns the decimal number with the fewest digits that is this number with 32 bits: 0.1 and not 0.10000000149011612. */
function shortestOf(value: number): number {
  const digits = [6, 7, 8].find((count) => Math.fround(Number(value.toPrecision(count))) === value)
  return digits === undefined ? value : Number(value.toPrecision(digits))
}
