/** Serves PNG tiles of regions and cities to ten clients, cold, beside MapServer on the same tables. */

import { execute } from '../support/sql.ts'
import { measureOnBoth, type World } from './support/both.ts'
import { watchDatabase } from './support/database_cpu.ts'
import { createClients, type Replay, replay } from './support/load_client.ts'
import { type Mapserver, startMapserver, tileQueryOf } from './support/mapserver.ts'
import { median, report } from './support/report.ts'
import type { BenchServer } from './support/running.ts'
import { createStyles, tilePaths } from './support/styled_world.ts'
import { otherTiles, sampleTiles } from './support/tile_addresses.ts'

const promisedRatio = 1.2
const counts = { clients: 10, perZoom: 33, rounds: 3 }

const clients = createClients(counts.clients)

const peerStyles = {
  regions: 'STYLE COLOR 253 180 98 OUTLINECOLOR 51 51 51 WIDTH 0.7 END',
  cities: 'STYLE SYMBOL "dot" SIZE 4 COLOR 220 30 30 END',
}

interface Case {
  readonly name: string
  /** Ids of styles. */
  readonly resources: string
  /** Layers of MapServer. */
  readonly layers: string
}

/** Measures of one pass over a list of tiles. */
interface Pass {
  readonly rate: number
  readonly cpuMs: number
}

const sample = sampleTiles(counts.perZoom)

/** Replays tiles, and measures the rate, and the processor time of each tile. */
async function pass({
  cpu,
  run,
  tiles,
}: {
  readonly cpu: () => Promise<number>
  readonly run: () => Promise<Replay>
  readonly tiles: number
}): Promise<Pass> {
  const before = await cpu()
  const done = await run()
  const cpuMs = (1000 * ((await cpu()) - before)) / tiles
  return { rate: tiles / done.seconds, cpuMs }
}

const tileUrls = (server: BenchServer, resources: string, tiles: readonly string[]) =>
  tilePaths(resources, tiles).map((path) => server.url + path)

/** Measures tiles of a server that has just started. */
async function passCold(world: World, { resources }: Case): Promise<Pass> {
  const server = await world.restart()
  await clients.replay(tileUrls(server, resources, otherTiles))
  const databaseCpu = await watchDatabase(world.databaseUrl)
  const cpu = async () => (await server.cpuSeconds()) + databaseCpu()
  const run = () => clients.replay(tileUrls(server, resources, sample))
  return pass({ cpu, run, tiles: sample.length })
}

/** Measures tiles of MapServer, which has no cache. */
async function passPeer(world: World, peer: Mapserver, { layers }: Case): Promise<Pass> {
  const queries = (tiles: readonly string[]) => tiles.map((tile) => tileQueryOf(layers, tile))
  await replay(queries(otherTiles), counts.clients, peer.get)
  const databaseCpu = await watchDatabase(world.databaseUrl)
  const cpu = async () => peer.cpuSeconds() + databaseCpu()
  return pass({ cpu, run: () => replay(queries(sample), counts.clients, peer.get), tiles: sample.length })
}

async function measureTiles(world: World, one: Case, peer: Mapserver | undefined): Promise<void> {
  const [own, theirs]: [Pass[], Pass[]] = [[], []]
  for (let round = 0; round < counts.rounds; round += 1) {
    own.push(await passCold(world, one))
    if (peer !== undefined) theirs.push(await passPeer(world, peer, one))
  }
  reportCold(world, one, { own, theirs })
}

const describePasses = (passes: readonly Pass[]) =>
  `${Math.round(median(passes.map(({ rate }) => rate)))} tiles/s, ${median(passes.map(({ cpuMs }) => cpuMs)).toFixed(1)} CPU-ms`

function reportCold(
  { driver }: World,
  { name }: Case,
  { own, theirs }: { readonly own: readonly Pass[]; readonly theirs: readonly Pass[] },
): void {
  const ratios = theirs.map(({ rate }, at) => (own[at]?.rate ?? 0) / rate)
  const isCompared = ratios.length > 0
  report({
    name: `PNG tiles cold, ${name}, ${counts.clients} clients, ${driver}`,
    value: describePasses(own),
    ...(isCompared ? { ratio: `${median(ratios).toFixed(2)}× MapServer (${describePasses(theirs)})` } : {}),
    promised: isCompared ? `≥ ${promisedRatio}×` : '',
    isKept: !isCompared || median(ratios) >= promisedRatio,
  })
}

async function startPeer({ databaseUrl, layers, folder }: World): Promise<Mapserver | undefined> {
  if (databaseUrl === undefined) return undefined
  const rows = await execute(databaseUrl, 'select resource_id as id, table_name as name from landform.layer')
  const tableOf = (layer: number) => `landform."${rows.find(({ id }) => id === layer)?.name}"`
  return startMapserver(folder, {
    url: databaseUrl,
    layers: [
      { name: 'regions', type: 'POLYGON', table: tableOf(layers.regions), style: peerStyles.regions },
      { name: 'cities', type: 'POINT', table: tableOf(layers.cities), style: peerStyles.cities },
    ],
  })
}

async function measure(world: World): Promise<void> {
  const { regions, cities } = await createStyles(world)
  const cases: readonly Case[] = [
    { name: 'regions', resources: `${regions}`, layers: 'regions' },
    { name: 'cities', resources: `${cities}`, layers: 'cities' },
    { name: 'both', resources: `${regions},${cities}`, layers: 'regions%20cities' },
  ]
  const peer = await startPeer(world)
  try {
    for (const one of cases) await measureTiles(world, one, peer)
  } finally {
    await peer?.stop()
  }
}

try {
  await measureOnBoth(measure, { fields: 'name' })
} finally {
  clients.close()
}
