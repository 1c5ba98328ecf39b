import { createHash } from 'node:crypto'
import { problem } from '../../contract/problems.ts'
import { mercatorHalfWorld } from '../../geo/mercator.ts'
import { tileBbox } from '../../geo/tile.ts'
import { symbolReach } from '../../render/draw/layer.ts'
import type { DrawJob, DrawnImage, JobLayer } from '../../render/image/draw_job.ts'
import { type ImageFrame, readImageFeatures } from '../../render/image/image_features.ts'
import { findRenderSources, type RenderSource } from '../../store/classes/render_source.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import { findLayers, type Layer } from '../../store/layer/stored_layer.ts'
import { scaleDenomOf } from '../../style/match_rules.ts'
import type { Style } from '../../style/style_model.ts'
import { findDatabases } from '../geodb/geodb_session.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { notFound } from '../resource/require_permission.ts'
import { fieldsOfStyle, readStyle, renderedLayerId } from './layer_style.ts'
import { readTileRequest, type TileOptions } from './vector_tile.ts'

/** Changes with every version of the renderer that draws differently. */
const rendererVersion = 1

/** Size of tiles in pixels. */
const tileSize = 256

/** Maximum absolute coordinate of an extent, in metres: many times the size of the world. */
const maxExtent = 1e9

/** Parameters of a rendering. */
export interface RenderOptions {
  readonly frame: ImageFrame
  /** Status of an empty image. */
  readonly nd: number
  /** Whether a cached image may be returned. */
  readonly cache: boolean
}

/**
 * Returns the frame of a tile.
 *
 * @throws {Problem} request/invalid for a missing parameter, or a tile outside the grid of the zoom level
 */
export function tileFrame(options: TileOptions): ImageFrame {
  const { address } = readTileRequest(options)
  return { box: tileBbox(address), width: tileSize, height: tileSize }
}

/**
 * Returns the frame of an image.
 *
 * @throws {Problem} request/invalid for a missing parameter, or an extent without area
 */
export function imageFrame(
  extent: readonly number[] | undefined,
  size: readonly number[] | undefined,
): ImageFrame {
  if (extent === undefined) throw problem('request/invalid', 'Missing parameter "extent".')
  if (size === undefined) throw problem('request/invalid', 'Missing parameter "size".')
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = extent
  const [width = 0, height = 0] = size
  if (extent.length !== 4)
    throw problem('request/invalid', `extent: expected minx,miny,maxx,maxy, got ${extent.length} numbers.`)
  if (size.length !== 2)
    throw problem('request/invalid', `size: expected width,height, got ${size.length} numbers.`)
  const isInRange = extent.every((value) => Math.abs(value) <= maxExtent)
  if (!isInRange)
    throw problem('request/invalid', `extent: expected numbers from -${maxExtent} to ${maxExtent}.`)
  if (!(maxX > minX && maxY > minY))
    throw problem(
      'request/invalid',
      `extent: ${extent.join()} has no area; expected minx < maxx and miny < maxy.`,
    )
  return { box: [minX, minY, maxX, maxY], width, height }
}

/**
 * Renders resources from bottom to top as PNG, or returns 304 if the client has the current version. Reads the versions of
 * styles and data on every request, so that images are never stale.
 *
 * @throws {Problem} render/*, resource/not-found
 */
export async function answerImage(
  request: Pick<ApiRequest, 'context' | 'headers' | 'signal'>,
  ids: readonly number[],
  options: RenderOptions,
): Promise<Answer> {
  const { context, headers, signal } = request
  const sources = await findSources(context, ids)
  const draw = (stop: AbortSignal) => drawSources(context, { sources, frame: options.frame, signal: stop })
  // Changes of foreign tables are not tracked, so their images are not cached.
  if (sources.some(({ layer }) => isForeign(layer))) return answerDrawn(await draw(signal), options, {})
  const key = JSON.stringify([rendererVersion, options.frame, ...sources.map(keyOf)])
  const etag = `"${createHash('sha256').update(key).digest('base64url').slice(0, 22)}"`
  if (matches(headers['if-none-match'], etag)) return { empty: true, status: 304, headers: { etag } }
  const image = options.cache ? await context.layerCaches.images.get(key, signal, draw) : await draw(signal)
  return answerDrawn(image, options, { etag })
}

interface Source {
  readonly source: RenderSource
  readonly layer: Layer
}

async function findSources({ database }: ApiRequest['context'], ids: readonly number[]): Promise<Source[]> {
  const found = await findRenderSources(database, ids)
  const sources = ids.map((id) => found.get(id) ?? throwNotFound(id))
  const layers = await findLayers(database, sources.map(renderedLayerId))
  return sources.map((source) => {
    const layer = layers.get(renderedLayerId(source))
    return { source, layer: layer ?? throwNotFound(source.id) }
  })
}

function throwNotFound(id: number): never {
  throw notFound(id)
}

// Replacing data changes the table, and renaming fields changes what filters select, without a new data version.
function keyOf({ source, layer }: Source): readonly unknown[] {
  const { resourceId, tableName, dataVersion, fields } = layer
  const names = fields.map(({ columnName, keyname }) => [columnName, keyname])
  return [source.id, source.version, resourceId, tableName, dataVersion, names]
}

interface Drawing {
  readonly sources: readonly Source[]
  readonly frame: ImageFrame
  readonly signal: AbortSignal
}

async function drawSources(context: ApiRequest['context'], drawing: Drawing): Promise<DrawnImage> {
  const { sources, frame, signal } = drawing
  const databases = await findDatabases(
    context,
    sources.map(({ layer }) => layer),
  )
  const { box, width, height } = frame
  const resolution = (box[2] - box[0]) / width
  const pixelsPerMapUnit = 1 / resolution
  const layers = sources.map(async ({ source, layer }): Promise<JobLayer> => {
    const style = await findStyle(context, { source, layer })
    const reach = symbolReach(style, pixelsPerMapUnit)
    const database = databases.get(layer.resourceId) ?? context.database
    const features = await readImageFeatures(database, layer, { frame, reach, fields: fieldsOfStyle(style) })
    return { style, features }
  })
  const job: DrawJob = {
    width,
    height,
    origin: [(box[0] + mercatorHalfWorld) / resolution, (mercatorHalfWorld - box[3]) / resolution],
    scaleDenom: scaleDenomOf(resolution),
    pixelsPerMapUnit,
    layers: await Promise.all(layers),
  }
  return context.draws.draw(job, signal)
}

async function findStyle(
  { database, layerCaches }: ApiRequest['context'],
  { source, layer }: Source,
): Promise<Style> {
  const names = layer.fields.map(({ keyname }) => keyname)
  const key = JSON.stringify([source.id, source.version, layer.geometryType, names])
  const known = layerCaches.styles.get(key)
  if (known !== undefined) return known
  const style = await readStyle(database, source, layer)
  layerCaches.styles.set(key, style)
  return style
}

function answerDrawn(
  { bytes, isEmpty }: DrawnImage,
  { nd }: RenderOptions,
  tags: Readonly<Record<string, string>>,
): Answer {
  // Permissions may change at any time, so clients must revalidate.
  const headers = { ...tags, 'cache-control': 'private, no-cache' }
  if (isEmpty && nd !== 200) return { empty: true, status: nd, headers }
  return { bytes, mediaType: 'image/png', headers }
}

function matches(condition: string | undefined, etag: string): boolean {
  const tags = (condition ?? '').split(',').map((item) => item.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
