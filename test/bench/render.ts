/** Serves PNG tiles of countries and cities, zoom 0 to 6, to ten clients, cold and warm, and a large image. */
import { Agent, get } from 'node:http'
import { measureOnBoth, type World } from './support/both.ts'
import { report, timed } from './support/report.ts'
import type { BenchServer } from './support/running.ts'
import { benchPassword } from './support/server.ts'

const clients = 10
const limits = { megabytes: 500, imageSeconds: 1 }

const agent = new Agent({ keepAlive: true, maxSockets: clients })
const authorization = `Basic ${Buffer.from(`administrator:${benchPassword}`).toString('base64')}`

const countryXml = `<map><layer><class><style><color red="236" green="231" blue="220"/>
  <outlinecolor red="120" green="110" blue="100"/><width>0.8</width></style></class></layer></map>`
const cityXml = `<map><layer><class><style><color red="230" green="85" blue="13"/>
  <outlinecolor red="255" green="255" blue="255"/><size>7</size></style></class></layer></map>`

/** Gets an image; 0 bytes where it is empty. */
function getImage(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization } }, (answer) => {
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.on('error', reject)
      answer.on('end', () =>
        answer.statusCode === 200 || answer.statusCode === 204
          ? resolve(bytes)
          : reject(new Error(`${url}: ${answer.statusCode}`)),
      )
    }).on('error', reject)
  })
}

/** Gets tiles, ten at a time. Gives the addresses of those that are not empty. */
async function getTiles(
  server: BenchServer,
  resources: string,
  addresses: readonly string[],
): Promise<string[]> {
  const left = [...addresses].reverse()
  const filled: string[] = []
  const work = async () => {
    for (let address = left.pop(); address !== undefined; address = left.pop()) {
      const url = `${server.url}/api/component/render/tile?resource=${resources}&nd=204&${address}`
      if ((await getImage(url)) > 0) filled.push(address)
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
  return filled
}

function listAddresses(lastZoom: number): string[] {
  const zooms = Array.from({ length: lastZoom + 1 }, (_, z) => z)
  return zooms.flatMap((z) =>
    Array.from({ length: 4 ** z }, (_, at) => `z=${z}&x=${Math.floor(at / 2 ** z)}&y=${at % 2 ** z}`),
  )
}

async function createStyle(server: BenchServer, parent: number, xml: string): Promise<number> {
  const resource = { cls: 'mapsrv_style', parent: { id: parent }, display_name: `style ${parent}` }
  const made = await server.ask<{ id: number }>('POST', '/api/resource/', { resource, mapsrv_style: { xml } })
  return made.id
}

/** Measures work of the server: rate, and processor time of each of `count` results. */
async function measureWork(
  server: BenchServer,
  count: number,
  work: () => Promise<unknown>,
): Promise<string> {
  const before = await server.cpuSeconds()
  const { seconds } = await timed(work)
  const cpuMs = (1000 * ((await server.cpuSeconds()) - before)) / count
  return `${Math.round(count / seconds)} tiles/s, ${cpuMs.toFixed(1)} CPU-ms`
}

async function measure({ driver, layers, server: first, restart }: World): Promise<void> {
  const styles = [
    await createStyle(first, layers.countries, countryXml),
    await createStyle(first, layers.cities, cityXml),
  ]
  const cases = { regions: `${styles[0]}`, cities: `${styles[1]}`, both: styles.join() }
  for (const [name, resources] of Object.entries(cases)) {
    // A new process has no images; the first tiles start its threads and connections.
    const finder = await restart()
    const filled = await getTiles(finder, resources, listAddresses(6))
    const server = await restart()
    await getTiles(server, resources, ['z=7&x=60&y=40', 'z=7&x=61&y=41'])
    const cold = await measureWork(server, filled.length, () => getTiles(server, resources, filled))
    const warm = await measureWork(server, filled.length, () => getTiles(server, resources, filled))
    const value = `${cold} cold; ${warm} warm`
    report({ name: `PNG tiles, ${name}, ${filled.length}, ${driver}`, value, promised: '', isKept: true })
  }
  await measureImage(await restart(), { resources: cases.both, driver })
}

async function measureImage(
  server: BenchServer,
  { resources, driver }: { readonly resources: string; readonly driver: string },
): Promise<void> {
  const path = `${server.url}/api/component/render/image?resource=${resources}&cache=false&size=2048,2048`
  const draw = () => getImage(`${path}&extent=-2000000,4000000,4000000,10000000`)
  await draw()
  const { seconds } = await timed(draw)
  report({
    name: `image of 2048 × 2048 of both layers, ${driver}`,
    value: `${seconds.toFixed(2)} s`,
    promised: `< ${limits.imageSeconds} s`,
    isKept: seconds < limits.imageSeconds,
  })
  const megabytes = (await server.peakMemory()) / 2 ** 20
  report({
    name: `memory after PNG tiles and images, ${driver}`,
    value: `${Math.round(megabytes)} MB`,
    promised: driver === 'postgres' ? `< ${limits.megabytes} MB` : '',
    isKept: driver === 'pglite' || megabytes < limits.megabytes,
  })
}

try {
  await measureOnBoth(measure)
} finally {
  agent.destroy()
}
