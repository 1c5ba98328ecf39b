/** Exports all cities of the world from PostgreSQL, against ogr2ogr from the same table. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { cityCount, writeCities } from './support/cities.ts'
import { ogrDatabase } from './support/ogr.ts'
import { median, report, timed } from './support/report.ts'
import { type BenchServer, startServer } from './support/running.ts'
import { benchPassword } from './support/server.ts'
import { importWorld } from './support/world.ts'

const rounds = 3
const memoryLimitBytes = 200e6
const firstByteMs = 100

/** How many times as long as ogr2ogr an export may take, and how ogr2ogr is told to do the same. */
const formats = {
  GeoJSON: { limit: 1 / 3, extension: 'geojson', options: [] },
  CSV: { limit: 1.2, extension: 'csv', options: ['-lco', 'GEOMETRY=AS_WKT'] },
  FlatGeobuf: { limit: 1.2, extension: 'fgb', options: [] },
  GPKG: { limit: 1.2, extension: 'gpkg', options: [] },
} as const
type Format = keyof typeof formats

/**
 * Exports a layer into a file, with a client that takes hardly any of the machine: the server and its database are what
 * is measured. Gives milliseconds to the first byte.
 */
function runOurs(url: string, file: string): number {
  const options = [
    '--globoff',
    '--silent',
    '--show-error',
    '--fail',
    '--user',
    `administrator:${benchPassword}`,
  ]
  const told = execFileSync('curl', [
    ...options,
    '--output',
    file,
    '--write-out',
    '%{time_starttransfer}',
    url,
  ])
  return Number(told) * 1000
}

function runPeer(format: Format, { file, table }: { file: string; table: Table }): void {
  rmSync(file, { force: true })
  const source = `${ogrDatabase(database)} active_schema=${table.schema}`
  const options = [...formats[format].options, '-nln', 'cities']
  execFileSync('ogr2ogr', ['-f', format, file, source, table.name, ...options], { stdio: 'inherit' })
}

interface Table {
  readonly schema: string
  readonly name: string
}

async function findTable(id: number): Promise<Table> {
  const [place] = await execute(
    database,
    `select n.nspname as schema from pg_class c join pg_namespace n on n.oid = c.relnamespace where relname = 'layer'`,
  )
  const schema = String(place?.schema)
  const [row] = await execute(
    database,
    `select table_name as name from ${schema}.layer where resource_id = ${id}`,
  )
  return { schema, name: String(row?.name) }
}

async function measure(server: BenchServer, format: Format, id: number): Promise<void> {
  const { limit, extension } = formats[format]
  const table = await findTable(id)
  const url = `${server.url}/api/resource/${id}/export?format=${format}&srs=3857&zipped=false&fid=id`
  const ours: number[] = []
  const peers: number[] = []
  const firsts: number[] = []
  const idle = await server.idleMemory()
  for (let round = 0; round < rounds; round += 1) {
    const file = join(folder, `peer.${extension}`)
    peers.push((await timed(async () => runPeer(format, { file, table }))).seconds)
    const { seconds, value } = await timed(async () => runOurs(url, join(folder, `ours.${extension}`)))
    ours.push(seconds)
    firsts.push(value)
  }
  const above = (await server.peakMemory()) - idle
  const ratio = median(ours) / median(peers)
  const isFast = format === 'GeoJSON'
  report({
    name: `export of ${cityCount} points as ${format}, PostgreSQL`,
    value: `${median(ours).toFixed(2)} s, ogr2ogr ${median(peers).toFixed(2)} s`,
    ratio: isFast ? `${(1 / ratio).toFixed(1)}× as fast as ogr2ogr` : `${ratio.toFixed(2)}× ogr2ogr`,
    promised: isFast ? '≥ 3× as fast' : `≤ ${limit}×`,
    isKept: ratio <= limit,
  })
  if (isFast)
    report({
      name: 'first byte of it',
      value: `${Math.round(median(firsts))} ms`,
      promised: `< ${firstByteMs} ms`,
      isKept: median(firsts) < firstByteMs,
    })
  report({
    name: `server memory while exporting as ${format}`,
    value: `${Math.round(above / 1e6)} MB above ${Math.round(idle / 1e6)} MB when idle`,
    promised: `< ${memoryLimitBytes / 1e6} MB`,
    isKept: above < memoryLimitBytes,
  })
}

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const cluster = await startCluster()
const database = withDatabase(cluster.url, 'export')
try {
  await execute(cluster.url, 'create database export')
  const { gpkg } = await writeCities(folder)
  const server = await startServer({ dataFolder: join(folder, 'server'), databaseUrl: database })
  const { cities } = await importWorld(server, { fields: 'all', folder, cities: gpkg })
  for (const format of Object.keys(formats) as Format[]) await measure(server, format, cities)
  await server.stop()
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
