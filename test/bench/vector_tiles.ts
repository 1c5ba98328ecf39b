/**
 * Serves vector tiles of regions and cities with their names to ten clients, cold and warm, beside PostgreSQL alone, and
 * beside Martin on the same tables, if it is installed. The contents are compared first: tiles that are not equal, because they have
 * more features than the limit, are left out. `npm run bench -- vector_tiles`
 */
import { execute } from '../support/sql.ts'
import { measureOnBoth, type World } from './support/both.ts'
import { familyCpuSeconds, parentOf } from './support/cpu_time.ts'
import { compareTiles } from './support/equal_tiles.ts'
import { authorization, createClients, replay } from './support/load_client.ts'
import { hasMartin, type Martin, type MartinTable, startMartin } from './support/martin.ts'
import { median, report } from './support/report.ts'
import { otherTiles, sampleTiles, type TileQuery } from './support/tile_addresses.ts'
import { openTileFloor, type TileFloor } from './support/tile_floor.ts'

const counts = { clients: 10, perZoom: 33, rounds: 3, warmPasses: 20 }
const promised = { cold: 1, warm: 1, warmGzip: 3 }
const clients = { plain: createClients(counts.clients), gzip: createClients(counts.clients, 'gzip') }
const sample = sampleTiles(counts.perZoom)

interface Case {
  readonly name: string
  readonly layers: readonly ('regions' | 'cities')[]
  /** In units; the tiles of others have all features, and whole geometries. */
  readonly simplification: 0 | 8
}

const cases: readonly Case[] = [
  { name: 'regions', layers: ['regions'], simplification: 0 },
  { name: 'regions, simplification 8', layers: ['regions'], simplification: 8 },
  { name: 'cities', layers: ['cities'], simplification: 0 },
  { name: 'cities, simplification 8', layers: ['cities'], simplification: 8 },
  { name: 'both', layers: ['regions', 'cities'], simplification: 0 },
  { name: 'both, simplification 8', layers: ['regions', 'cities'], simplification: 8 },
]

/** The margin of Martin. */
const margin = 'padding=0.015625'

const idsOf = ({ layers }: World, one: Case) => one.layers.map((name) => layers[name])

type ToUrl = (tile: TileQuery) => string

const ownUrl =
  (url: string, world: World, one: Case): ToUrl =>
  (tile) =>
    `${url}/api/component/feature_layer/mvt?resource=${idsOf(world, one)}&simplification=${one.simplification}&${margin}&${tile}`

const peerUrl =
  ({ url }: Martin, one: Case): ToUrl =>
  (tile) => {
    const { z, x, y } = Object.fromEntries(new URLSearchParams(tile))
    return `${url}/${one.layers}/${z}/${x}/${y}`
  }

/** Returns the tiles whose content is that of PostgreSQL alone, and reports the others. */
async function findEqualTiles(world: World, floor: TileFloor): Promise<TileQuery[]> {
  const whole: Case = { name: 'both', layers: ['regions', 'cities'], simplification: 0 }
  const toUrl = ownUrl((await world.restart()).url, world, whole)
  const found = new Map<TileQuery, ReturnType<typeof compareTiles>>()
  for (const tile of sample) {
    const answer = await fetch(toUrl(tile), { headers: { authorization } })
    const own = new Uint8Array(await answer.arrayBuffer())
    const ids = idsOf(world, whole)
    found.set(tile, compareTiles(own, await floor.encode(tile, ids), ids))
  }
  const count = (kind: ReturnType<typeof compareTiles>) =>
    [...found.values()].filter((one) => one === kind).length
  report({
    name: `vector tiles with the content of ST_AsMVT, ${world.driver}`,
    value: `${count('equal')} of ${sample.length}, ${count('beyond the limit')} beyond the limit, ${count('different')} different`,
    promised: '0 different',
    isKept: count('different') === 0,
  })
  return sample.filter((tile) => found.get(tile) === 'equal')
}

interface Pass {
  readonly rate: number
  readonly cpuMs: number
  /** Average size of a tile, as sent. */
  readonly kilobytes: number
}

/** Replays tiles, and measures the rate, and the processor time of each tile. */
async function pass(
  urls: readonly string[],
  cpu: () => Promise<number>,
  by: keyof typeof clients = 'plain',
): Promise<Pass> {
  const before = await cpu()
  const { seconds, bytes } = await clients[by].replay(urls)
  const cpuMs = (1000 * ((await cpu()) - before)) / urls.length
  const sum = [...bytes.values()].reduce((total, one) => total + one, 0)
  return { rate: urls.length / seconds, cpuMs, kilobytes: sum / bytes.size / 1000 }
}

const repeated = (urls: readonly string[]) => Array.from({ length: counts.warmPasses }, () => urls).flat()

type Passes = Record<'cold' | 'warm' | 'warm gzip', Pass>

/** Asks a server that has just started for all tiles, and again. */
async function passAll(
  tiles: readonly TileQuery[],
  toUrl: ToUrl,
  cpu: () => Promise<number>,
): Promise<Passes> {
  await clients.plain.replay(otherTiles.map(toUrl))
  const urls = tiles.map(toUrl)
  const cold = await pass(urls, cpu)
  // The first request for compressed tiles compresses them.
  await clients.gzip.replay(urls)
  const warm = await pass(repeated(urls), cpu)
  return { cold, warm, 'warm gzip': await pass(repeated(urls), cpu, 'gzip') }
}

