/** Imports the cities of the world from upload to ready layer, against ogr2ogr into the same PostgreSQL. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { cityCount, writeCities } from './support/cities.ts'
import { ogrDatabase } from './support/ogr.ts'
import { median, report, timed } from './support/report.ts'
import { type BenchServer, startServer } from './support/running.ts'

const rounds = 5
const limits = { postgres: 1.2, pglite: 2.5 } as const
const memoryLimitBytes = 400e6

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const cluster = await startCluster()

/** Seconds that ogr2ogr takes to copy a file into a table. */
async function runPeer(file: string, database: string): Promise<number> {
  const target = ogrDatabase(database)
  await execute(database, 'drop table if exists peer')
  const table = file.endsWith('.csv')
    ? [
        '-oo',
        'X_POSSIBLE_NAMES=longitude',
        '-oo',
        'Y_POSSIBLE_NAMES=latitude',
        '-oo',
        'AUTODETECT_TYPE=YES',
        '-oo',
        'AUTODETECT_SIZE_LIMIT=0',
      ]
    : []
  const options = [
    '--config',
    'PG_USE_COPY',
    'YES',
    '-nln',
    'peer',
    '-s_srs',
    'EPSG:4326',
    '-t_srs',
    'EPSG:3857',
  ]
  const { seconds } = await timed(async () =>
    execFileSync('ogr2ogr', ['-f', 'PostgreSQL', target, file, ...options, ...table], { stdio: 'inherit' }),
  )
  return seconds
}

/** Seconds from the first byte of the upload to a layer that is ready. */
async function runOurs(file: string, server: BenchServer): Promise<number> {
  const { seconds, value: id } = await timed(async () => {
    const upload = await server.upload(file)
    const made = await server.ask<{ id: number }>('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: crypto.randomUUID() },
      vector_layer: { srs: { id: 3857 }, source: upload },
    })
    return made.id
  })
  const { total_count } = await server.ask<{ total_count: number }>(
    'GET',
    `/api/resource/${id}/feature_count`,
  )
  if (total_count !== cityCount) throw new Error(`${total_count} of ${cityCount} cities arrived`)
  await server.ask('DELETE', `/api/resource/${id}`)
  return seconds
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

async function measure(
  driver: keyof typeof limits,
  files: readonly string[],
  database: string,
): Promise<void> {
  const databaseUrl = driver === 'postgres' ? database : undefined
  const server = await startServer({ dataFolder: join(folder, driver), databaseUrl })
  const idle = await server.idleMemory()
  for (const file of files) {
    const ours: number[] = []
    const peers: number[] = []
    for (let round = 0; round < rounds; round++) {
      peers.push(await runPeer(file, database))
      ours.push(await runOurs(file, server))
    }
    const ratio = median(ours) / median(peers)
    report({
      name: `import of ${cityCount} points, ${basename(file)}, ${driver}`,
      value: `${median(ours).toFixed(2)} s, ${Math.round(cityCount / median(ours))} features/s`,
      ratio: `${ratio.toFixed(2)}× ogr2ogr`,
      promised: `≤ ${limits[driver]}×`,
      isKept: ratio <= limits[driver],
    })
  }
  const above = (await server.peakMemory()) - idle
  report({
    name: `server memory while importing, ${driver}`,
    value: `${megabytes(above)} above ${megabytes(idle)} when idle`,
    promised: `< ${megabytes(memoryLimitBytes)}`,
    isKept: above < memoryLimitBytes,
  })
  await server.stop()
}

try {
  const database = withDatabase(cluster.url, 'bench')
  await execute(cluster.url, 'create database bench')
  await execute(database, 'create extension postgis')
  const { gpkg, csv, geojson } = await writeCities(folder)
  await measure('postgres', [gpkg, csv, geojson], database)
  await measure('pglite', [gpkg, csv, geojson], database)
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
