import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClientBase, Pool } from 'pg'
import pg from 'pg'
import type { Log } from '../core/log.ts'
import type { Database } from './database.ts'
import { unlockFolder } from './folder_lock.ts'
import { Subscriptions } from './notification_listener.ts'
import { typeParsers } from './pg_values.ts'
import { createPooled, formatSearchPath, sessionSettings, tolerateLoss } from './pooled_database.ts'
import { toProblem } from './sqlstate.ts'
import { Turns } from './turns.ts'
import { WorkerSocket } from './worker_socket.ts'

/** Options of the embedded database. */
export interface EmbeddedOptions {
  /** Data folder, created if missing; or `memory` for data that is lost when the process ends. */
  readonly folder: string | 'memory'
  /** @default landform */
  readonly schema?: string
  /** Default statement timeout, in milliseconds. @default none */
  readonly statementTimeoutMs?: number
  /** Folder for the prepared data folder. @default `.cache/pglite` of a checkout, else `~/.cache/landform` */
  readonly cacheFolder?: string
  readonly log: Log
}

/** Time for a cancelled statement to end before its worker is restarted. */
const cancelGraceMs = 1000

/**
 * Opens PostgreSQL with PostGIS in a worker thread of this process (PGlite). It has a single connection: transactions
 * and statements run one after the other, in the order they were requested.
 *
 * @throws {Problem} database/locked while another process uses the folder
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Database> {
  const engine = await openEngine(options)
  return engine.openSchema(options.schema ?? 'landform', engine.close)
}

/** A running embedded database. */
export interface Engine {
  /** Returns a Database for a schema. Several may share the engine. */
  openSchema(schema: string, onClose?: () => Promise<void>): Database
  close(): Promise<void>
}

/** Starts the embedded database for one or several schemas. @throws {Problem} as `openEmbedded` */
export async function openEngine(options: Omit<EmbeddedOptions, 'schema'>): Promise<Engine> {
  const { folder, statementTimeoutMs, log, cacheFolder = getCacheFolder() } = options
  const inMemory = folder === 'memory'
  const token = randomUUID()
  const data = { folder: inMemory ? undefined : folder, token, cacheFolder }
  const subscriptions = new Subscriptions()
  let socket = new WorkerSocket(data)
  const stream = () => {
    socket = new WorkerSocket(data)
    if (!inMemory) socket.once('spent', restart)
    return socket
  }
  const pool = createPool(stream, subscriptions)
  pool.on('error', (error) => log.error({ err: error }, 'the embedded database has stopped'))
  const turns = new Turns({ atOnce: 1, perParty: 1 })
  const restart = () => restartWhenIdle({ turns, pool, log, findSocket: () => socket })
  const endCheckpoints = startCheckpoints(pool, log)
  const close = async () => {
    await endCheckpoints()
    await pool.end()
    await socket.ended
    if (!inMemory) await unlockFolder(folder, token)
  }
  // The first connection starts the worker; faults of the folder are reported here.
  try {
    await pool.query('select 1')
  } catch (error) {
    await endCheckpoints()
    await pool.end()
    throw toProblem(error)
  }
  const paths = new WeakMap<ClientBase, string>()
  const openSchema = (schema: string, onClose = () => Promise.resolve()) =>
    createPooled({
      name: 'pglite',
      schema,
      pool,
      turns,
      cancel: (_client, over, onRestart) => cancelStatement(over, { socket, inMemory, log, onRestart }),
      hasStatementTimeout: false,
      statementTimeoutMs,
      listen: createListen(pool, subscriptions),
      prepare: async (client) => {
        if (paths.get(client) === schema) return
        await client.query(formatSearchPath(schema))
        paths.set(client, schema)
      },
      close: onClose,
    })
  return { openSchema, close }
}

/** Creates the pool of the only connection. */
function createPool(stream: () => WorkerSocket, subscriptions: Subscriptions): Pool {
  return new pg.Pool({
    user: 'postgres',
    database: 'postgres',
    types: typeParsers,
    max: 1,
    idleTimeoutMillis: 0,
    stream,
    onConnect: async (client) => {
      tolerateLoss(client)
      await client.query([sessionSettings, subscriptions.formatListen()].join('; '))
      client.on('notification', ({ channel, payload }) => subscriptions.notify(channel, payload ?? ''))
    },
  })
}

