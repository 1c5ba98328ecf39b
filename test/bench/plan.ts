/** Plans a tree of ten thousand resources that is as it should be, and applies one of a thousand from nothing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { report } from './support/report.ts'
import { type BenchServer, startServer } from './support/running.ts'
import { benchPassword } from './support/server.ts'
import { writeTree } from './support/tree.ts'

const limits = { planCpuSeconds: 1.5, planBytes: 250e6, postgres: 5, pglite: 10 } as const

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const cluster = await startCluster()

interface Run {
  readonly out: string
  readonly seconds: number
  /** User and system time of the process, its start included. */
  readonly cpuSeconds: number
  readonly peakBytes: number
}

/** Runs the program in a process of its own, as from a shell. */
async function run(server: BenchServer, ...words: string[]): Promise<Run> {
  const program = fileURLToPath(new URL('./support/landform.ts', import.meta.url))
  const env = {
    ...process.env,
    LANDFORM_SERVER: server.url,
    LANDFORM_USER: 'administrator',
    LANDFORM_PASSWORD: benchPassword,
  }
  const started = performance.now()
  const child = spawn(process.execPath, [program, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  let out = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk
  })
  const used = once(child, 'message')
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`landform ${words.join(' ')} ended with code ${code}\n${out}`)
  const [{ cpuSeconds, peakBytes }] = (await used) as [Omit<Run, 'out' | 'seconds'>]
  return { out, seconds: (performance.now() - started) / 1000, cpuSeconds, peakBytes }
}

/** Applies a thousand new resources, and gives the seconds. */
async function applyThousand(server: BenchServer, driver: 'postgres' | 'pglite'): Promise<void> {
  const file = join(folder, `thousand-${driver}.yaml`)
  writeFileSync(file, writeTree('thousand', 10))
  const { out, seconds } = await run(server, 'apply', file, '--yes')
  if (!out.includes('1001 created')) throw new Error(out.slice(-500))
  report({
    name: `apply of 1,000 new resources, ${driver}`,
    value: `${seconds.toFixed(1)} s`,
    promised: `< ${limits[driver]} s`,
    isKept: seconds < limits[driver],
  })
}

async function planTenThousand(server: BenchServer): Promise<void> {
  const file = join(folder, 'ten.yaml')
  writeFileSync(file, writeTree('ten', 100))
  await run(server, 'apply', file, '--yes')
  const { out, cpuSeconds, peakBytes, seconds } = await run(server, 'plan', file)
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
  await applyThousand(postgres, 'postgres')
  await planTenThousand(postgres)
  await postgres.stop()
  const pglite = await startServer({ dataFolder: join(folder, 'pglite') })
  await applyThousand(pglite, 'pglite')
  await pglite.stop()
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
