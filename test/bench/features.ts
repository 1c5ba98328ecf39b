/** Pages through all cities of the world, and changes them a thousand at a time, on both databases. */
import { type Driver, measureOnBoth } from './support/both.ts'
import { cityCount } from './support/cities.ts'
import { median, report, timed } from './support/report.ts'
import type { BenchServer } from './support/running.ts'

const pageSize = 1000
const deepOffset = 190_000
const rounds = 9
const limits = { ratio: 3, pageSeconds: 0.05, changesPerSecond: 5000 }

interface Feature {
  readonly id: number
  readonly geom: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Seconds that a page takes, which has to be the right one. */
async function readPage(server: BenchServer, path: string, offset: number): Promise<number> {
  const page = `${path}?limit=${pageSize}&offset=${offset}`
  const { seconds, value } = await timed(() => server.ask<Feature[]>('GET', page))
  const size = Math.min(pageSize, cityCount - offset)
  if (value[0]?.id !== offset + 1 || value.length !== size) throw new Error(`${page}: a wrong page`)
  return seconds
}

/** Reads the pages in turn, so that both meet the same machine. What is written before one makes the server forget. */
async function measurePages(server: BenchServer, driver: Driver, path: string): Promise<void> {
  const pages: [first: number, changed: number, again: number][] = []
  for (let round = 0; round < rounds; round += 1) {
    const first = await readPage(server, path, 0)
    await server.ask('PUT', `${path}1`, { fields: { population: round } })
    const changed = await readPage(server, path, deepOffset)
    pages.push([first, changed, await readPage(server, path, deepOffset + 500)])
  }
  const [first, changed, again] = [0, 1, 2].map((at) => median(pages.map((page) => page[at] ?? 0)))
  reportPage(driver, { name: 'right after a change', first, seconds: changed })
  reportPage(driver, { name: 'after one close by', first, seconds: again })
}

interface PageTime {
  readonly name: string
  readonly first: number | undefined
  readonly seconds: number | undefined
}

function reportPage(driver: Driver, { name, first = 0, seconds = 0 }: PageTime): void {
  report({
    name: `page of ${pageSize} features at offset ${deepOffset}, ${name}, ${driver}`,
    value: `${(seconds * 1000).toFixed(1)} ms, the first page ${(first * 1000).toFixed(1)} ms`,
    ratio: `${(seconds / first).toFixed(2)}× the first page`,
    promised: driver === 'postgres' ? `≤ ${limits.ratio}×, < ${limits.pageSeconds * 1000} ms` : '',
    isKept: driver === 'pglite' || (seconds < limits.ratio * first && seconds < limits.pageSeconds),
  })
}

/** Turns all pages of the layer, as clients do that read it by pages. */
async function measureWalk(server: BenchServer, driver: Driver, path: string): Promise<void> {
  const { seconds } = await timed(async () => {
    for (let offset = 0; offset < cityCount; offset += pageSize) await readPage(server, path, offset)
  })
  report({
    name: `${cityCount} features in pages of ${pageSize}, ${driver}`,
    value: `${Math.round(cityCount / seconds)} features/s`,
    promised: '',
    isKept: true,
  })
}

/** What is asked of a thousand features at a time. */
const changes: Readonly<Record<string, (feature: Feature) => object>> = {
  'changes of every field and the geometry': ({ id, geom, fields }) => ({ id, geom, fields }),
  'changes of one field': ({ id }) => ({ id, fields: { population: id } }),
  'new features': ({ geom, fields }) => ({ geom, fields }),
}

async function measureChanges(server: BenchServer, driver: Driver, path: string): Promise<void> {
  const features = await server.ask<Feature[]>('GET', `${path}?limit=${pageSize * rounds}`)
  for (const [name, change] of Object.entries(changes)) {
    const seconds = []
    for (let round = 0; round < rounds; round += 1) {
      const page = features.slice(round * pageSize, (round + 1) * pageSize).map(change)
      const { seconds: taken, value } = await timed(() => server.ask<object[]>('PATCH', path, page))
      if (value.length !== pageSize) throw new Error(`${value.length} answers to ${pageSize} changes`)
      seconds.push(taken)
    }
    const rate = pageSize / median(seconds)
    report({
      name: `PATCH of ${pageSize} ${name}, ${driver}`,
      value: `${Math.round(rate)} features/s`,
      promised: driver === 'postgres' ? `≥ ${limits.changesPerSecond} features/s` : '',
      isKept: driver === 'pglite' || rate >= limits.changesPerSecond,
    })
  }
}

await measureOnBoth(async ({ driver, layers, server }) => {
  const path = `/api/resource/${layers.cities}/feature/`
  await measurePages(server, driver, path)
  await measureWalk(server, driver, path)
  await measureChanges(server, driver, path)
})
