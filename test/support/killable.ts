import { spawn } from 'node:child_process'
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

/** A server in a separate process that can be killed at any time. */
export interface KillableServer {
  readonly url: string
  readonly admin: Ask
  /** Waits until a source is partly read; only for a server started with `stallsGdal`. */
  untilGdalStalls(): Promise<void>
  /** Kills the server, like a machine failure, and waits until it and its child processes have exited. */
  kill(): Promise<void>
}

/** Options of a server process. */
export interface SpawnOptions {
  /** Command and arguments that start the server command. */
  readonly enter?: readonly string[]
  /** Whether its GDAL process stops permanently in the middle of a source. */
  readonly stallsGdal?: boolean
  /** Whether it kills itself at a statement, when a request says so. @see `FaultProxy` */
  readonly killsItself?: boolean
}

/** Data folder and database of a server, which outlive its process. */
export interface ServerEnvironment {
  readonly dataFolder: string
  /** URL of the database, unless it is in the data folder. */
  readonly databaseUrl: string | undefined
  /** Starts a server in a separate process. */
  start(options?: SpawnOptions): Promise<KillableServer>
  /** Starts a server in this process, to inspect the data. The caller stops it. */
  inspect(): Promise<{ readonly running: RunningServer; readonly admin: Ask }>
  remove(): Promise<void>
}

const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const stalledGdal = new URL('stalled_gdal.ts', import.meta.url).href
const statementKill = new URL('statement_kill.ts', import.meta.url).href
const credentials = { authorization: `Basic ${btoa(`administrator:${adminPassword}`)}` }

/** Creates an empty data folder, and a database beside it or in it, depending on the driver. */
export async function createServerEnvironment(driver: Database['driver']): Promise<ServerEnvironment> {
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
    async inspect() {
      const listen = { host: '127.0.0.1', port: 0 }
      const running = await createServer({ listen, dataFolder, databaseUrl, adminPassword })
      return { running, admin: createAsk(running.url, credentials) }
    },
    async remove() {
      // A failed test has not killed its servers.
      for (const server of started) await server.kill()
      await rm(dataFolder, { recursive: true, force: true })
      await database?.drop()
    },
  }
}

/** Starts a server in a separate process. */
export async function spawnServer(
  dataFolder: string,
  databaseUrl: string | undefined,
  { enter = [], stallsGdal = false, killsItself = false }: SpawnOptions = {},
): Promise<KillableServer> {
  const database = databaseUrl === undefined ? [] : ['--database', databaseUrl]
  const args = ['serve', '--data', dataFolder, '--listen', '127.0.0.1:0', '--log-level', 'error', ...database]
  const preloaded = [...(stallsGdal ? [stalledGdal] : []), ...(killsItself ? [statementKill] : [])]
  const options = preloaded.map((url) => `--import=${url}`).join(' ')
  const nodeOptions = options === '' ? {} : { NODE_OPTIONS: options }
  const env = { ...process.env, LANDFORM_ADMIN_PASSWORD: adminPassword, ...nodeOptions }
  const [first = '', ...rest] = [...enter, process.execPath, program, ...args]
  const child = spawn(first, rest, { stdio: ['ignore', 'ignore', 'pipe'], env })
  const url = await findAddress(child.stderr as NodeJS.ReadableStream)
  return {
    url,
    admin: createAsk(url, credentials),
    async untilGdalStalls() {
      while (!listChildren(child.pid ?? 0).some((pid) => readState(pid) === 'T'))
        await new Promise((next) => setImmediate(next))
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const pids = listChildren(child.pid ?? 0)
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      // A stopped process would not notice that the server has exited.
      if (stallsGdal) for (const pid of pids) process.kill(pid, 'SIGCONT')
      for (const pid of pids) await untilExited(pid)
    },
  }
}

/** Reads the address of a server from its log, and lets the rest of the log go. */
export async function findAddress(log: NodeJS.ReadableStream): Promise<string> {
  const output: string[] = []
  const lines = createInterface({ input: log })
  for await (const line of lines) {
    output.push(line)
    const [, url] = /listening on (\S+)/.exec(line) ?? []
    if (url !== undefined) {
      log.resume()
      return url
    }
  }
  throw new Error(`the server did not start: ${output.join('\n')}`)
}

function listChildren(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}

/** Waits until a process has exited, whatever its parent. */
async function untilExited(pid: number): Promise<void> {
  while (!['', 'Z'].includes(readState(pid))) await new Promise((next) => setImmediate(next))
}

/** Returns the state code of a process; empty if it has exited. @see proc(5), `/proc/[pid]/stat` */
function readState(pid: number): string {
  try {
    return /^\d+ \(.*\) (.)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? ''
  } catch {
    return ''
  }
}
