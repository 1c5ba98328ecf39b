import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
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
  /** Kills it, as a failing machine does, and waits until it and what it has started are gone. */
  kill(): Promise<void>
}

/** What a server stands on, that outlives it. */
export interface KillableGround {
  readonly dataFolder: string
  /** Address of the database, where it is no part of the folder. */
  readonly databaseUrl: string | undefined
  /** Starts a server in a process of its own. */
  start(): Promise<KillableServer>
  /** Starts a server in this process, to look at what is left. The caller stops it. */
  look(): Promise<{ readonly running: RunningServer; readonly admin: Ask }>
  remove(): Promise<void>
}

const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const credentials = { authorization: `Basic ${btoa(`administrator:${adminPassword}`)}` }

/** Makes an empty data folder, and a database of a driver beside it or in it. */
export async function makeGround(driver: Database['driver']): Promise<KillableGround> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'landform-killable-'))
  const database = driver === 'postgres' ? await createTestDatabase() : undefined
  const databaseUrl = database?.url
  return {
    dataFolder,
    databaseUrl,
    start: () => spawnServer(dataFolder, databaseUrl),
    async look() {
      const listen = { host: '127.0.0.1', port: 0 }
      const running = await createServer({ listen, dataFolder, databaseUrl, adminPassword })
      return { running, admin: createAsk(running.url, credentials) }
    },
    async remove() {
      await rm(dataFolder, { recursive: true, force: true })
      await database?.drop()
    },
  }
}

/**
 * Starts a server in a process of its own.
 *
 * @param enter what it is started with, before its own words
 */
export async function spawnServer(
  dataFolder: string,
  databaseUrl: string | undefined,
  enter: readonly string[] = [],
): Promise<KillableServer> {
  const where = databaseUrl === undefined ? [] : ['--database', databaseUrl]
  const words = ['serve', '--data', dataFolder, '--listen', '127.0.0.1:0', '--log-level', 'error', ...where]
  const env = { ...process.env, LANDFORM_ADMIN_PASSWORD: adminPassword }
  const [first = '', ...rest] = [...enter, process.execPath, program, ...words]
  const child = spawn(first, rest, { stdio: ['ignore', 'ignore', 'pipe'], env })
  const url = await findAddress(child)
  return {
    admin: createAsk(url, credentials),
    async kill() {
      const pids = listChildren(child.pid ?? 0)
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
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
  while (existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) Z/.test(readStatus(pid)))
    await new Promise((next) => setImmediate(next))
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}
