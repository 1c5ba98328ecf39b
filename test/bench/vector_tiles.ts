/**
 * Serves vector tiles of countries and cities with all their fields to ten clients, cold and warm, beside Martin on the same
 * tables, if it is installed. `npm run bench -- vector_tiles`
 */
import { execute } from '../support/sql.ts'
import { measureOnBoth, type World } from './support/both.ts'
import { familyCpuSeconds, parentOf } from './support/cpu_time.ts'
import { createClients } from './support/load_client.ts'
import { hasMartin, type Martin, type MartinTable, startMartin } from './support/martin.ts'
import { median, report } from './support/report.ts'
import { sampleTiles } from './support/tile_addresses.ts'

const counts = { clients: 10, perZoom: 33, rounds: 3, warmPasses: 20 }
const promised = { cold: 1, warm: 1, warmGzip: 3 }
const clients = { plain: createClients(counts.clients), gzip: createClients(counts.clients, 'gzip') }
const sample = sampleTiles(counts.perZoom)

interface Case {
  readonly name: string
  readonly layers: readonly ('countries' | 'cities')[]
}

const cases: readonly Case[] = [
  { name: 'countries', layers: ['countries'] },
  { name: 'cities', layers: ['cities'] },
  { name: 'both', layers: ['countries', 'cities'] },
]

/** Whole geometries and all points, with the margin of Martin. Sizes tell how far the contents are equal. */
const wholeContent = 'simplification=0&padding=0.015625'

const ownUrls = (url: string, { layers }: World, one: Case) =>
  sample.map(
    (tile) =>
      `${url}/api/component/feature_layer/mvt?resource=${one.layers.map((name) => layers[name])}&${wholeContent}&${tile}`,
  )

const peerUrls = ({ url }: Martin, one: Case) =>
  sample.map((tile) => {
    const { z, x, y } = Object.fromEntries(new URLSearchParams(tile))
    return `${url}/${one.layers}/${z}/${x}/${y}`
  })

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
async function passAll(urls: readonly string[], cpu: () => Promise<number>): Promise<Passes> {
  const cold = await pass(urls, cpu)
  // The first request for compressed tiles compresses them.
  await clients.gzip.replay(urls)
  const warm = await pass(repeated(urls), cpu)
  return { cold, warm, 'warm gzip': await pass(repeated(urls), cpu, 'gzip') }
}

async function passPeer(world: World, tables: readonly MartinTable[], one: Case): Promise<Passes> {
  const databaseCpu = await watchDatabase(world.databaseUrl)
  const order = { folder: world.folder, databaseUrl: world.databaseUrl ?? '', tables, cacheMegabytes: 512 }
  const martin = await startMartin(order)
  try {
    return await passAll(peerUrls(martin, one), async () => martin.cpuSeconds() + databaseCpu())
  } finally {
    await martin.stop()
  }
}

async function passOwn(world: World, one: Case): Promise<Passes> {
  const server = await world.restart()
  const databaseCpu = await watchDatabase(world.databaseUrl)
  return passAll(ownUrls(server.url, world, one), async () => (await server.cpuSeconds()) + databaseCpu())
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
  return (['countries', 'cities'] as const).map((name) => {
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

async function measureCase(world: World, one: Case, tables: readonly MartinTable[]): Promise<void> {
  const [own, theirs]: [Passes[], Passes[]] = [[], []]
  for (let round = 0; round < counts.rounds; round += 1) {
    own.push(await passOwn(world, one))
    if (tables.length > 0) theirs.push(await passPeer(world, tables, one))
  }
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

try {
  await measureOnBoth(async (world) => {
    const tables = await findTables(world)
    for (const one of cases) await measureCase(world, one, tables)
  })
} finally {
  clients.plain.close()
  clients.gzip.close()
}
