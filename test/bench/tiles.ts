/** Serves all vector tiles of regions and cities that are not empty, zoom 0 to 6, to ten clients, cold and warm. */
import { measureOnBoth, type World } from './support/both.ts'
import { createClients } from './support/load_client.ts'
import { report } from './support/report.ts'
import type { BenchServer } from './support/running.ts'
import { allTiles } from './support/tile_addresses.ts'

const lastZoom = 6
const limits = { clients: 10, tilesPerSecond: 200, bytes: 500_000 }
const clients = createClients(limits.clients)

async function measure({ driver, layers, server: first, restart }: World): Promise<void> {
  const path = `/api/component/feature_layer/mvt?resource=${layers.regions},${layers.cities}`
  const addresses = allTiles(lastZoom).map((address) => `${path}&${address}`)
  const get = (server: BenchServer, paths: readonly string[]) =>
    clients.replay(paths.map((one) => server.url + one))
  const all = await get(first, addresses)
  const filled = addresses.filter((one) => (all.bytes.get(first.url + one) ?? 0) > 0)
  const largest = Math.max(...all.bytes.values())
  // A new process has no tiles.
  const server = await restart()
  const cold = await get(server, filled)
  const warm = await get(server, filled)
  const [rate, warmRate] = [cold, warm].map(({ seconds }) => filled.length / seconds)
  report({
    name: `vector tiles, all ${filled.length} of zoom 0 to ${lastZoom}, ${limits.clients} clients, ${driver}`,
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
  clients.close()
}
