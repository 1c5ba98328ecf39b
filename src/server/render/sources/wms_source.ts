import { problem } from '../../../contract/problems.ts'
import type { Credentials } from '../../../http/authorize.ts'
import { getMapUrl, type WmsRequest } from '../../../ogc/wms_request.ts'
import type { JobWindow, WindowJobLayer } from '../../../render/image/draw_job.ts'
import type { ImageFrame } from '../../../render/image/image_features.ts'
import { findConnections } from '../../../store/classes/connection.ts'
import { type MemberRow, memberTable } from '../../../store/classes/member_table.ts'
import { credentialsOf } from '../../classes/layers/wmsclient_connection.ts'
import type { ServerContext } from '../../context.ts'
import { notFound } from '../../resource/require_permission.ts'
import { findNorthFirst } from '../../wfs/north_first.ts'
import { boxOfGrid, centreGrid, findFrameGrid, moveGrid, planArea } from '../frame_grid.ts'
import type { ReadOptions, SourceKind } from './drawn_source.ts'
import { checkFrameSize, copyInto, createWindow, emptyLayer } from './external_frame.ts'
import { imagePeriod } from './external_images.ts'

/** Layers of external web map services. */
export const wmsSources: SourceKind = {
  classes: ['wmsclient_layer'],
  async open(context, resources) {
    const layers = await openWmsLayers(
      context,
      resources.map(({ id }) => id),
    )
    return resources.map(({ id, version }) => {
      const layer = layers.get(id)
      if (layer === undefined) throw notFound(id)
      const { row, connection, period } = layer
      const { url, username, password, version: wmsVersion } = connection
      return {
        // The password is encrypted.
        key: [id, version, row, url, username, password, wmsVersion, period],
        fetchedFrom: new URL(url).host,
        read: (frame, options) => readFrame(context, layer, { frame, ...options }),
      }
    })
  },
}

/** A layer of an external web map service, and its connection. */
export interface WmsLayer {
  readonly id: number
  readonly row: MemberRow<'wmsclient_layer'>
  readonly connection: MemberRow<'wmsclient_connection'>
  readonly connectionId: number
  readonly credentials: () => Credentials | undefined
  /** Period in which its images are fetched. */
  readonly period: string
}

/** Finds layers of external web map services, and their connections, by id. */
export async function openWmsLayers(
  context: ServerContext,
  ids: readonly number[],
): Promise<Map<number, WmsLayer>> {
  const { database } = context
  const rows = await memberTable('wmsclient_layer').find(database, ids)
  const connectionIds = await findConnections(database, ids)
  const connections = await memberTable('wmsclient_connection').find(database, [...connectionIds.values()])
  return new Map(
    [...rows].flatMap(([id, row]) => {
      const connectionId = connectionIds.get(id) ?? 0
      const connection = connections.get(connectionId)
      if (connection === undefined) return []
      const credentials = () => credentialsOf(context, connectionId, connection)
      return [[id, { id, row, connection, connectionId, credentials, period: imagePeriod(id) }] as const]
    }),
  )
}

/** Returns a request for an area of a layer. */
export function wmsRequest({ row, connection }: WmsLayer, view: WmsRequest['view']): WmsRequest {
  const { wmslayers: layers, imgformat: format, vendor_params: vendor } = row
  return { url: connection.url, version: connection.version, layers, format, vendor, view }
}

interface FrameRequest extends ReadOptions {
  readonly frame: ImageFrame
}

async function readFrame(
  context: ServerContext,
  layer: WmsLayer,
  { frame, signal, isFresh }: FrameRequest,
): Promise<WindowJobLayer> {
  checkFrameSize(frame, layer.id)
  const isNorthFirst = (await findNorthFirst(context.database)).has(layer.row.srs.id)
  const readArea = (area: Area) => fetchArea(context, layer, { area, isNorthFirst, signal, isFresh })
  if (layer.row.srs.id === (frame.system?.srs ?? 3857)) {
    const place = { scaleX: 1, scaleY: 1, shiftX: 0, shiftY: 0 }
    return { window: await readArea(frame), place, enlarging: 'nearest' }
  }
  return readWarped(context, layer, { frame, readArea })
}

/** An area in the reference system of the layer, as pixels. */
type Area = ImageFrame

interface WarpedRequest {
  readonly frame: ImageFrame
  readonly readArea: (area: Area) => Promise<JobWindow>
}

/** Reads the area that a frame covers in the reference system of the layer. */
async function readWarped(
  { database }: ServerContext,
  { id, row }: WmsLayer,
  { frame, readArea }: WarpedRequest,
): Promise<WindowJobLayer> {
  const grid = centreGrid(await findFrameGrid(database, frame, row.srs.id))
  const box = boxOfGrid(grid)
  if (box === undefined) return emptyLayer()
  const area = planArea(frame, box)
  checkFrameSize(area, id)
  const window = await readArea(area)
  const [minX, , , maxY] = area.box
  const [stepX, stepY] = [(area.box[2] - area.box[0]) / area.width, (area.box[3] - area.box[1]) / area.height]
  const place = moveGrid(grid, {
    move: (x, y) => [(x - minX) / stepX, (maxY - y) / stepY],
    pixelsPerUnit: 1 / stepX,
  })
  return { window, place, enlarging: 'bilinear' }
}

/** Maximum side of an image in a request: many services refuse larger ones. */
const maxSide = 2048

interface AreaRequest extends Omit<ReadOptions, 'labels'> {
  readonly area: Area
  readonly isNorthFirst: boolean
}

/** Fetches an area, in several requests if it is large. */
async function fetchArea(
  { externalImages }: ServerContext,
  layer: WmsLayer,
  { area, isNorthFirst, signal, isFresh }: AreaRequest,
): Promise<JobWindow> {
  const credentials = layer.credentials()
  const parts = await Promise.all(
    splitArea(area).map(async ({ left, top, box, width, height }) => {
      const view = { srs: layer.row.srs.id, isNorthFirst, box, width, height }
      const request = {
        ...{ url: getMapUrl(wmsRequest(layer, view)), credentials, signal },
        ...{ service: layer.connection.url, resource: layer.id },
        ...{ period: isFresh ? undefined : layer.period, mayBeAbsent: false, size: { width, height } },
      }
      const image = await externalImages.get(request)
      if (image === undefined) throw problem('external/answer', `${request.url.host} returned no image.`)
      return { image, left, top }
    }),
  )
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first.image
  const window = createWindow(area.width, area.height)
  for (const { image, left, top } of parts) copyInto(window, image, [left, top])
  return window
}

/** A part of an area, and its position in pixels. */
interface AreaPart extends Area {
  readonly left: number
  readonly top: number
}

function splitArea({ box, width, height }: Area): AreaPart[] {
  const [stepX, stepY] = [(box[2] - box[0]) / width, (box[3] - box[1]) / height]
  const parts: AreaPart[] = []
  for (let top = 0; top < height; top += maxSide)
    for (let left = 0; left < width; left += maxSide) {
      const size = { width: Math.min(maxSide, width - left), height: Math.min(maxSide, height - top) }
      const [minX, maxY] = [box[0] + left * stepX, box[3] - top * stepY]
      const part = [minX, maxY - size.height * stepY, minX + size.width * stepX, maxY] as const
      parts.push({ left, top, ...size, box: part })
    }
  return parts
}
