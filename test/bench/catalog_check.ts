/** Checks catalogs of services on a thousand local addresses: how long it takes, and the memory it needs. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { HostTurns } from '../../src/catalog/host_turns.ts'
import { type RunSettings, runCheck } from '../../src/catalog/run_check.ts'
import { silentLog } from '../../src/core/log.ts'
import type { Database } from '../../src/database/database.ts'
import { migrate, readMigrations } from '../../src/database/migrate.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { migrationsFolder } from '../../src/store/migrations.ts'
import { startCluster } from '../support/cluster.ts'
import { report, timed } from './support/report.ts'

const promisedSeconds = 60
const promisedBytes = 256 * 2 ** 20
const hosts = 1000
const services = fork(fileURLToPath(new URL('./support/services.ts', import.meta.url)))
const [port] = (await once(services, 'message')) as [number]

/** Adds services of some kinds in turn, each on an address of its own where there are enough. */
async function fill(database: Database, kinds: readonly (readonly [string, string])[], count: number) {
  await database.query('truncate geoservice cascade')
  await database.query(
    `insert into geoservice (name, type, url, layers, layer)
     select 'Service ' || n, ($1::text[])[1 + n % cardinality($1::text[])],
            format('http://127.0.%s.%s:%s/%s/{z}/{x}/{y}', n % $3::int / 250, 1 + n % $3::int % 250, $4::int,
                   ($2::text[])[1 + n % cardinality($2::text[])]),
            'layer_1,layer_2', 'layer_3'
       from generate_series(1, $5::int) n`,
    [kinds.map(([type]) => type), kinds.map(([, path]) => path), hosts, port, count],
  )
}

/** Checks the catalog with the settings of the server, of which the time is promised, or with others. */
async function measure(name: string, database: Database, settings?: Partial<RunSettings>) {
  const isPromised = settings === undefined
  const startBytes = process.memoryUsage.rss()
  let peakBytes = startBytes
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }, 20)
  const { seconds, value } = await timed(() =>
    runCheck(database, 'all', {
      timeoutMs: 10_000,
      turns: new HostTurns(),
      allowsPrivate: () => true,
      signal: new AbortController().signal,
      onError: (error) => console.error(error),
      ...settings,
    }),
  )
  clearInterval(timer)
  const grownBytes = peakBytes - startBytes
  const { works, problematic, failed } = value
  report({
    name: `check of ${name}`,
    value: `${seconds.toFixed(1)} s (${works} work, ${problematic} problematic, ${failed} failed)`,
    promised: isPromised ? `< ${promisedSeconds} s` : '',
    isKept: !isPromised || seconds < promisedSeconds,
  })
  report({
    name: `memory for the check of ${name}`,
    value: `${Math.round(grownBytes / 2 ** 20)} MiB above ${Math.round(startBytes / 2 ** 20)} MiB`,
    promised: `< ${promisedBytes / 2 ** 20} MiB`,
    isKept: grownBytes < promisedBytes,
  })
}

const good = (['tms', 'wms', 'wfs', 'geojson'] as const).map((type) => [type, type] as const)
const silent = [...Array.from({ length: 12 }, () => good).flat(), ['tms', 'silent'] as const]
const hostile = (['wms', 'geojson'] as const).flatMap((type) =>
  ['huge', 'endless', 'bomb'].map((path) => [type, path] as const),
)

const cluster = await startCluster()
const database = await openPostgres({ url: cluster.url, log: silentLog })
try {
  await migrate(database, await readMigrations(migrationsFolder), { version: 'bench' })
  await fill(database, good, 100)
  await measure('100 services, to warm up', database)
  await fill(database, silent, 1000)
  await measure('1,000 services, of which 2 % never respond', database)
  await fill(database, good, 3000)
  await measure('3,000 services, without a limit of requests', database, {
    turns: new HostTurns({ perSecond: 10_000 }),
  })
  await fill(database, hostile, 48)
  await measure('48 services that send 10 GB or more', database, { turns: new HostTurns({ inFlight: 4 }) })
} finally {
  await database.close()
  await cluster.stop()
  services.disconnect()
}
