/** Lists all cities of the world, on both databases: how fast, in how much memory, and beside readers at 1 kB a second. */
import { get, type IncomingMessage } from 'node:http'
import { measureOnBoth } from './support/both.ts'
import { cityCount } from './support/cities.ts'
import { median, report, timed } from './support/report.ts'
import type { BenchServer } from './support/running.ts'
import { benchPassword } from './support/server.ts'

const memoryLimitBytes = 400e6
const slowReaders = 12
const slowBytesPerSecond = 1000
const besides = 20

const authorization = `Basic ${Buffer.from(`administrator:${benchPassword}`).toString('base64')}`

function open(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { authorization } }, resolve).on('error', reject)
  })
}

/** Reads a list to its end; gives milliseconds to the first byte, and all bytes. */
async function readList(url: string): Promise<{ readonly firstMs: number; readonly bytes: number }> {
  const start = performance.now()
  let [firstMs, bytes] = [0, 0]
  for await (const chunk of await open(url)) {
    if (bytes === 0) firstMs = performance.now() - start
    bytes += (chunk as Buffer).length
  }
  return { firstMs, bytes }
}

/** Starts to read a list so slowly that it takes days; gives what ends it. */
async function readSlowly(url: string): Promise<() => void> {
  const answer = await open(url)
  answer.on('error', () => undefined)
  answer.pause()
  const timer = setInterval(() => answer.read(slowBytesPerSecond), 1000)
  return () => {
    clearInterval(timer)
    answer.destroy()
  }
}

async function measureSpeed(server: BenchServer, driver: string, url: string): Promise<void> {
  const rounds = []
  for (let round = 0; round < 3; round += 1) rounds.push(await timed(() => readList(url)))
  const seconds = median(rounds.map((round) => round.seconds))
  const { firstMs, bytes } = rounds[0]?.value ?? { firstMs: 0, bytes: 0 }
  report({
    name: `list of ${cityCount} features, ${driver}`,
    value: `${Math.round(cityCount / seconds)} features/s, ${Math.round(bytes / 1e6)} MB, first byte after ${Math.round(firstMs)} ms`,
    promised: '',
    isKept: (await server.ask<object[]>('GET', `${new URL(url).pathname}?extensions=`)).length === cityCount,
  })
}

async function measureSlow(server: BenchServer, driver: string, url: string): Promise<void> {
  const idle = await server.idleMemory()
  const ends = await Promise.all(Array.from({ length: slowReaders }, () => readSlowly(url)))
  const waits: number[] = []
  for (let nth = 0; nth < besides; nth += 1) {
    waits.push((await timed(() => server.ask('GET', `${new URL(url).pathname}${1000 * nth + 1}`))).seconds)
  }
  for (const end of ends) end()
  const above = (await server.peakMemory()) - idle
  report({
    name: `reads of one feature beside ${slowReaders} lists read at 1 kB/s, ${driver}`,
    value: `${Math.round(median(waits) * 1000)} ms, at most ${Math.round(Math.max(...waits) * 1000)} ms`,
    promised: 'blocks nobody',
    isKept: Math.max(...waits) < 30,
  })
  report({
    name: `server memory while ${slowReaders} lists of ${cityCount} features are read at 1 kB/s, ${driver}`,
    value: `${Math.round(above / 1e6)} MB above ${Math.round(idle / 1e6)} MB`,
    promised: `< ${memoryLimitBytes / 1e6} MB`,
    isKept: above < memoryLimitBytes,
  })
}

await measureOnBoth(async ({ driver, layers: { cities }, restart }) => {
  const server = await restart()
  await server.ask('GET', `/api/resource/${cities}`)
  const idle = await server.idleMemory()
  const url = `${server.url}/api/resource/${cities}/feature/`
  await measureSpeed(server, driver, url)
  const above = (await server.peakMemory()) - idle
  report({
    name: `server memory while listing ${cityCount} features, ${driver}`,
    value: `${Math.round(above / 1e6)} MB above ${Math.round(idle / 1e6)} MB when idle`,
    promised: `< ${memoryLimitBytes / 1e6} MB`,
    isKept: above < memoryLimitBytes,
  })
  await measureSlow(server, driver, url)
})
