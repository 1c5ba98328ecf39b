/** Refreshes ten thousand unchanged resources through the Pulumi provider, and previews a thousand new ones. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import { typeNameOf } from '../../src/provider/resource_type.ts'
import { startCluster } from '../support/cluster.ts'
import {
  check,
  configure,
  create,
  type Engine,
  type ReadCall,
  readAnswer,
  readRequest,
  readState,
  startEngine,
  urnOf,
} from '../support/pulumi_engine.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { runLandform } from './support/program.ts'
import { report } from './support/report.ts'
import { startServer } from './support/running.ts'
import { benchPassword } from './support/server.ts'
import { writeTree } from './support/tree.ts'

const limits = { refreshSeconds: 6, providerBytes: 300e6, previewMs: 3 } as const

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const cluster = await startCluster()

/** Runs work over items, as many at a time as the engine does. */
async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const rest = items.entries()
  const results: R[] = []
  const run = async () => {
    for (const [at, item] of rest) results[at] = await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, run))
  return results
}

/** Largest resident memory of a process. @see proc(5), VmHWM */
const peakBytes = (pid: number) =>
  Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

/** Processor time of a process. @see proc(5), stat, fields 14 and 15 */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** A resource as a stack keeps it. */
interface Known extends Required<ReadCall> {
  readonly urn: string
}

/** Imports all resources below the root, so that there is a state to refresh. */
async function importAll(engine: Engine): Promise<Known[]> {
  const found: { cls: string; id: string }[] = []
  for (const cls of ['resource_group', 'vector_layer', 'mapsrv_style', 'webmap']) {
    const request = new pb.ListRequest().setToken(`landform:index:${typeNameOf(cls)}`)
    for await (const one of engine.stream<pb.ListResponse>('list', request))
      if (one.getResult()?.getId() !== '0') found.push({ cls, id: one.getResult()?.getId() ?? '' })
  }
  return inParallel(found, async ({ cls, id }) => {
    const urn = urnOf(typeNameOf(cls), `r${id}`)
    return { urn, ...(await readState(engine, urn, { id, inputs: {} })) }
  })
}

async function refreshAll(url: string): Promise<void> {
  const settings = { server: url, password: benchPassword }
  const first = await startEngine()
  await configure(first, settings)
  const known = await importAll(first)
  await first.stop()
  const engine = await startEngine()
  await configure(engine, settings)
  // Pulumi's engine is a compiled program: what it takes to write and read messages in JavaScript is not measured.
  const requests = known.map(({ urn, ...state }) => Buffer.from(readRequest(urn, state).serializeBinary()))
  const cpuBefore = cpuSeconds(engine.pid)
  const start = performance.now()
  const answers = await inParallel(requests, (request) => engine.send('Read', request))
  const seconds = (performance.now() - start) / 1000
  const bytes = peakBytes(engine.pid)
  const differing = known.filter(({ inputs }, at) => {
    const now = readAnswer(pb.ReadResponse.deserializeBinary(answers[at] as Buffer))
    return JSON.stringify(now.inputs) !== JSON.stringify(inputs)
  }).length
  if (differing > 0) throw new Error(`${differing} of ${known.length} resources differ`)
  report({
    name: `Pulumi: refresh of ${known.length} unchanged resources, wall`,
    value: `${seconds.toFixed(1)} s (${(cpuSeconds(engine.pid) - cpuBefore).toFixed(1)} s of provider CPU)`,
    promised: `< ${limits.refreshSeconds} s`,
    isKept: seconds < limits.refreshSeconds,
  })
  report({
    name: 'Pulumi: the same, memory of the provider',
    value: `${(bytes / 1e6).toFixed(0)} MB`,
    promised: `< ${limits.providerBytes / 1e6} MB`,
    isKept: bytes < limits.providerBytes,
  })
  await engine.stop()
}

async function previewThousand(url: string): Promise<void> {
  const engine = await startEngine()
  await configure(engine, { server: url, password: benchPassword })
  const urns = Array.from({ length: 1001 }, (_, at) => urnOf('ResourceGroup', `new ${at}`))
  const preview = async (urn: string) => {
    const { inputs } = await check(engine, urn, { description: 'a new group', resmeta: { a: 1 } })
    await create(engine, urn, inputs, true)
  }
  // The first one reads the tree.
  const [first = '', ...rest] = urns
  await preview(first)
  const before = cpuSeconds(engine.pid)
  await inParallel(rest, preview)
  const ms = cpuSeconds(engine.pid) - before
  report({
    name: 'Pulumi: preview of 1,000 resources, provider CPU a resource',
    value: `${ms.toFixed(2)} ms`,
    promised: `<= ${limits.previewMs} ms`,
    isKept: ms <= limits.previewMs,
  })
  await engine.stop()
}

try {
  await execute(cluster.url, 'create database bench_pulumi')
  const databaseUrl = withDatabase(cluster.url, 'bench_pulumi')
  await execute(databaseUrl, 'create extension postgis')
  const server = await startServer({ dataFolder: join(folder, 'data'), databaseUrl })
  const file = join(folder, 'ten.yaml')
  writeFileSync(file, writeTree('ten', 100))
  await runLandform(server, 'apply', file, '--yes')
  await refreshAll(server.url)
  await previewThousand(server.url)
  await server.stop()
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
