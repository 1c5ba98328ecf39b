/** Applies a thousand new resources through the program, and plans them again, on both databases. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { runLandform } from './support/program.ts'
import { report } from './support/report.ts'
import { startServer } from './support/running.ts'
import { writeTree } from './support/tree.ts'

const limits = { postgres: 5, pglite: 10, cpuSeconds: 1 } as const

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const manifest = join(folder, 'thousand.yaml')

async function measure(driver: 'postgres' | 'pglite', databaseUrl: string | undefined): Promise<void> {
  const server = await startServer({ dataFolder: join(folder, driver), databaseUrl })
  // What the program compiles it keeps: the first run of a version is not the one that people wait for.
  const plan = await runLandform(server, 'plan', manifest)
  const { out, seconds, cpuSeconds } = await runLandform(server, 'apply', manifest, '--yes')
  if (!out.includes('1,001 created')) throw new Error(out.slice(-500))
  const again = await runLandform(server, 'plan', manifest)
  if (!again.out.includes('0 changes, 1,002 unchanged')) throw new Error(again.out.slice(-500))
  await server.stop()
  const name = `apply of 1,000 new resources, ${driver}`
  report({
    name,
    value: `${seconds.toFixed(1)} s`,
    promised: `< ${limits[driver]} s`,
    isKept: seconds < limits[driver],
  })
  report({
    name: `${name}, CPU of the client`,
    value: `${cpuSeconds.toFixed(2)} s`,
    ratio: `${(cpuSeconds / plan.cpuSeconds).toFixed(2)}× its plan`,
    promised: `< ${limits.cpuSeconds} s`,
    isKept: cpuSeconds < limits.cpuSeconds,
  })
}

const cluster = await startCluster()
try {
  writeFileSync(manifest, writeTree('thousand', 10))
  await execute(cluster.url, 'create database bench_apply')
  await measure('postgres', withDatabase(cluster.url, 'bench_apply'))
  await measure('pglite', undefined)
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
