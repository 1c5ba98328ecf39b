/**
 * Applies a tree of ten thousand resources, plans it as it should be, and updates all of it; then plans trees of a thousand, ten
 * thousand and a hundred thousand resources, each on a server of its own.
 */
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

const limits = {
  cpuSeconds: 1,
  bytes: 200e6,
  seconds: 2,
  applySeconds: 20,
  hundred: { cpuSeconds: 10, bytes: 1.2e9, linearity: 0.99 },
} as const

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const cluster = await startCluster()

async function planTenThousand(server: BenchServer): Promise<void> {
  const file = join(folder, 'ten.yaml')
  writeFileSync(file, writeTree('ten', 100))
  await measureApply(server, file, { name: 'apply of 10,000 new resources', done: '10,001 created' })
  const runs: Ran[] = []
  for (let round = 0; round < rounds; round += 1) {
    const ran = await runLandform(server, 'plan', file)
    if (!ran.out.includes('0 changes, 10,002 unchanged')) throw new Error(ran.out.slice(-500))
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
  await measureApply(server, file, { name: 'apply of 10,000 updates', done: '10,001 updated' })
}

/** Groups of 100 resources that an apply creates at most; a batch has 20,000 operations. */
const groupsAtOnce = 198

interface Scale {
  readonly resources: number
  readonly cpuSeconds: number
  readonly peakBytes: number
}

/** Plans a tree without changes; returns the best of the rounds. */
async function planGroups(server: BenchServer, groups: number): Promise<Scale> {
  const file = join(folder, 'scale.yaml')
  for (let done = 0; done < groups; ) {
    done = Math.min(groups, done + groupsAtOnce)
    writeFileSync(file, writeTree('scale', done))
    await runLandform(server, 'apply', file, '--yes')
  }
  const runs: Ran[] = []
  for (let round = 0; round < rounds; round += 1) {
    const ran = await runLandform(server, 'plan', file)
    if (!ran.out.includes('0 changes')) throw new Error(ran.out.slice(-500))
    runs.push(ran)
  }
  const cpuSeconds = Math.min(...runs.map((ran) => ran.cpuSeconds))
  return { resources: groups * 100, cpuSeconds, peakBytes: Math.min(...runs.map((ran) => ran.peakBytes)) }
}

/** Coefficient of determination of the best line through the processor times. */
function linearity(scales: readonly Scale[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
  const [x, y] = [scales.map((one) => one.resources), scales.map((one) => one.cpuSeconds)] as const
  const [meanX, meanY] = [mean(x), mean(y)]
  const covariance = mean(x.map((one, at) => (one - meanX) * ((y[at] ?? 0) - meanY)))
  const variances = [x.map((one) => (one - meanX) ** 2), y.map((one) => (one - meanY) ** 2)].map(mean)
  return covariance ** 2 / ((variances[0] ?? 1) * (variances[1] ?? 1))
}

async function planScales(open: (name: string) => Promise<BenchServer>): Promise<void> {
  const scales: Scale[] = []
  for (const groups of [10, 100, 1000]) {
    const server = await open(`scale_${groups}`)
    scales.push(await planGroups(server, groups))
    await server.stop()
  }
  const largest = scales.at(-1) as Scale
  report({
    name: 'plan of 100,000 resources without changes, CPU of the client',
    value: `${largest.cpuSeconds.toFixed(2)} s`,
    ratio: `${scales.map((one) => `${one.cpuSeconds.toFixed(2)} s`).join(', ')} for 1k, 10k, 100k`,
    promised: `< ${limits.hundred.cpuSeconds} s`,
    isKept: largest.cpuSeconds < limits.hundred.cpuSeconds,
  })
  report({
    name: 'plan of 100,000 resources without changes, memory of the client',
    value: `${(largest.peakBytes / 1e6).toFixed(0)} MB`,
    promised: `< ${limits.hundred.bytes / 1e6} MB`,
    isKept: largest.peakBytes < limits.hundred.bytes,
  })
  const isLinear = linearity(scales)
  report({
    name: 'plans of 1k, 10k and 100k resources, linear growth of CPU',
    value: `R² ${isLinear.toFixed(4)}`,
    promised: `> ${limits.hundred.linearity}`,
    isKept: isLinear > limits.hundred.linearity,
  })
}

type Ran = Awaited<ReturnType<typeof runLandform>>

try {
  const open = async (name: string) => {
    await execute(cluster.url, `create database ${name}`)
    const databaseUrl = withDatabase(cluster.url, name)
    await execute(databaseUrl, 'create extension postgis')
    return startServer({ dataFolder: join(folder, name), databaseUrl })
  }
  const postgres = await open('bench_plan')
  await planTenThousand(postgres)
  await updateTenThousand(postgres)
  await postgres.stop()
  await planScales(open)
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
