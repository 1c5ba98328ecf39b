import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll } from 'vitest'

/** Names of the layers of the test map. */
export const mapLayers = ['towns', 'rivers'] as const

const features = {
  type: 'FeatureCollection',
  features: [
    { type: 'Feature', properties: { name: 'Nord' }, geometry: { type: 'Point', coordinates: [10, 54] } },
    { type: 'Feature', properties: { name: 'Süd' }, geometry: { type: 'Point', coordinates: [11, 48] } },
  ],
}

const layer = (name: string) => `
  LAYER
    NAME "${name}"
    TYPE POINT
    STATUS ON
    CONNECTIONTYPE OGR
    CONNECTION "features.geojson"
    PROJECTION "init=epsg:4326" END
    METADATA "ows_title" "${name} of the test" "gml_featureid" "name" "gml_include_items" "all" END
    TEMPLATE "query.html"
    TOLERANCE 4
    CLASS STYLE SYMBOL "dot" COLOR 0 0 0 SIZE 12 END END
  END`

const map = `MAP
  NAME "test"
  EXTENT 5 45 15 55
  SIZE 256 256
  PROJECTION "init=epsg:4326" END
  WEB METADATA
    "ows_title" "Test" "ows_enable_request" "*" "ows_srs" "EPSG:4326" "ows_encoding" "UTF-8"
  END END
  SYMBOL NAME "dot" TYPE ELLIPSE POINTS 1 1 END FILLED TRUE END
  ${mapLayers.map(layer).join('')}
END
`

/**
 * Provides MapServer for a test file, behind a local HTTP server that is stopped after the last test. Returns its URL, of
 * which `map=test.map` is the map.
 */
export function useMapserver(): () => Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'landform-mapserver-'))
  writeFileSync(join(folder, 'test.map'), map)
  writeFileSync(join(folder, 'features.geojson'), JSON.stringify(features))
  writeFileSync(join(folder, 'mapserver.conf'), 'CONFIG ENV MS_MAP_PATTERN "^[a-z]+[.]map$" END END')
  const server = createServer((request, response) => {
    runMapserver(folder, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  let starting: Promise<string> | undefined
  afterAll(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })
  const start = async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mapserv`
  }
  return () => {
    starting ??= start()
    return starting
  }
}

/** Runs MapServer for a request. @see RFC 3875 */
async function runMapserver(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { host = '' } = request.headers
  const { hostname, port, pathname, search } = new URL(request.url ?? '', `http://${host}`)
  const child = spawn('mapserv', [], {
    cwd: folder,
    env: {
      ...process.env,
      MAPSERVER_CONFIG_FILE: join(folder, 'mapserver.conf'),
      GATEWAY_INTERFACE: 'CGI/1.1',
      REQUEST_METHOD: request.method,
      QUERY_STRING: search.slice(1),
      SCRIPT_NAME: pathname,
      SERVER_NAME: hostname,
      SERVER_PORT: port,
      HTTP_HOST: host,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const output = await buffer(child.stdout)
  const end = /\r?\n\r?\n/.exec(output.toString('latin1'))
  const head = output.subarray(0, end?.index ?? 0).toString('latin1')
  const headers = head.split(/\r?\n/).map((line) => line.split(/:\s*/, 2) as [string, string])
  response.writeHead(200, Object.fromEntries(headers))
  response.end(output.subarray((end?.index ?? 0) + (end?.[0].length ?? 0)))
}
