import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'

/** A geoservice on loopback: tiles and maps of one color, GeoJSON, and paths that fail. */
export interface TileService {
  /** Scheme, host and port. */
  readonly origin: string
  /** Paths with queries of the requests received. */
  readonly requests: readonly string[]
  /** Holds back GeoJSON until the returned function is called. */
  holdFeatures(): () => void
  stop(): Promise<void>
}

/** Color of the tiles. */
export const tileColor = '#2e8b57'

const square = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: {},
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [10, 50],
            [11, 50],
            [11, 51],
            [10, 51],
            [10, 50],
          ],
        ],
      },
    },
  ],
}

/** Starts the service: `/tiles/…` and `/wms` are images, `/data.geojson` and `/wfs` are GeoJSON, the rest is 404. */
export async function startTileService(): Promise<TileService> {
  const requests: string[] = []
  const background = tileColor
  let held = Promise.resolve()
  const tile = await sharp({ create: { width: 256, height: 256, channels: 3, background } })
    .png()
    .toBuffer()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    if (/^\/(tiles|wms)/.test(path)) send(response, 'image/png', tile)
    else if (/^\/(data|wfs)/.test(path))
      void held.then(() => send(response, 'application/geo+json', JSON.stringify(square)))
    else response.writeHead(404, { 'access-control-allow-origin': '*' }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  const holdFeatures = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    return resolve
  }
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    holdFeatures,
    stop,
  }
}

function send(response: ServerResponse, type: string, body: Uint8Array | string): void {
  response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body)
}
