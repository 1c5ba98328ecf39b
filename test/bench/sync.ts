/**
 * Synchronizes a layer of 200,000 points of which 1 % have changed, against loading it again, on both databases. Both read all of the
 * source, 104 MB of GeoJSON, and a synchronization also computes two digests of each feature, on the server and here: only the
 * writes become fewer, which are the smaller part of a load. Ten times as fast is out of reach while a changed source is read as a whole.
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { cityCount, writeCities } from './support/cities.ts'
import { runLandform } from './support/program.ts'
import { median, report } from './support/report.ts'
import { type BenchServer, startServer } from './support/running.ts'

const rounds = 3
const wantedRatio = 10

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))

/** Writes a copy of the cities in which every hundredth has another population. Returns the number of changes. */
async function writeEdition(from: string, to: string, edition: number): Promise<number> {
  let count = 0
  let changed = 0
  async function* lines() {
    for await (const line of createInterface(createReadStream(from))) {
      count += 1
      if (count % 100 !== edition) yield `${line}\n`
      else {
        changed += 1
        yield `${line.replace(/"population": *(\d+)/, (_, people) => `"population":${Number(people) + edition}`)}\n`
      }
    }
  }
  await pipeline(lines, createWriteStream(to))
  return changed
}

function writeManifest(name: string, mode: string): string {
  const path = join(folder, `${name}.yaml`)
  writeFileSync(
    path,
    `manifest: ${name}
resources:
  root: { existing: true, id: 0 }
  ${name}:
    parent: root
    cls: vector_layer
    display_name: ${name}
    data: { source: data.geojson, ${mode} }
`,
  )
  return path
}

async function measure(driver: 'postgres' | 'pglite', databaseUrl: string | undefined): Promise<void> {
  const server = await startServer({ dataFolder: join(folder, driver), databaseUrl })
  const loads = await measureMode(server, writeManifest('loaded', 'mode: replace'), 10)
  const syncs = await measureMode(server, writeManifest('synced', 'mode: sync, key: geonameid'), 20)
  await server.stop()
  const ratio = median(loads.seconds) / median(syncs.seconds)
  report({
    name: `sync of ${cityCount} features, 1 % changed, ${driver}`,
    value: `${median(syncs.seconds).toFixed(2)} s, CPU ${median(syncs.cpu).toFixed(2)} s; loading ${median(loads.seconds).toFixed(2)} s, CPU ${median(loads.cpu).toFixed(2)} s`,
    ratio: `${ratio.toFixed(1)}× as fast as loading`,
    promised: `≥ ${wantedRatio}×`,
    isKept: ratio >= wantedRatio,
  })
}

/** Applies editions of the source, one after the other; the first creates the layer. */
async function measureMode(server: BenchServer, manifest: string, first: number) {
  const seconds: number[] = []
  const cpu: number[] = []
  const data = join(folder, 'data.geojson')
  for (let round = 0; round <= rounds; round++) {
    await writeEdition(join(folder, 'cities.geojson'), data, first + round)
    const before = await server.cpuSeconds()
    const run = await runLandform(server, 'apply', manifest, '--yes')
    if (!/1 (created|updated)/.test(run.out)) throw new Error(run.out.slice(-500))
    if (round === 0) continue
    seconds.push(run.seconds)
    cpu.push(run.cpuSeconds + (await server.cpuSeconds()) - before)
  }
  return { seconds, cpu }
}

const cluster = await startCluster()
try {
  const database = withDatabase(cluster.url, 'bench_sync')
  await execute(cluster.url, 'create database bench_sync')
  await execute(database, 'create extension postgis')
  await writeCities(folder)
  await measure('postgres', database)
  await measure('pglite', undefined)
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
