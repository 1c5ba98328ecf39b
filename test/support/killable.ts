import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Database } from '../../src/database/database.ts'
import { createServer, type RunningServer } from '../../src/server/server.ts'
import { createTestDatabase } from './postgres.ts'
import { type Ask, adminPassword, createAsk } from './server.ts'

/** A server in a process of its own, that may be killed at any moment. */
export interface KillableServer {
  readonly admin: Ask
  /** Waits until a source is half read: only of a server that was started with `stallsGdal`. */
  untilGdalStalls(): Promise<void>
  /** Kills it, as a failing machine does, and waits until it and what it has started are gone. */
  kill(): Promise<void>
}

/** How a server is started. */
export interface SpawnOptions {
  /** What it is started with, before its own words. */
  readonly enter?: readonly string[]
  /** Whether its process of GDAL stops in the middle of a source, for good. */
  readonly stallsGdal?: boolean
}

/** What a server stands on, that outlives it. */
export interface KillableGround {
  readonly dataFolder: string
  /** Address of the database, where it is no part of the folder. */
  readonly databaseUrl: string | undefined
  /** Starts a server in a process of its own. */
  start(options?: SpawnOptions): Promise<KillableServer>
  /** Starts a server in this process, to look at what is left. The caller stops it. */
  look(): Promise<{ readonly running: RunningServer; readonly admin: Ask }>
  remove(): Promise<void>
}

const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const stalledGdal = new URL('stalled_gdal.ts', import.meta.url).href
const credentials = { authorization: `Basic ${btoa(`administrator:${adminPassword}`)}` }

/** Makes an empty data folder, and a database of a driver beside it or in it. */
export async function makeGround(driver: Database['driver']): Promise<KillableGround> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'landform-killable-'))
  const database = driver === 'postgres' ? await createTestDatabase() : undefined
  const databaseUrl = database?.url
  const started: KillableServer[] = []
  return {
    dataFolder,
    databaseUrl,
    async start(options) {
      const server = await spawnServer(dataFolder, databaseUrl, options)
      started.push(server)
      return server
    },
    async look() {
      const listen = { host: '127.0.0.1', port: 0 }
      const running = await createServer({ listen, dataFolder, databaseUrl, adminPassword })
      return { running, admin: createAsk(running.url, credentials) }
    },
    async remove() {
      // A test that failed has not come to it.
      for (const server of started) await server.kill()
      await rm(dataFolder, { recursive: true, force: true })
      await database?.drop()
    },
  }
}

/** Starts a server in a process of its own. */
export async function spawnServer(
  dataFolder: string,
  databaseUrl: string | undefined,
  { enter = [], stallsGdal = false }: SpawnOptions = {},
): Promise<KillableServer> {
  const where = databaseUrl === undefined ? [] : ['--database', databaseUrl]
  const words = ['serve', '--data', dataFolder, '--listen', '127.0.0.1:0', '--log-level', 'error', ...where]
  const own = stallsGdal ? { NODE_OPTIONS: `--import=${stalledGdal}` } : {}
  const env = { ...process.env, LANDFORM_ADMIN_PASSWORD: adminPassword, ...own }
  const [first = '', ...rest] = [...enter, process.execPath, program, ...words]
  const child = spawn(first, rest, { stdio: ['ignore', 'ignore', 'pipe'], env })
  const url = await findAddress(child)
  return {
    admin: createAsk(url, credentials),
    async untilGdalStalls() {
      while (!listChildren(child.pid ?? 0).some((pid) => readState(pid) === 'T'))
        await new Promise((next) => setImmediate(next))
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const pids = listChildren(child.pid ?? 0)
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      // What is stopped would not see that the server is gone.
      if (stallsGdal) for (const pid of pids) process.kill(pid, 'SIGCONT')
      for (const pid of pids) await ended(pid)
    },
  }
}

async function findAddress(child: ChildProcess): Promise<string> {
  const told: string[] = []
  const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream })
  for await (const line of lines) {
    told.push(line)
    const [, url] = /listens on (\S+)/.exec(line) ?? []
    if (url !== undefined) {
      child.stderr?.resume()
      return url
    }
  }
  throw new Error(`the server did not start: ${told.join('\n')}`)
}

function listChildren(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}

/** Waits until a process is gone, of whomever it is the child. */
async function ended(pid: number): Promise<void> {
  while (!['', 'Z'].includes(readState(pid))) await new Promise((next) => setImmediate(next))
}

/** The state of a process as the system names it; nothing of one that is gone. @see proc(5), `/proc/[pid]/stat` */
function readState(pid: number): string {
  try {
    return /^\d+ \(.*\) (.)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? ''
  } catch {
    return ''
  }
}
