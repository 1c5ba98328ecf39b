/** Draws tiles for 64 clients, ten thousand in each of two rounds, and compares the memory of the server. */
import { besidePostgres, promisedBeside } from './support/beside_postgres.ts'
import { measureOnBoth, type World } from './support/both.ts'
import { createClients } from './support/load_client.ts'
import { report, timed } from './support/report.ts'
import type { BenchServer } from './support/running.ts'
import { createStyles, tilePaths } from './support/styled_world.ts'
import { mixedTiles } from './support/tile_addresses.ts'

const promised = { megabytes: 500, growth: 1.1 }
const counts = { clients: 64, tiles: 10_000 }

const clients = createClients(counts.clients)

/** Tiles of zoom levels 0 to 7; no tile comes twice, so that each is drawn. */
const tiles = mixedTiles(7)

/** Memory of a server in a round, in megabytes. */
interface Round {
  readonly peak: number
  readonly after: number
  readonly rate: number
}

async function measureRound(server: BenchServer, paths: readonly string[]): Promise<Round> {
  const { seconds } = await timed(() => clients.replay(paths.map((path) => server.url + path)))
  const peak = (await server.peakMemory()) / 1e6
  const after = (await server.idleMemory()) / 1e6
  return { peak, after, rate: paths.length / seconds }
}

const describe = ({ peak, after, rate }: Round) =>
  `${Math.round(peak)} MB, then ${Math.round(after)} MB (${Math.round(rate)} tiles/s)`

async function measure(world: World): Promise<void> {
  const { regions, cities } = await createStyles(world)
  const paths = tilePaths(`${regions},${cities}`, tiles)
  const server = await world.restart()
  const idle = (await server.idleMemory()) / 1e6
  const first = await measureRound(server, paths.slice(0, counts.tiles))
  const second = await measureRound(server, paths.slice(counts.tiles, 2 * counts.tiles))
  const { driver } = world
  const peak = Math.max(first.peak, second.peak)
  const beside = besidePostgres(driver, 'peak', peak)
  report({
    name: `memory of the server for 10,000 PNG tiles and another 10,000, ${counts.clients} clients, ${driver}`,
    value: `from ${Math.round(idle)} MB: ${describe(first)}; ${describe(second)}`,
    ...(beside.ratio === undefined ? {} : { ratio: beside.ratio }),
    promised: driver === 'postgres' ? `< ${promised.megabytes} MB` : promisedBeside,
    isKept: driver === 'postgres' ? peak < promised.megabytes : beside.isWithin,
  })
  report({
    name: `growth of that memory in the second round, ${driver}`,
    value: `peak ${(second.peak / first.peak).toFixed(2)}×, then ${(second.after / first.after).toFixed(2)}×`,
    promised: `≤ ${promised.growth}×`,
    isKept: Math.max(second.peak / first.peak, second.after / first.after) <= promised.growth,
  })
}

try {
  await measureOnBoth(measure)
} finally {
  clients.close()
}
