/** Lists and searches a catalog of 10,000 geoservices, on both databases. */
import { newGeoservice, square } from '../support/catalog.ts'
import { measureEmpty } from './support/both.ts'
import { median, report, timed } from './support/report.ts'
import type { BenchServer } from './support/running.ts'

const count = 10_000
const rounds = 11
const listMs: Readonly<Record<string, number>> = { postgres: 50, pglite: 100 }
const searchMs = 50

/** Services with boundaries of one square degree all over the world. */
const operations = Array.from({ length: count }, (_, at) =>
  newGeoservice(`Service ${at} of ${['roads', 'relief', 'parks', 'trees'][at % 4]}`, {
    desc: `Description number ${at}, long enough to be one`,
    epsg: 3857,
    boundary: square((at % 180) * 2 - 180, Math.floor(at / 180) * 3 - 85),
  }),
)

async function measure(server: BenchServer, driver: string): Promise<void> {
  const created = await timed(() => server.ask('POST', '/api/component/catalog/', { operations }))
  report({
    name: `creation of ${count} geoservices in one batch, ${driver}`,
    value: `${created.seconds.toFixed(1)} s`,
    promised: '',
    isKept: true,
  })
  const listed = listMs[driver] ?? 0
  await measureRead(server, { name: `list of ${count} geoservices, ${driver}`, query: '', limitMs: listed })
  await measureChanged(server, driver)
  const area = encodeURIComponent('POLYGON((0 0,30 0,30 30,0 30,0 0))')
  for (const [name, query] of [
    ['intersects_boundary', `?intersects_boundary=${area}`],
    ['intersects_boundary and a page of 10', `?intersects_boundary=${area}&limit=10`],
    ['search', '?search=relief+number+77'],
    ['a page of 10', '?limit=10&offset=5000'],
  ] as const)
    await measureRead(server, {
      name: `${name} over ${count} geoservices, ${driver}`,
      query,
      limitMs: searchMs,
    })
}

/** Complete lists are cached: this is what the first client waits after a change. */
async function measureChanged(server: BenchServer, driver: string): Promise<void> {
  const seconds: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const extra = newGeoservice(`Change ${round}`)
    await server.ask('POST', '/api/component/catalog/', { operations: [extra] })
    seconds.push((await timed(() => server.ask('GET', '/api/v1/geoservices/'))).seconds)
  }
  const value = `${(1000 * median(seconds)).toFixed(1)} ms`
  report({
    name: `list of ${count} geoservices after a change, ${driver}`,
    value,
    promised: '',
    isKept: true,
  })
}

interface Read {
  readonly name: string
  readonly query: string
  readonly limitMs: number
}

async function measureRead(server: BenchServer, { name, query, limitMs }: Read): Promise<void> {
  const seconds: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const read = await timed(() => server.ask('GET', `/api/v1/geoservices/${query}`))
    seconds.push(read.seconds)
  }
  const ms = 1000 * median(seconds)
  report({ name, value: `${ms.toFixed(1)} ms`, promised: `< ${limitMs} ms`, isKept: ms < limitMs })
}

await measureEmpty(measure)
