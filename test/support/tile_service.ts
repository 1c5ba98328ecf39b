import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { packGeometry } from '../../src/geo/packed_geometry.ts'
import { encodeTileLayer } from '../../src/render/vector_tile/encode_mvt.ts'

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

/** A vector tile with a square in its middle. */
async function encodeVectorTile(): Promise<Uint8Array> {
  const ring = [1024, 1024, 3072, 1024, 3072, 3072, 1024, 3072, 1024, 1024]
  const geometry = packGeometry({ family: 'POLYGON', parts: [[ring]] })
  const features = [{ id: 1, geometry, values: [] }]
  return (await encodeTileLayer({ name: 'squares', extent: 4096, keys: [], features })).bytes
}

const noFeatures = { type: 'FeatureCollection', features: [] }
const metres = {
  type: 'Feature',
  properties: {},
  geometry: { type: 'Point', coordinates: [598_000, 6_643_000] },
}

/**
 * Starts the service: `/tiles/…` and `/wms` are images, `/patchy/{z}/{x}/{y}` only in even columns; `/squares…` are vector
 * tiles, with gzip below `/squares/gzip`; `/data.geojson`, `/wfs`, `/empty` and `/metres` are GeoJSON; the rest is 404.
 */
export async function startTileService(): Promise<TileService> {
  const requests: string[] = []
  const background = tileColor
  let held = Promise.resolve()
  const tile = await sharp({ create: { width: 256, height: 256, channels: 3, background } })
    .png()
    .toBuffer()
  const vectorTile = await encodeVectorTile()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    if (/^\/(tiles|wms|patchy\/\d+\/\d*[02468]\/)/.test(path)) send(response, 'image/png', tile)
    else if (path.startsWith('/squares'))
      send(response, 'application/x-protobuf', path.includes('gzip') ? gzipSync(vectorTile) : vectorTile)
    else if (path.startsWith('/empty')) send(response, 'application/geo+json', JSON.stringify(noFeatures))
    else if (path.startsWith('/metres')) send(response, 'application/geo+json', JSON.stringify(metres))
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
