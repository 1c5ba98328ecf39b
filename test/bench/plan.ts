/** Plans a tree of ten thousand resources that is as it should be. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { runLandform } from './support/program.ts'
import { report } from './support/report.ts'
import { type BenchServer, startServer } from './support/running.ts'
import { writeTree } from './support/tree.ts'

const limits = { planCpuSeconds: 1.5, planBytes: 250e6 } as const

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const cluster = await startCluster()

async function planTenThousand(server: BenchServer): Promise<void> {
  const file = join(folder, 'ten.yaml')
  writeFileSync(file, writeTree('ten', 100))
  await runLandform(server, 'apply', file, '--yes')
  const { out, cpuSeconds, peakBytes, seconds } = await runLandform(server, 'plan', file)
  if (!out.includes('0 changes, 10002 unchanged')) throw new Error(out.slice(-500))
  report({
    name: 'plan of 10,000 resources without changes, CPU of the client',
    value: `${cpuSeconds.toFixed(2)} s (${seconds.toFixed(1)} s in all)`,
    promised: `< ${limits.planCpuSeconds} s`,
    isKept: cpuSeconds < limits.planCpuSeconds,
  })
  report({
    name: 'plan of 10,000 resources without changes, memory of the client',
    value: `${(peakBytes / 1e6).toFixed(0)} MB`,
    promised: `< ${limits.planBytes / 1e6} MB`,
    isKept: peakBytes < limits.planBytes,
  })
}

try {
  await execute(cluster.url, 'create database bench_plan')
  const databaseUrl = withDatabase(cluster.url, 'bench_plan')
  await execute(databaseUrl, 'create extension postgis')
  const postgres = await startServer({ dataFolder: join(folder, 'postgres'), databaseUrl })
  await planTenThousand(postgres)
  await postgres.stop()
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
