/**
 * Lets 64 clients read features and tiles for a minute while one writes, on both databases. Who begins to read after
 * a write was answered has to see it: in the count, in the list, in the feature and in the tile.
 */
import { Agent, type IncomingMessage, request } from 'node:http'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { type Driver, measureOnBoth } from './support/both.ts'
import { cityCount } from './support/cities.ts'
import { report } from './support/report.ts'
import type { BenchServer } from './support/running.ts'
import { benchPassword } from './support/server.ts'

const clients = 64
const seconds = { warmUp: 40, soak: 60 }
/** The server keeps tiles up to a limit: it is warm when it does not grow any more, which takes so many turns at most. */
const warmUpTurns = 10
/** By how much memory at rest differs from itself. */
const restsWithin = 0.03

const agent = new Agent({ keepAlive: true, maxSockets: clients + 1 })
const authorization = `Basic ${Buffer.from(`administrator:${benchPassword}`).toString('base64')}`

/** Asks for bytes; none where the answer is empty. */
function ask(
  url: string,
  { method = 'GET', body }: { method?: string; body?: object } = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent, method, headers: { authorization } }, (answer: IncomingMessage) => {
      Array.fromAsync(answer as AsyncIterable<Buffer>).then((chunks) => {
        const bytes = Buffer.concat(chunks)
        if (answer.statusCode === 200 || answer.statusCode === 204) resolve(bytes)
        else reject(new Error(`${method} ${url}: ${answer.statusCode} ${bytes}`))
      }, reject)
    })
    asking.on('error', reject)
    asking.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const parse = <T>(bytes: Buffer): T => JSON.parse(bytes.toString())

/** What the writer has been told is done: the features that there are, and the last one. */
interface Written {
  count: number
  lastId: number
}

/** Asks in one way, and tells whether the answer knows what was written. */
type Read = (address: string, known: Written, chance: number) => Promise<boolean>

/** The corner of the sea where the writer adds its features, in EPSG:3857, and the tile that it is in. */
const place = { wkt: 'POINT(-16000000 -7000000)', tile: 'z=6&x=6&y=43' }

const reads: Readonly<Record<string, Read>> = {
  count: async (address, known) => {
    const { total_count: count } = parse<{ total_count: number }>(await ask(`${address}/feature_count`))
    return count >= known.count
  },
  'last feature': async (address, known) => {
    const [last] = parse<{ id: number }[]>(await ask(`${address}/feature/?order_by=-id&limit=1`))
    return (last?.id ?? 0) >= known.lastId
  },
  feature: async (address, known) => {
    const { id } = parse<{ id: number }>(await ask(`${address}/feature/${known.lastId}`))
    return id === known.lastId
  },
  page: async (address, _known, chance) => {
    const offset = Math.floor(chance * cityCount)
    const page = parse<object[]>(await ask(`${address}/feature/?limit=100&offset=${offset}`))
    return page.length > 0
  },
  'tile that is written': async (address, known) => {
    const layer = await readTile(address, `${place.tile}&simplification=0`)
    const ids = Array.from({ length: layer?.length ?? 0 }, (_, at) => layer?.feature(at).id ?? 0)
    return Math.max(0, ...ids) >= known.lastId
  },
  tile: async (address, _known, chance) => {
    // Across Europe.
    await readTile(address, `z=8&x=${128 + Math.floor(chance * 16)}&y=${84 + (Math.floor(chance * 64) % 4)}`)
    return true
  },
}

async function readTile(address: string, query: string) {
  const { origin, pathname } = new URL(address)
  const id = pathname.split('/').at(-1)
  const bytes = await ask(`${origin}/api/component/feature_layer/mvt?resource=${id}&${query}`)
  return new VectorTile(new PbfReader(new Uint8Array(bytes))).layers[`svc:${id}`]
}

/** What came of it. */
interface Outcome {
  readonly milliseconds: number[]
  readonly faults: string[]
  readonly late: string[]
  writes: number
}

/** Lets all of them work for some time. */
async function work(address: string, written: Written, durationMs: number): Promise<Outcome> {
  const outcome: Outcome = { milliseconds: [], faults: [], late: [], writes: 0 }
  const end = performance.now() + durationMs
  const untilEnd = async (step: (round: number) => Promise<void>) => {
    for (let round = 0; performance.now() < end; round += 1)
      await step(round).catch((error: unknown) => void outcome.faults.push(String(error)))
  }
  const write = async () => {
    const body = { geom: place.wkt, fields: { population: written.count } }
    const { id } = parse<{ id: number }>(await ask(`${address}/feature/`, { method: 'POST', body }))
    written.lastId = id
    written.count += 1
    outcome.writes += 1
  }
  const kinds = Object.entries(reads)
  const read = (client: number) => async (round: number) => {
    const [name, one] = kinds[(client + round) % kinds.length] ?? ['', reads.count as Read]
    const known = { ...written }
    const start = performance.now()
    const isKnown = await one(address, known, ((client * 7919 + round * 104_729) % 10_007) / 10_007)
    outcome.milliseconds.push(performance.now() - start)
    if (!isKnown) outcome.late.push(name)
  }
  await Promise.all([
    untilEnd(write),
    ...Array.from({ length: clients }, (_, client) => untilEnd(read(client))),
  ])
  return outcome
}

function reportOutcome(driver: Driver, { milliseconds, faults, late, writes }: Outcome): void {
  const sorted = milliseconds.sort((a, b) => a - b)
  const at = (part: number) => `${Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0)} ms`
  const rate = Math.round(sorted.length / seconds.soak)
  report({
    name: `${clients} clients that read for ${seconds.soak} s while one writes, ${driver}`,
    value: `${rate} reads/s, median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}; ${(writes / seconds.soak).toFixed(1)} writes/s`,
    promised: 'p99 printed',
    isKept: writes > 0,
  })
  report({
    name: `errors meanwhile, ${driver}`,
    value: faults.length === 0 ? 'none' : `${faults.length}, the first: ${faults[0]?.slice(0, 200)}`,
    promised: 'none',
    isKept: faults.length === 0,
  })
  report({
    name: `answers that lag behind what was written, ${driver}`,
    value: late.length === 0 ? 'none' : `${late.length}: ${[...new Set(late)].join(', ')}`,
    promised: 'none',
    isKept: late.length === 0,
  })
}

/** Lets them work until the server has what it keeps. Gives the memory it has then. */
async function warmUp(server: BenchServer, address: string, written: Written): Promise<number> {
  let before = await server.idleMemory()
  for (let turn = 0; turn < warmUpTurns; turn += 1) {
    await work(address, written, seconds.warmUp * 1000)
    const now = await server.idleMemory()
    if (now < (1 + restsWithin) * before) return now
    before = now
  }
  return before
}

async function soak(server: BenchServer, driver: Driver, id: number): Promise<void> {
  const address = `${server.url}/api/resource/${id}`
  const written = { count: cityCount, lastId: cityCount }
  const before = await warmUp(server, address, written)
  const outcome = await work(address, written, seconds.soak * 1000)
  const peak = await server.peakMemory()
  const growth = (await server.idleMemory()) - before
  reportOutcome(driver, outcome)
  report({
    name: `what the server has kept of it, ${driver}`,
    value: `${Math.round(growth / 1e6)} MB beside ${Math.round(before / 1e6)} MB, at most ${Math.round(peak / 1e6)} MB`,
    promised: `nothing (within ${100 * restsWithin} %)`,
    isKept: growth < restsWithin * before,
  })
}

try {
  await measureOnBoth(async ({ driver, layers, restart }) => soak(await restart(), driver, layers.cities))
} finally {
  agent.destroy()
}