interface Running {
  readonly turns: Turns
  readonly pool: Pool
  readonly log: Log
  findSocket(): WorkerSocket
}

/** Ends the worker between two statements, so that none fails; the next one starts another worker. */
async function restartWhenIdle({ turns, pool, log, findSocket }: Running): Promise<void> {
  const endTurn = await turns.take()
  try {
    const client = await pool.connect()
    log.warn({}, 'restarting the embedded database: errors of geometries have used up its memory')
    const socket = findSocket()
    await socket.kill()
    await socket.ended
    client.release(true)
  } catch (error) {
    // It was closed before.
    log.warn({ err: error }, 'the embedded database was not restarted')
  } finally {
    endTurn()
  }
}

function createListen(pool: Pool, subscriptions: Subscriptions): Database['listen'] {
  // Its only client is this process, which knows its own changes: losing the connection loses no news of others.
  return async (channel, onNotify) => {
    const subscriber = { onNotify }
    subscriptions.add(channel, subscriber)
    await pool.query(`listen ${pg.escapeIdentifier(channel)}`)
    return async () => {
      if (!subscriptions.remove(channel, subscriber)) return
      await pool.query(`unlisten ${pg.escapeIdentifier(channel)}`)
    }
  }
}

interface Cancelling {
  readonly socket: WorkerSocket
  readonly inMemory: boolean
  readonly log: Log
  readonly onRestart: () => void
}

/**
 * Stops the running statement. `statement_timeout` and cancel requests have no effect while the database computes in
 * WebAssembly, since its thread is busy. But on every call out, to read or write a file, rows or COPY input, it can be
 * made to stop at its next interrupt check. If it makes no call for too long (a join in memory, heavy geometry), its
 * worker is terminated; PostgreSQL's recovery restores all committed data in seconds. An in-memory database would lose
 * its data, so its statements are waited for.
 */
async function cancelStatement(
  over: Promise<unknown>,
  { socket, inMemory, log, onRestart }: Cancelling,
): Promise<void> {
  const kill = () => {
    onRestart()
    log.warn({}, 'could not cancel a query; restarting the embedded database')
    void socket.kill()
  }
  const timer = inMemory ? undefined : setTimeout(kill, cancelGraceMs)
  socket.requestCancel(true)
  await over
  clearTimeout(timer)
  socket.requestCancel(false)
}

// Only a checkout runs the TypeScript sources.
function getCacheFolder(): string {
  if (extname(import.meta.url) === '.ts')
    return fileURLToPath(new URL('../../.cache/pglite', import.meta.url))
  return join(homedir(), '.cache', 'landform')
}

/** The part of a driver pool that checkpoints need. */
interface CheckpointTarget {
  query<R extends object>(text: string): Promise<{ readonly rows: R[] }>
}

/** Write-ahead log written since the last checkpoint, in bytes, that makes a checkpoint due; recovery replays it. */
const dueBytes = 64 * 2 ** 20
const everyMs = 15_000

/**
 * Runs a checkpoint once the write-ahead log has grown past a limit, so that its files can be recycled. A PostgreSQL
 * server has a checkpointer process; the embedded database does not, so its log would grow without limit.
 *
 * @returns whether a checkpoint was run
 */
export async function checkpointWhenDue(database: CheckpointTarget, limitBytes = dueBytes): Promise<boolean> {
  const { rows } = await database.query<{ due: boolean }>(
    `select pg_current_wal_lsn() - redo_lsn > ${limitBytes} as due from pg_control_checkpoint()`,
  )
  if (rows[0]?.due !== true) return false
  await database.query('checkpoint')
  return true
}

/** Checks periodically, without keeping the process alive, until the returned function is called. */
function startCheckpoints(database: CheckpointTarget, log: Log): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = checkpointWhenDue(database).catch((error: unknown) =>
      log.warn({ err: error }, 'checkpoint of the embedded database failed'),
    )
  }, everyMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
