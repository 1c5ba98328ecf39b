import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readdirSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createServerFolder, removeOrphans } from './orphans.ts'

/** A PostgreSQL server in a temporary folder. */
export interface Cluster {
  readonly url: string
  /** Stops the server like a restart of the service, without waiting for sessions. Keeps its data. */
  down(): Promise<void>
  /** Aborts the server in any state: during a recovery it does not always react to a fast shutdown. */
  abort(): Promise<void>
  /** Starts the server again, and waits until it accepts connections. */
  up(): Promise<void>
  /** Stops the server and deletes its folder. */
  stop(): Promise<void>
}

/** Options of a server. */
export interface ClusterOptions {
  /** Whether it waits for the disk, like a production server. */
  readonly isDurable?: boolean
  /**
   * Whether its folder is in memory, if there is room. Creating a database from a template creates hundreds of files, for
   * which a file system on disk needs up to seven times the CPU time.
   */
  readonly isInMemory?: boolean
  /** Empty folder for its write-ahead log, which is kept short. */
  readonly logFolder?: string
}

/** Creates and starts a server on a free local port, as an unprivileged user. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { isDurable = false, isInMemory = false, logFolder } = options
  removeOrphans()
  const programs = findPrograms()
  const owner = findOwner()
  const folder = createServerFolder(isInMemory)
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  createData(data, { programs, owner, folder, logFolder })
  const port = await findFreePort()
  const settings = [
    ...serverSettings(port, folder),
    ...(isDurable ? [] : nonDurable),
    ...(logFolder === undefined ? [] : shortLog),
    ...(isInMemory ? forManyDatabases : []),
  ]
  const startServer = () =>
    spawn(join(programs, 'postgres'), ['-D', data, ...settings], {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  let server = startServer()
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  // Only for a run that exits without teardown; SIGQUIT is PostgreSQL's immediate shutdown.
  const abandon = () => {
    server.kill('SIGQUIT')
    remove()
  }
  process.once('exit', abandon)
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }
  const up = async () => {
    server = startServer()
    await untilReady(server.stderr)
  }
  const stop = async () => {
    process.off('exit', abandon)
    await end('SIGQUIT')
    remove()
  }
  try {
    await untilReady(server.stderr)
  } catch (error) {
    await stop()
    throw error
  }
  const ends = { down: () => end('SIGINT'), abort: () => end('SIGQUIT') }
  return { url: `postgres://landform@127.0.0.1:${port}/postgres`, ...ends, up, stop }
}

interface ClusterParts {
  readonly programs: string
  readonly owner: ReturnType<typeof findOwner>
  readonly folder: string
  readonly logFolder: string | undefined
}

/** Creates the data folder of a server. */
function createData(data: string, { programs, owner, folder, logFolder }: ClusterParts): void {
  const settings = ['--auth=trust', '--username=landform', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
  if (logFolder !== undefined) settings.push(`--waldir=${logFolder}`, '--wal-segsize=1')
  execFileSync(join(programs, 'initdb'), ['--pgdata', data, ...settings], {
    ...owner,
    cwd: folder,
    stdio: 'pipe',
  })
}

// Data that need not outlive the run is not flushed to disk. Commits stay synchronous, which costs nothing without fsync:
// otherwise a vacuum leaves rows unmarked while a neighbouring transaction of any database is not written yet.
const nonDurable = ['fsync', 'full_page_writes'].flatMap((name) => ['-c', `${name}=off`])

// Small log files that are not recycled: each new one needs disk space.
const shortLog = ['-c', 'min_wal_size=2MB', '-c', 'max_wal_size=8MB', '-c', 'wal_recycle=off']

// Its write-ahead log is in memory too. Each of thousands of connections would take 13 ms of CPU to load PostGIS.
const forManyDatabases = ['-c', 'max_wal_size=256MB', '-c', 'shared_preload_libraries=postgis-3']

function serverSettings(port: number, socketFolder: string): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: socketFolder,
    max_connections: 200,
    shared_buffers: '128MB',
    log_min_messages: 'warning',
    timezone: 'UTC',
    // Tests vacuum and analyze explicitly.
    autovacuum: 'off',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function untilReady(stderr: NodeJS.ReadableStream): Promise<void> {
  const lines: string[] = []
  let isReady = false
  for await (const line of createInterface({ input: stderr })) {
    lines.push(line)
    isReady = line.includes('database system is ready to accept connections')
    if (isReady) break
  }
  if (!isReady) throw new Error(`PostgreSQL did not start:\n${lines.join('\n')}`)
  // Drains the rest, so that a full pipe does not block the server; leaving the loop has paused the stream.
  stderr.resume()
}

function findPrograms(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).map(Number).filter(Number.isInteger) : []
  const newest = versions
    .sort((a, b) => b - a)
    .map((version) => join(root, String(version), 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))
  return newest ?? execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim()
}

/** Returns the user that test servers run as: PostgreSQL refuses to run as root. */
export function findOwner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const readId = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: readId('-u'), gid: readId('-g') }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
