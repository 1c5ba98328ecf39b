/** Applies a tree of ten thousand resources, plans it as it should be, and updates all of it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { runLandform } from './support/program.ts'
import { report } from './support/report.ts'
import { type BenchServer, startServer } from './support/running.ts'
import { writeTree } from './support/tree.ts'

/** Figures are the best of so many plans. */
const rounds = 3

const limits = { cpuSeconds: 1, bytes: 200e6, seconds: 2, applySeconds: 20 } as const

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const cluster = await startCluster()

async function planTenThousand(server: BenchServer): Promise<void> {
  const file = join(folder, 'ten.yaml')
  writeFileSync(file, writeTree('ten', 100))
  await measureApply(server, file, { name: 'apply of 10,000 new resources', done: '10001 created' })
  const runs: Ran[] = []
  for (let round = 0; round < rounds; round += 1) {
    const ran = await runLandform(server, 'plan', file)
    if (!ran.out.includes('0 changes, 10002 unchanged')) throw new Error(ran.out.slice(-500))
    runs.push(ran)
  }
  const best = (figure: (ran: Ran) => number) => Math.min(...runs.map(figure))
  const name = 'plan of 10,000 resources without changes'
  const cpuSeconds = best((ran) => ran.cpuSeconds)
  const peakBytes = best((ran) => ran.peakBytes)
  const seconds = best((ran) => ran.seconds)
  report({
    name: `${name}, CPU of the client`,
    value: `${cpuSeconds.toFixed(2)} s`,
    promised: `< ${limits.cpuSeconds} s`,
    isKept: cpuSeconds < limits.cpuSeconds,
  })
  report({
    name: `${name}, memory of the client`,
    value: `${(peakBytes / 1e6).toFixed(0)} MB`,
    promised: `< ${limits.bytes / 1e6} MB`,
    isKept: peakBytes < limits.bytes,
  })
  report({
    name: `${name}, wall time`,
    value: `${seconds.toFixed(1)} s`,
    promised: `< ${limits.seconds} s`,
    isKept: seconds < limits.seconds,
  })
}

interface MeasuredApply {
  readonly name: string
  /** Part of the report of the apply. */
  readonly done: string
}

async function measureApply(server: BenchServer, file: string, { name, done }: MeasuredApply): Promise<void> {
  const { out, seconds } = await runLandform(server, 'apply', file, '--yes')
  if (!out.includes(done)) throw new Error(out.slice(-500))
  report({
    name,
    value: `${seconds.toFixed(1)} s`,
    promised: `< ${limits.applySeconds} s`,
    isKept: seconds < limits.applySeconds,
  })
}

/** Gives every resource another description. */
async function updateTenThousand(server: BenchServer): Promise<void> {
  const file = join(folder, 'ten.yaml')
  const text = writeTree('ten', 100).replaceAll(/^( *)cls: .*$/gm, '$&\n$1description: Changed')
  writeFileSync(file, text)
  await measureApply(server, file, { name: 'apply of 10,000 updates', done: '10001 updated' })
}

type Ran = Awaited<ReturnType<typeof runLandform>>

try {
  await execute(cluster.url, 'create database bench_plan')
  const databaseUrl = withDatabase(cluster.url, 'bench_plan')
  await execute(databaseUrl, 'create extension postgis')
  const postgres = await startServer({ dataFolder: join(folder, 'postgres'), databaseUrl })
  await planTenThousand(postgres)
  await updateTenThousand(postgres)
  await postgres.stop()
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
