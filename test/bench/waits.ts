/** Sends every heavy request, on both databases: how long a light read of somebody else waits meanwhile. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from '../support/cluster.ts'
import { measureWaits } from '../support/heavy_requests.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { report } from './support/report.ts'
import { startServer } from './support/running.ts'
import { benchPassword } from './support/server.ts'

const size = { resources: 9999, points: 200_000, positions: 40_000 }
const promisedMs = 1000

async function measure(driver: string, dataFolder: string, databaseUrl?: string): Promise<void> {
  const server = await startServer({ dataFolder, ...(databaseUrl === undefined ? {} : { databaseUrl }) })
  for await (const { route, ms, reads, longestMs } of measureWaits(
    { ...server, password: benchPassword },
    size,
  ))
    report({
      name: `longest wait of others beside ${route}, ${driver}`,
      value: `${Math.round(longestMs)} ms (${reads} reads in ${(ms / 1000).toFixed(1)} s)`,
      promised: `< ${promisedMs} ms`,
      isKept: longestMs < promisedMs,
    })
  await server.stop()
}

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const cluster = await startCluster()
try {
  await execute(cluster.url, 'create database waits')
  await measure('postgres', join(folder, 'postgres'), withDatabase(cluster.url, 'waits'))
  await measure('pglite', join(folder, 'pglite'))
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
