/** Serves PNG tiles of a raster of 20,000 × 20,000 pixels to ten clients, cold, beside MapServer on the same GeoTIFF. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { besidePostgres, promisedBeside } from './support/beside_postgres.ts'
import { type Driver, measureOrders } from './support/both.ts'
import { prepareRaster, rasterBox, writeRaster } from './support/large_raster.ts'
import { createClients, replay } from './support/load_client.ts'
import { startMapserver, tileQueryOf } from './support/mapserver.ts'
import { median, report } from './support/report.ts'
import { startServer } from './support/running.ts'
import type { ServerOrder } from './support/server.ts'
import { tilePaths } from './support/styled_world.ts'
import { tilesInBox } from './support/tile_addresses.ts'

const promisedRate = 100
const counts = { clients: 10, perZoom: 60, rounds: 3 }

const clients = createClients(counts.clients)

/** From the whole raster in a few tiles to pixels that are enlarged. */
const tiles = tilesInBox(rasterBox, { first: 5, last: 12, perZoom: counts.perZoom })

/** Measures of a pass over all tiles. */
interface Pass {
  readonly rate: number
  readonly cpuMs: number
  readonly megabytes: number
}

let file: string | undefined

async function measure(order: ServerOrder, driver: Driver, folder: string): Promise<void> {
  file ??= writeRaster(folder)
  mkdirSync(order.dataFolder, { recursive: true })
  const source = await prepareRaster(order, file)
  const [own, theirs]: [Pass[], Pass[]] = [[], []]
  const style = await createStyle(order, source)
  for (let round = 0; round < counts.rounds; round += 1) {
    own.push(await passCold(order, style))
    if (driver === 'postgres') theirs.push(await passPeer(folder, { file, round }))
  }
  reportCold(driver, own, theirs)
}

async function createStyle(order: ServerOrder, source: object): Promise<number> {
  const server = await startServer(order)
  const create = (members: object) => server.ask<{ id: number }>('POST', '/api/resource/', members)
  const layer = await create({
    resource: { cls: 'raster_layer', parent: { id: 0 }, display_name: 'Raster' },
    raster_layer: { source },
  })
  const style = await create({
    resource: { cls: 'raster_style', parent: layer, display_name: 'Raster style' },
    raster_style: {},
  })
  await server.stop()
  return style.id
}

/** Measures a server that has just started; the files are in the memory of the system. */
async function passCold(order: ServerOrder, style: number): Promise<Pass> {
  const server = await startServer(order)
  const urls = (list: readonly string[]) => tilePaths(`${style}`, list).map((path) => server.url + path)
  await clients.replay(urls(warmUp))
  const before = await server.cpuSeconds()
  const { seconds } = await clients.replay(urls(tiles))
  const cpuMs = (1000 * ((await server.cpuSeconds()) - before)) / tiles.length
  const megabytes = (await server.peakMemory()) / 1e6
  await server.stop()
  return { rate: tiles.length / seconds, cpuMs, megabytes }
}

const warmUp = ['z=13&x=4200&y=2750', 'z=13&x=4201&y=2750'] as const

async function passPeer(
  folder: string,
  { file, round }: { readonly file: string; readonly round: number },
): Promise<Pass> {
  const peerFolder = join(folder, `mapserver-${round}`)
  mkdirSync(peerFolder)
  const peer = await startMapserver(peerFolder, { layers: [{ name: 'raster', type: 'RASTER', file }] })
  try {
    const queries = (list: readonly string[]) => list.map((tile) => tileQueryOf('raster', tile))
    await replay(queries(warmUp), counts.clients, peer.get)
    const before = peer.cpuSeconds()
    const { seconds } = await replay(queries(tiles), counts.clients, peer.get)
    const cpuMs = (1000 * (peer.cpuSeconds() - before)) / tiles.length
    return { rate: tiles.length / seconds, cpuMs, megabytes: 0 }
  } finally {
    await peer.stop()
  }
}

const middle = (passes: readonly Pass[], name: keyof Pass) => median(passes.map((pass) => pass[name]))
const describe = (passes: readonly Pass[]) =>
  `${Math.round(middle(passes, 'rate'))} tiles/s, ${middle(passes, 'cpuMs').toFixed(1)} CPU-ms`

function reportCold(driver: Driver, own: readonly Pass[], theirs: readonly Pass[]): void {
  const rate = middle(own, 'rate')
  const ratios = theirs.map((their, at) => (own[at]?.rate ?? 0) / their.rate)
  const beside = besidePostgres(driver, 'raster', 1 / rate)
  const ratio =
    driver === 'postgres' ? `${median(ratios).toFixed(2)}× MapServer (${describe(theirs)})` : beside.ratio
  report({
    name: `PNG tiles cold of a raster of 20,000 × 20,000, ${counts.clients} clients, ${driver}`,
    value: `${describe(own)}, ${Math.round(middle(own, 'megabytes'))} MB`,
    ...(ratio === undefined ? {} : { ratio }),
    promised: driver === 'postgres' ? `≥ ${promisedRate}/s` : promisedBeside,
    isKept: driver === 'postgres' ? rate >= promisedRate : beside.isWithin,
  })
}

try {
  await measureOrders(measure)
} finally {
  clients.close()
}
