/** Imports the cities of the world of which one in a hundred is bad, against `ogr2ogr -skipfailures`. */
import { execFileSync } from 'node:child_process'
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { cityFields, writeBadCities } from './support/bad_cities.ts'
import { cellsOfCity, cityColumns, cityCount, citySource } from './support/cities.ts'
import { ogrDatabase } from './support/ogr.ts'
import { median, report, timed } from './support/report.ts'
import { type BenchServer, startServer } from './support/running.ts'

const rounds = 3
const promisedRatio = 30

/** Types of the columns, as ogr2ogr is told of them. @see https://gdal.org/drivers/vector/csv.html .csvt */
const csvTypes = {
  INTEGER: 'Integer',
  BIGINT: 'Integer64',
  REAL: 'Real',
  STRING: 'String',
  DATE: 'Date',
} as const

/** Rows that ogr2ogr is given: it would need minutes for all. */
const peerRows = 20_000

/** Rows a second of ogr2ogr, which commits each of them by itself to pass over errors. */
async function runPeer(file: string, database: string): Promise<number> {
  const types = cityColumns.map((name) => {
    const field = cityFields.find(({ keyname }) => keyname === name)
    return csvTypes[field?.datatype ?? 'REAL']
  })
  writeFileSync(file.replace(/csv$/, 'csvt'), types.join(','))
  const target = ogrDatabase(database)
  const columns = ['-oo', 'X_POSSIBLE_NAMES=longitude', '-oo', 'Y_POSSIBLE_NAMES=latitude']
  const systems = ['-s_srs', 'EPSG:4326', '-t_srs', 'EPSG:3857', '-nln', 'peer', '-skipfailures']
  const some = ['-limit', String(peerRows), '--config', 'PG_USE_COPY', 'NO']
  const options = [...columns, ...systems, ...some]
  const { seconds } = await timed(async () =>
    execFileSync('ogr2ogr', ['-f', 'PostgreSQL', target, file, ...options], { stdio: 'ignore' }),
  )
  return peerRows / seconds
}

interface Made {
  readonly id: number
  readonly report: { readonly feature_count: number; readonly bad_count: number; readonly bad: object[] }
}

/** Seconds from the first byte of the upload to a layer that is ready. */
async function runOurs(file: string, server: BenchServer): Promise<{ seconds: number; value: Made }> {
  return timed(async () => {
    const source = await server.upload(file)
    return server.ask<Made>('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: crypto.randomUUID() },
      vector_layer: { srs: { id: 3857 }, source, skip_errors: true },
      feature_layer: { fields: cityFields },
    })
  })
}

/** Rows as text, by the id of the city: all that is good, as it has to be in the table. */
async function readExpected(bad: ReadonlySet<number>): Promise<Map<number, string>> {
  const expected = new Map<number, string>()
  for await (const line of createInterface({ input: createReadStream(citySource) })) {
    const cells = cellsOfCity(line)
    const id = Number(cells[0])
    if (bad.has(id)) continue
    const values = cityFields.map(({ keyname }) => cells[cityColumns.indexOf(keyname)] ?? '')
    expected.set(id, JSON.stringify(values))
  }
  return expected
}

/** Counts rows that are not what the file says. */
async function countWrong(url: string, id: number, expected: ReadonlyMap<number, string>): Promise<number> {
  const [place] = await execute(
    url,
    `select n.nspname as schema from pg_class c join pg_namespace n on n.oid = c.relnamespace where relname = 'layer'`,
  )
  const schema = String(place?.schema)
  const [layer] = await execute(
    url,
    `select table_name as name from ${schema}.layer where resource_id = ${id}`,
  )
  const fields = await execute(
    url,
    `select keyname, column_name as column from ${schema}.layer_field where layer_id = ${id}`,
  )
  const columns = cityFields.map(({ keyname }) => {
    return `coalesce(${fields.find((field) => field.keyname === keyname)?.column}::text, '')`
  })
  const rows = await execute(
    url,
    `select array[${columns.join(', ')}] as values from ${schema}.${layer?.name} where geom is not null`,
  )
  const wrong = rows.filter(({ values }) => {
    const cells = values as string[]
    return expected.get(Number(cells[0])) !== JSON.stringify(cells)
  })
  return wrong.length + Math.abs(rows.length - expected.size)
}

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
// Each row that ogr2ogr commits waits for the disk, as it does where data are to last.
const cluster = await startCluster({ isDurable: true })
const database = withDatabase(cluster.url, 'bench')
try {
  await execute(cluster.url, 'create database bench')
  await execute(database, 'create extension postgis')
  const file = join(folder, 'cities.csv')
  const bad = await writeBadCities(file)
  const expected = await readExpected(bad)
  const server = await startServer({ dataFolder: join(folder, 'server'), databaseUrl: database })
  const ours: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const { seconds, value } = await runOurs(file, server)
    ours.push(seconds)
    const { feature_count, bad_count } = value.report
    const wrong = await countWrong(database, value.id, expected)
    if (round === 0)
      report({
        name: `${bad.size} bad rows among ${cityCount}`,
        value: `${bad_count} told, ${feature_count} loaded, ${wrong} of them wrong`,
        promised: 'all told, none wrong',
        isKept: bad_count === bad.size && wrong === 0 && feature_count === cityCount - bad.size,
      })
    await server.ask('DELETE', `/api/resource/${value.id}`)
  }
  await server.stop()
  const peer = await runPeer(file, database)
  const taken = `select count(*) from peer where geonameid in (${[...bad].join(',')})`
  const [wrong] = await execute(database, taken)
  const speed = cityCount / median(ours)
  const isMade = `${wrong?.count} of ${peerRows / 100} bad rows made something else`
  report({
    name: 'import with skip_errors, postgres',
    value: `${median(ours).toFixed(2)} s, ${Math.round(speed)} rows/s; ogr2ogr ${Math.round(peer)} rows/s, ${isMade}`,
    ratio: `${(speed / peer).toFixed(0)}× as fast as ogr2ogr -skipfailures`,
    promised: `≥ ${promisedRatio}×`,
    isKept: speed / peer >= promisedRatio,
  })
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
