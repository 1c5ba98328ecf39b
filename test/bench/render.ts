/**
 * Serves PNG tiles of countries and cities to ten clients, cold and warm, beside MapServer on the same tables, a large image,
 * and many tiles to many clients. `npm run bench -- render`
 */

import { execute } from '../support/sql.ts'
import { measureOnBoth, type World } from './support/both.ts'
import { familyCpuSeconds, parentOf } from './support/cpu_time.ts'
import { createClients, percentile, type Replay, replay } from './support/load_client.ts'
import { type Mapserver, startMapserver } from './support/mapserver.ts'
import { median, report, timed } from './support/report.ts'
import type { BenchServer } from './support/running.ts'
import { allTiles, sampleTiles } from './support/tile_addresses.ts'

const promised = { ratio: 1.2, warmRate: 5000, warmMs: 20, imageSeconds: 1, megabytes: 500 }
const counts = { clients: 10, manyClients: 64, perZoom: 33, rounds: 3, warmPasses: 40 }

const clients = createClients(counts.clients)
const manyClients = createClients(counts.manyClients)

const xml = (
  style: string,
) => `<map><symbol><type>ellipse</type><name>dot</name><points>1 1</points><filled>true</filled></symbol>
  <layer><class><style>${style}</style></class></layer></map>`
const countryXml = xml(
  '<color red="253" green="180" blue="98"/><outlinecolor red="51" green="51" blue="51"/><width>0.7</width>',
)
const cityXml = xml('<symbol>dot</symbol><size>4</size><color red="220" green="30" blue="30"/>')
const peerStyles = {
  countries: 'STYLE COLOR 253 180 98 OUTLINECOLOR 51 51 51 WIDTH 0.7 END',
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
  readonly replay: Replay
}

const sample = sampleTiles(counts.perZoom)
const warmUp = ['z=13&x=4200&y=2700', 'z=13&x=4201&y=2700', 'z=3&x=4&y=2', 'z=3&x=4&y=3'] as const

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
  return { rate: tiles / done.seconds, cpuMs, replay: done }
}

const tileUrls = (server: BenchServer, resources: string, tiles: readonly string[]) =>
  tiles.map((tile) => `${server.url}/api/component/render/tile?resource=${resources}&nd=204&${tile}`)

/** Measures tiles of a server that has just started. */
async function passCold(world: World, { resources }: Case): Promise<Pass & { readonly server: BenchServer }> {
  const server = await world.restart()
  await clients.replay(tileUrls(server, resources, warmUp))
  const databaseCpu = await watchDatabase(world.databaseUrl)
  const cpu = async () => (await server.cpuSeconds()) + databaseCpu()
  const run = () => clients.replay(tileUrls(server, resources, sample))
  return { ...(await pass({ cpu, run, tiles: sample.length })), server }
}

/** Returns a function for the processor time of a database server; 0 for the embedded database. */
async function watchDatabase(url: string | undefined): Promise<() => number> {
  if (url === undefined) return () => 0
  const [row] = await execute(url, 'select pg_backend_pid() as pid')
  const pid = await findPostmaster(url, Number(row?.pid))
  return () => familyCpuSeconds(pid)
}

async function findPostmaster(url: string, ended: number): Promise<number> {
  const rows = await execute(url, 'select pid from pg_stat_activity where pid <> pg_backend_pid()')
  return rows.map(({ pid }) => parentOf(Number(pid))).find((parent) => parent > 0) ?? parentOf(ended)
}

/** Measures tiles of MapServer, which has no cache. */
async function passPeer(world: World, peer: Mapserver, { layers }: Case): Promise<Pass> {
  const queries = (tiles: readonly string[]) =>
    tiles.map((tile) => {
      const { z, x, y } = Object.fromEntries(new URLSearchParams(tile))
      return `mode=tile&tilemode=gmap&map.imagetype=png&layers=${layers}&tile=${x}+${y}+${z}`
    })
  await replay(queries(warmUp), counts.clients, peer.get)
  const databaseCpu = await watchDatabase(world.databaseUrl)
  const cpu = async () => peer.cpuSeconds() + databaseCpu()
  return pass({ cpu, run: () => replay(queries(sample), counts.clients, peer.get), tiles: sample.length })
}

async function measureTiles(world: World, one: Case, peer: Mapserver | undefined): Promise<void> {
  const [own, theirs]: [Pass[], Pass[]] = [[], []]
  let server = world.server
  for (let round = 0; round < counts.rounds; round += 1) {
    const cold = await passCold(world, one)
    own.push(cold)
    server = cold.server
    if (peer !== undefined) theirs.push(await passPeer(world, peer, one))
  }
  reportCold(world, one, { own, theirs })
  await measureWarm(world, one, server)
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
    promised: isCompared ? `≥ ${promised.ratio}×` : '',
    isKept: !isCompared || median(ratios) >= promised.ratio,
  })
}

