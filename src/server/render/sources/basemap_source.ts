import type { Tiles } from '../../../contract/classes/basemap_layer.ts'
import { problem } from '../../../contract/problems.ts'
import { mercatorHalfWorld, mercatorWorld } from '../../../geo/mercator.ts'
import type { JobWindow, WindowJobLayer } from '../../../render/image/draw_job.ts'
import type { ImageFrame } from '../../../render/image/image_features.ts'
import { memberTable } from '../../../store/classes/member_table.ts'
import { findServices } from '../../classes/layers/basemap_layer.ts'
import { tileSrsOf, tilesOf } from '../../classes/layers/basemap_tiles.ts'
import type { ServerContext } from '../../context.ts'
import { notFound } from '../../resource/require_permission.ts'
import { boxOfGrid, centreGrid, type FrameGrid, findFrameGrid, moveGrid, planArea } from '../frame_grid.ts'
import { findTileScheme, type TileScheme, tileSrsCodes, tileUrl } from '../tile_grid.ts'
import type { ReadOptions, SourceKind } from './drawn_source.ts'
import { checkFrameSize, copyInto, createWindow, emptyLayer } from './external_frame.ts'
import { imagePeriod } from './external_images.ts'

/** Base maps from tiles of other services. */
export const basemapSources: SourceKind = {
  classes: ['basemap_layer'],
  async open(context, resources) {
    const ids = resources.map(({ id }) => id)
    const rows = await memberTable('basemap_layer').find(context.database, ids)
    const services = await findServices(context.database, [...rows.values()])
    return resources.map(({ id, version }) => {
      const row = rows.get(id)
      if (row === undefined) throw notFound(id)
      const tiles = tilesOf(row, services)
      const srs = tileSrsOf(row)
      const period = imagePeriod(id)
      return {
        key: [id, version, tiles, srs, period],
        // Without an address, reading it fails.
        fetchedFrom: tiles === null ? undefined : tileUrl(tiles.url, { z: 0, x: 0, y: 0 }, 1)?.host,
        read: (frame, options) =>
          readFrame(context, { id, period, ...checkTiles(id, tiles, srs) }, { frame, ...options }),
      }
    })
  },
}

/** A base map that can be drawn. */
interface BaseMap {
  readonly id: number
  readonly tiles: Tiles
  readonly scheme: TileScheme
  readonly period: string
}

function checkTiles(id: number, tiles: Tiles | null, srs: number): Pick<BaseMap, 'tiles' | 'scheme'> {
  const fault = (message: string) =>
    problem('render/unsupported', `The base map of resource id = ${id} ${message}.`, { resource: id })
  if (tiles === null) throw fault('has no tiles: its service does not exist')
  const scheme = findTileScheme(srs)
  if (scheme !== undefined) return { tiles, scheme }
  throw fault(
    `has tiles in EPSG:${srs}; tiles are drawn in ${tileSrsCodes.map((one) => `EPSG:${one}`).join(', ')}`,
  )
}

/** Side of a tile in pixels, by which zoom levels are chosen. */
const nominalSize = 256

/** Factor by which tiles are enlarged rather than requesting four times as many. */
const maxEnlarging = 1.2

/** Maximum number of tiles of an image. */
const maxTiles = 1024

/** Highest zoom level, if the base map has none. */
const highestZoom = 24

interface FrameRequest extends ReadOptions {
  readonly frame: ImageFrame
}

async function readFrame(
  context: ServerContext,
  map: BaseMap,
  request: FrameRequest,
): Promise<WindowJobLayer> {
  const { frame } = request
  checkFrameSize(frame, map.id)
  const { scheme } = map
  const isWarped = frame.system !== undefined || !scheme.isMercator
  const grid = isWarped ? await findMercatorGrid(context, frame) : undefined
  const area = frame.system === undefined ? frame : findArea(frame, grid)
  const zoom = area && findZoom(map, area)
  if (area === undefined || zoom === undefined) return emptyLayer()
  const range = findRange(scheme, area, zoom)
  if (range.columns * range.rows > maxTiles)
    throw problem(
      'render/too-large',
      `The image needs ${range.columns * range.rows} tiles of resource id = ${map.id}.`,
      {
        resource: map.id,
      },
    )
  const window = await composeTiles(context, map, { ...request, range })
  if (window === undefined) return emptyLayer()
  const size = window.width / range.columns
  const [across, down] = [scheme.columns * 2 ** zoom * size, scheme.rows * 2 ** zoom * size]
  const place = (x: number, y: number) => {
    const [partX, partY] = scheme.place(x, y)
    return [partX * across - range.left * size, partY * down - range.top * size] as const
  }
  if (grid !== undefined) {
    const positions = moveGrid(grid, { move: place, pixelsPerUnit: across / mercatorWorld })
    return { window, place: positions, enlarging: 'bilinear' }
  }
  const [left, top] = place(frame.box[0], frame.box[3])
  const [right, bottom] = place(frame.box[2], frame.box[1])
  const scales = { scaleX: (right - left) / frame.width, scaleY: (bottom - top) / frame.height }
  return { window, place: { ...scales, shiftX: left, shiftY: top }, enlarging: 'bilinear' }
}

