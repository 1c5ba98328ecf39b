/** Serves all vector tiles of countries and cities that are not empty, zoom 0 to 6, to ten clients, cold and warm. */
import { Agent, get } from 'node:http'
import { measureOnBoth, type World } from './support/both.ts'
import { report, timed } from './support/report.ts'
import type { BenchServer } from './support/running.ts'
import { benchPassword } from './support/server.ts'
import type { WorldLayers } from './support/world.ts'

const clients = 10
const lastZoom = 6
const limits = { tilesPerSecond: 200, bytes: 500_000 }

const agent = new Agent({ keepAlive: true, maxSockets: clients })
const authorization = `Basic ${Buffer.from(`administrator:${benchPassword}`).toString('base64')}`

/** Gets a tile; 0 bytes where it is empty. */
function getTile(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization } }, (answer) => {
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.on('error', reject)
      answer.on('end', () =>
        answer.statusCode === 200 || answer.statusCode === 204
          ? resolve(bytes)
          : reject(new Error(`${url}: ${answer.statusCode}`)),
      )
    }).on('error', reject)
  })
}

function listAddresses(): string[] {
  const zooms = Array.from({ length: lastZoom + 1 }, (_, z) => z)
  return zooms.flatMap((z) =>
    Array.from({ length: 4 ** z }, (_, at) => `z=${z}&x=${Math.floor(at / 2 ** z)}&y=${at % 2 ** z}`),
  )
}

/** Gets tiles, ten at a time. Gives the bytes of each. */
async function getTiles(
  server: BenchServer,
  addresses: readonly string[],
  { countries, cities }: WorldLayers,
): Promise<Map<string, number>> {
  const left = [...addresses].reverse()
  const found = new Map<string, number>()
  const path = `/api/component/feature_layer/mvt?resource=${countries},${cities}`
  const work = async () => {
    for (let address = left.pop(); address !== undefined; address = left.pop()) {
      found.set(address, await getTile(`${server.url}${path}&${address}`))
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
  return found
}

async function measure({ driver, layers, server: first, restart }: World): Promise<void> {
  const all = await getTiles(first, listAddresses(), layers)
  const filled = [...all].filter(([, bytes]) => bytes > 0).map(([address]) => address)
  const largest = Math.max(...all.values())
  // A new process has no tiles.
  const server = await restart()
  const cold = await timed(() => getTiles(server, filled, layers))
  const warm = await timed(() => getTiles(server, filled, layers))
  const [rate, warmRate] = [cold, warm].map(({ seconds }) => filled.length / seconds)
  report({
    name: `vector tiles, all ${filled.length} of zoom 0 to ${lastZoom}, ${clients} clients, ${driver}`,
    value: `${Math.round(rate ?? 0)} tiles/s cold, ${Math.round(warmRate ?? 0)} tiles/s again`,
    promised: driver === 'postgres' ? `≥ ${limits.tilesPerSecond} tiles/s` : '',
    isKept: driver === 'pglite' || (rate ?? 0) >= limits.tilesPerSecond,
  })
  report({
    name: `largest vector tile, ${driver}`,
    value: `${Math.round(largest / 1000)} kB`,
    promised: `≤ ${limits.bytes / 1000} kB`,
    isKept: largest <= limits.bytes,
  })
}

try {
  await measureOnBoth(measure)
} finally {
  agent.destroy()
}