async function measureWarm({ driver }: World, { name, resources }: Case, server: BenchServer): Promise<void> {
  const urls = tileUrls(server, resources, sample)
  const repeated = Array.from({ length: counts.warmPasses }, () => urls).flat()
  const {
    rate,
    cpuMs,
    replay: done,
  } = await pass({
    cpu: () => server.cpuSeconds(),
    run: () => clients.replay(repeated),
    tiles: repeated.length,
  })
  const p99 = percentile(done.times, 0.99)
  report({
    name: `PNG tiles warm, ${name}, ${counts.clients} clients, ${driver}`,
    value: `${Math.round(rate)} tiles/s, p99 ${p99.toFixed(1)} ms, ${cpuMs.toFixed(2)} CPU-ms`,
    promised: driver === 'postgres' ? `≥ ${promised.warmRate}/s, < ${promised.warmMs} ms` : '',
    isKept: driver === 'pglite' || (rate >= promised.warmRate && p99 < promised.warmMs),
  })
}

async function measureImage({ driver }: World, resources: string, server: BenchServer): Promise<void> {
  const path = `${server.url}/api/component/render/image?resource=${resources}&cache=false&size=2048,2048`
  const draw = () => clients.get(`${path}&extent=-2000000,4000000,4000000,10000000`)
  await draw()
  const { seconds } = await timed(draw)
  report({
    name: `image of 2048 × 2048 of both layers, ${driver}`,
    value: `${seconds.toFixed(2)} s`,
    promised: `< ${promised.imageSeconds} s`,
    isKept: seconds < promised.imageSeconds,
  })
}

/** Serves 10,000 different tiles to 64 clients. */
async function measureMemory({ driver }: World, resources: string, server: BenchServer): Promise<void> {
  const tiles = allTiles(7).slice(0, 10_000)
  const peaks: number[] = []
  for (const half of [tiles.slice(0, 5000), tiles.slice(5000)]) {
    await manyClients.replay(tileUrls(server, resources, half))
    peaks.push((await server.peakMemory()) / 2 ** 20)
  }
  const [first = 0, second = 0] = peaks
  report({
    name: `memory after 5,000 and 10,000 PNG tiles, ${counts.manyClients} clients, ${driver}`,
    value: `${Math.round(first)} MB, ${Math.round(second)} MB`,
    promised: driver === 'postgres' ? `< ${promised.megabytes} MB` : '',
    isKept: driver === 'pglite' || Math.max(first, second) < promised.megabytes,
  })
}

async function createStyle(server: BenchServer, parent: number, style: string): Promise<number> {
  const resource = { cls: 'mapsrv_style', parent: { id: parent }, display_name: `style ${parent}` }
  const members = { resource, mapsrv_style: { xml: style } }
  return (await server.ask<{ id: number }>('POST', '/api/resource/', members)).id
}

async function startPeer({ databaseUrl, layers, folder }: World): Promise<Mapserver | undefined> {
  if (databaseUrl === undefined) return undefined
  const rows = await execute(databaseUrl, 'select resource_id as id, table_name as name from landform.layer')
  const tableOf = (layer: number) => `landform."${rows.find(({ id }) => id === layer)?.name}"`
  return startMapserver(folder, {
    url: databaseUrl,
    layers: [
      { name: 'countries', type: 'POLYGON', table: tableOf(layers.countries), style: peerStyles.countries },
      { name: 'cities', type: 'POINT', table: tableOf(layers.cities), style: peerStyles.cities },
    ],
  })
}

async function measure(world: World): Promise<void> {
  const { layers, server } = world
  const countries = await createStyle(server, layers.countries, countryXml)
  const cities = await createStyle(server, layers.cities, cityXml)
  const cases: readonly Case[] = [
    { name: 'countries', resources: `${countries}`, layers: 'countries' },
    { name: 'cities', resources: `${cities}`, layers: 'cities' },
    { name: 'both', resources: `${countries},${cities}`, layers: 'countries%20cities' },
  ]
  const peer = await startPeer(world)
  try {
    for (const one of cases) await measureTiles(world, one, peer)
  } finally {
    await peer?.stop()
  }
  const last = await world.restart()
  const both = `${countries},${cities}`
  await measureImage(world, both, last)
  await measureMemory(world, both, last)
}

try {
  await measureOnBoth(measure)
} finally {
  clients.close()
  manyClients.close()
}
