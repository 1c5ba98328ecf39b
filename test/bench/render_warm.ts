/** Serves cached PNG tiles of regions and cities to ten clients of wrk, on both databases. */
import { besidePostgres, promisedBeside } from './support/beside_postgres.ts'
import { measureOnBoth, type World } from './support/both.ts'
import { createClients } from './support/load_client.ts'
import { report } from './support/report.ts'
import { createStyles, tilePaths } from './support/styled_world.ts'
import { sampleTiles } from './support/tile_addresses.ts'
import { runWrk } from './support/wrk.ts'

const promised = { rate: 5000, p99Ms: 20 }
const load = { clients: 10, seconds: 8 }
const tilesPerZoom = 33

const clients = createClients(load.clients)
const sample = sampleTiles(tilesPerZoom)

async function measure(world: World): Promise<void> {
  const { regions, cities } = await createStyles(world)
  for (const [name, resources] of [
    ['regions', `${regions}`],
    ['cities', `${cities}`],
    ['both', `${regions},${cities}`],
  ] as const)
    await measureWarm(world, { name, resources })
}

async function measureWarm(
  { driver, restart }: World,
  { name, resources }: { readonly name: string; readonly resources: string },
): Promise<void> {
  const server = await restart()
  const paths = tilePaths(resources, sample)
  await clients.replay(paths.map((path) => server.url + path))
  await runWrk({ origin: server.url, paths, clients: load.clients, seconds: 1 })
  await server.peakMemory()
  const before = await server.cpuSeconds()
  const { requests, rate, p99Ms } = await runWrk({ origin: server.url, paths, ...load })
  const cpuMs = (1000 * ((await server.cpuSeconds()) - before)) / requests
  const megabytes = (await server.peakMemory()) / 1e6
  const beside = besidePostgres(driver, name, 1 / rate)
  report({
    name: `PNG tiles warm, ${name}, ${load.clients} clients, ${driver}`,
    value: `${Math.round(rate)} tiles/s, p99 ${p99Ms.toFixed(1)} ms, ${cpuMs.toFixed(2)} CPU-ms, ${Math.round(megabytes)} MB`,
    ...(beside.ratio === undefined ? {} : { ratio: beside.ratio }),
    promised: driver === 'postgres' ? `≥ ${promised.rate}/s, p99 < ${promised.p99Ms} ms` : promisedBeside,
    isKept: driver === 'postgres' ? rate >= promised.rate && p99Ms < promised.p99Ms : beside.isWithin,
  })
}

try {
  await measureOnBoth(measure)
} finally {
  clients.close()
}
