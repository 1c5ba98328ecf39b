import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupCpuSeconds } from './cpu_time.ts'

/** Martin, a tile server that lets PostGIS encode. @see https://maplibre.org/martin/ */
export interface Martin {
  readonly url: string
  /** Processor time, in seconds. */
  cpuSeconds(): number
  stop(): Promise<void>
}

/** A table of a PostgreSQL database with columns `id` and `geom`, in EPSG:3857. */
export interface MartinTable {
  readonly name: string
  readonly schema: string
  readonly table: string
  readonly geometryType: 'MULTIPOLYGON' | 'POINT'
  /** Types of the columns that tiles contain. */
  readonly columns: Readonly<Record<string, string>>
}

/** What Martin is started with. */
export interface MartinOrder {
  readonly folder: string
  readonly databaseUrl: string
  readonly tables: readonly MartinTable[]
  /** Size of its cache; 0 for none. */
  readonly cacheMegabytes: number
}

/** The program: of the environment, else of the path. */
const program = process.env.LANDFORM_MARTIN ?? 'martin'

/** Tells whether Martin is installed: `cargo install martin --locked --no-default-features --features postgres`. */
export function hasMartin(): boolean {
  return spawnSync(program, ['--version']).status === 0
}

/** Starts Martin on a free local port. */
export async function startMartin(order: MartinOrder): Promise<Martin> {
  const address = `127.0.0.1:${await findFreePort()}`
  const config = join(order.folder, 'martin.json')
  // YAML can be written as JSON.
  writeFileSync(config, JSON.stringify(configOf(order, address)))
  const child = spawn(program, ['--config', config], {
    detached: true,
    env: { ...process.env, RUST_LOG: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://${address}`
  const isUp = () =>
    fetch(`${url}/health`)
      .then(({ ok }) => ok)
      .catch(() => false)
  while (child.exitCode === null && !(await isUp())) await sleep(20)
  return {
    url,
    cpuSeconds: () => groupCpuSeconds(child.pid ?? 0),
    async stop() {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

function configOf({ databaseUrl, tables, cacheMegabytes }: MartinOrder, address: string): object {
  const shared = { srid: 3857, geometry_column: 'geom', id_column: 'id', extent: 4096, buffer: 64 }
  const sources = tables.map(({ name, schema, table, geometryType, columns }) => [
    name,
    { ...shared, schema, table, geometry_type: geometryType, clip_geom: true, properties: columns },
  ])
  return {
    listen_addresses: address,
    cache_size_mb: cacheMegabytes,
    postgres: {
      connection_string: databaseUrl,
      auto_publish: false,
      tables: Object.fromEntries(sources),
    },
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