async function findMercatorGrid({ database }: ServerContext, frame: ImageFrame): Promise<FrameGrid> {
  return centreGrid(await findFrameGrid(database, frame, 3857))
}

/** Returns the part of the world in EPSG:3857 that a frame in another reference system shows. */
function findArea(frame: ImageFrame, grid: FrameGrid | undefined): ImageFrame | undefined {
  const box = grid && boxOfGrid(grid)
  if (box === undefined) return undefined
  // The poles are far outside of the world.
  const clamp = (y: number) => Math.max(-mercatorHalfWorld, Math.min(mercatorHalfWorld, y))
  const [south, north] = [clamp(box[1]), clamp(box[3])]
  return south < north ? planArea(frame, [box[0], south, box[2], north]) : undefined
}

/** Chooses the zoom level whose pixels are hardly larger than those of the frame; undefined below the lowest level. */
function findZoom({ tiles, scheme }: BaseMap, { box, width, height }: ImageFrame): number | undefined {
  const step = Math.min((box[2] - box[0]) / width, (box[3] - box[1]) / height)
  const exact = Math.log2(mercatorWorld / (nominalSize * scheme.columns * step * maxEnlarging))
  const zoom = Math.max(0, Math.ceil(exact - 1e-9))
  if (zoom < (tiles.z_min ?? 0)) return undefined
  return Math.min(zoom, tiles.z_max ?? highestZoom)
}

/** Tiles of a zoom level that a frame shows; columns beyond the world repeat it. */
interface TileRange {
  readonly zoom: number
  readonly left: number
  readonly top: number
  readonly columns: number
  readonly rows: number
}

function findRange(scheme: TileScheme, { box }: ImageFrame, zoom: number): TileRange {
  const [columns, rows] = [scheme.columns * 2 ** zoom, scheme.rows * 2 ** zoom]
  const [west, north] = scheme.place(box[0], box[3])
  const [east, south] = scheme.place(box[2], box[1])
  const clamp = (row: number) => Math.max(0, Math.min(rows, row))
  // A position on an edge belongs to the tile on its inner side.
  const tolerance = 1e-6
  const [left, right] = [Math.floor(west * columns + tolerance), Math.ceil(east * columns - tolerance)]
  const [top, bottom] = [
    clamp(Math.floor(north * rows + tolerance)),
    clamp(Math.ceil(south * rows - tolerance)),
  ]
  return { zoom, left, top, columns: Math.max(1, right - left), rows: Math.max(0, bottom - top) }
}

interface TilesRequest extends FrameRequest {
  readonly range: TileRange
}

/** A tile, and its column and row among the tiles of a frame. */
interface PlacedTile {
  readonly column: number
  readonly row: number
  readonly url: URL
}

function listTiles({ id, tiles, scheme }: BaseMap, range: TileRange): PlacedTile[] {
  const { zoom, left, top, columns, rows } = range
  const [across, down] = [scheme.columns * 2 ** zoom, scheme.rows * 2 ** zoom]
  return Array.from({ length: columns * rows }, (_, at) => {
    const [column, row] = [at % columns, Math.floor(at / columns)]
    const x = (((left + column) % across) + across) % across
    const url = tileUrl(tiles.url, { z: zoom, x, y: top + row }, down)
    if (url !== null) return { column, row, url }
    throw problem('render/unsupported', `The address of the tiles of resource id = ${id} is not a URL.`, {
      resource: id,
    })
  })
}

/** Fetches tiles, and puts them together; undefined if the service has none of them. */
async function composeTiles(
  { externalImages }: ServerContext,
  map: BaseMap,
  { range, signal, isFresh }: TilesRequest,
): Promise<JobWindow | undefined> {
  const period = isFresh ? undefined : map.period
  const fetched = await Promise.all(
    listTiles(map, range).map(async (tile) => {
      const place = { service: map.tiles.url, resource: map.id, credentials: undefined }
      const options = { ...place, mayBeAbsent: true, period, signal }
      return { ...tile, image: await externalImages.get({ url: tile.url, ...options }) }
    }),
  )
  const size = fetched.find(({ image }) => image !== undefined)?.image?.width
  if (size === undefined) return undefined
  const window = createWindow(range.columns * size, range.rows * size)
  for (const { column, row, url, image } of fetched) {
    if (image === undefined) continue
    if (image.width !== size || image.height !== size)
      throw problem(
        'external/answer',
        `${url.host} returned a tile of ${image.width} × ${image.height} pixels instead of ${size} × ${size}.`,
      )
    copyInto(window, image, [column * size, row * size])
  }
  return window
}