/** What a case is measured with. */
interface Rivals {
  readonly tiles: readonly TileQuery[]
  /** Tables for Martin; empty if it is not installed. */
  readonly tables: readonly MartinTable[]
  /** PostgreSQL alone. */
  readonly floor?: TileFloor
}

async function passPeer(world: World, one: Case, { tables, tiles }: Rivals): Promise<Passes> {
  const databaseCpu = await watchDatabase(world.databaseUrl)
  const order = { folder: world.folder, databaseUrl: world.databaseUrl ?? '', tables, cacheMegabytes: 512 }
  const martin = await startMartin(order)
  try {
    return await passAll(tiles, peerUrl(martin, one), async () => martin.cpuSeconds() + databaseCpu())
  } finally {
    await martin.stop()
  }
}

async function passOwn(world: World, one: Case, { tiles }: Rivals): Promise<Passes> {
  const server = await world.restart()
  const databaseCpu = await watchDatabase(world.databaseUrl)
  const cpu = async () => (await server.cpuSeconds()) + databaseCpu()
  return passAll(tiles, ownUrl(server.url, world, one), cpu)
}

/** Lets PostgreSQL alone encode the tiles; the processor time is only that of the database. */
async function passFloor(world: World, one: Case, { tiles, floor }: Rivals): Promise<Pass[]> {
  if (floor === undefined) return []
  const cpu = await watchDatabase(world.databaseUrl)
  const ids = idsOf(world, one)
  const encode = async (tile: string) => (await floor.encode(tile as TileQuery, ids)).length
  await replay(otherTiles, counts.clients, encode)
  const before = cpu()
  const { seconds, bytes } = await replay(tiles, counts.clients, encode)
  const sum = [...bytes.values()].reduce((total, size) => total + size, 0)
  const cpuMs = (1000 * (cpu() - before)) / tiles.length
  return [{ rate: tiles.length / seconds, cpuMs, kilobytes: sum / bytes.size / 1000 }]
}

/** Returns a function for the processor time of a database server; 0 for the embedded database. */
async function watchDatabase(url: string | undefined): Promise<() => number> {
  if (url === undefined) return () => 0
  const rows = await execute(url, 'select pid from pg_stat_activity where pid <> pg_backend_pid()')
  const pid = rows.map((row) => parentOf(Number(row.pid))).find((parent) => parent > 0) ?? 0
  return () => familyCpuSeconds(pid)
}

/** Lists the tables of the layers with the columns of their fields. */
async function findTables({ databaseUrl, layers }: World): Promise<MartinTable[]> {
  if (databaseUrl === undefined || !hasMartin()) return []
  const rows = await execute(
    databaseUrl,
    `select resource_id as id, table_name as name,
            (select json_object_agg(column_name, data_type) from information_schema.columns c
              where table_schema = 'landform' and c.table_name = l.table_name
                and column_name not in ('id', 'geom')) as columns
       from landform.layer l`,
  )
  return (['regions', 'cities'] as const).map((name) => {
    const row = rows.find(({ id }) => id === layers[name])
    const geometryType = name === 'cities' ? 'POINT' : 'MULTIPOLYGON'
    const columns = (row?.columns ?? {}) as Record<string, string>
    return { name, schema: 'landform', table: String(row?.name), geometryType, columns }
  })
}

function describe(passes: readonly Pass[]): string {
  const middle = (name: keyof Pass) => median(passes.map((one) => one[name]))
  return `${Math.round(middle('rate'))}/s, ${middle('cpuMs').toFixed(2)} CPU-ms, ${middle('kilobytes').toFixed(1)} kB`
}

async function measureCase(world: World, one: Case, rivals: Rivals): Promise<void> {
  const [own, theirs, floor]: [Passes[], Passes[], Pass[]] = [[], [], []]
  for (let round = 0; round < counts.rounds; round += 1) {
    own.push(await passOwn(world, one, rivals))
    if (rivals.tables.length > 0) theirs.push(await passPeer(world, one, rivals))
    floor.push(...(await passFloor(world, one, rivals)))
  }
  if (floor.length > 0)
    report({
      name: `vector tiles of ST_AsMVT alone, ${one.name}, ${counts.clients} connections`,
      value: describe(floor),
      promised: '',
      isKept: true,
    })
  const kinds = [
    ['cold', promised.cold],
    ['warm', promised.warm],
    ['warm gzip', promised.warmGzip],
  ] as const
  for (const [kind, least] of kinds) {
    const ratio = median(theirs.map((peer, at) => (own[at]?.[kind].rate ?? 0) / peer[kind].rate))
    const isCompared = theirs.length > 0
    report({
      name: `vector tiles ${kind}, ${one.name}, ${counts.clients} clients, ${world.driver}`,
      value: describe(own.map((passes) => passes[kind])),
      ...(isCompared
        ? { ratio: `${ratio.toFixed(2)}× Martin (${describe(theirs.map((passes) => passes[kind]))})` }
        : {}),
      promised: isCompared ? `≥ ${least}×` : '',
      isKept: !isCompared || ratio >= least,
    })
  }
}

async function measure(world: World): Promise<void> {
  if (world.databaseUrl === undefined) {
    for (const one of cases) await measureCase(world, one, { tiles: sample, tables: [] })
    return
  }
  const floor = await openTileFloor(world.databaseUrl, counts.clients)
  try {
    const tiles = await findEqualTiles(world, floor)
    const rivals = { tiles, tables: await findTables(world), floor }
    for (const one of cases) await measureCase(world, one, rivals)
  } finally {
    await floor.close()
  }
}

try {
  await measureOnBoth(measure, { fields: 'name' })
} finally {
  clients.plain.close()
  clients.gzip.close()
}
