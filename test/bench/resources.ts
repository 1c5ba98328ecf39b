/** Creates and reads resources over HTTP, and reads a tree of 10,000, on both databases. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { report, timed } from './support/report.ts'
import { type BenchServer, startServer } from './support/running.ts'

const drivers = ['postgres', 'pglite'] as const
type Driver = (typeof drivers)[number]
const creationLimits: Record<Driver, number> = { postgres: 5, pglite: 10 }
const parallel = 8

/** Does a numbered piece of work so many times, a few at once. */
async function repeat(times: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < times) await work(next++)
  }
  await Promise.all(Array.from({ length: parallel }, worker))
}

const group = (parent: number, display_name: string) => ({
  resource: { cls: 'resource_group', parent: { id: parent }, display_name },
})

async function measureCreation(server: BenchServer, driver: Driver): Promise<number> {
  const { id } = await server.ask<{ id: number }>('POST', '/api/resource/', group(0, 'Created'))
  const count = 1000
  const { seconds } = await timed(() =>
    repeat(count, (at) => server.ask('POST', '/api/resource/', group(id, `n${at}`))),
  )
  report({
    name: `1,000 creations, ${driver}`,
    value: `${seconds.toFixed(1)} s, ${Math.round(count / seconds)}/s`,
    promised: `under ${creationLimits[driver]} s`,
    isKept: seconds < creationLimits[driver],
  })
  return id
}

async function measureReading(server: BenchServer, driver: Driver, id: number): Promise<void> {
  const count = 3000
  const { seconds } = await timed(() => repeat(count, () => server.ask('GET', `/api/resource/${id}`)))
  const rate = count / seconds
  report({
    name: `reading one resource, ${driver}`,
    value: `${Math.round(rate)}/s`,
    promised: 'over 300/s',
    isKept: rate > 300,
  })
}

async function measureTree(server: BenchServer, driver: Driver): Promise<void> {
  const { id } = await server.ask<{ id: number }>('POST', '/api/resource/', group(0, 'Tree'))
  await repeat(9000, (at) => server.ask('POST', '/api/resource/', group(id, `n${at}`)))
  const search = () => server.ask<unknown[]>('GET', '/api/resource/search/?serialization=full')
  const { value, seconds } = await timed(search)
  report({
    name: `${value.length} whole representations, ${driver}`,
    value: `${seconds.toFixed(2)} s`,
    promised: 'under 2 s',
    isKept: seconds < 2,
  })
}

async function measure(driver: Driver, databaseUrl: string | undefined): Promise<void> {
  const server = await startServer({ dataFolder: join(folder, driver), databaseUrl })
  try {
    const id = await measureCreation(server, driver)
    await measureReading(server, driver, id)
    await measureTree(server, driver)
  } finally {
    await server.stop()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const cluster = await startCluster()
try {
  await execute(cluster.url, 'create database resources')
  await measure('postgres', withDatabase(cluster.url, 'resources'))
  await measure('pglite', undefined)
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
