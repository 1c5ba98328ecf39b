import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClientBase, Pool } from 'pg'
import pg from 'pg'
import type { Log } from '../core/log.ts'
import { startCheckpoints } from './checkpoint.ts'
import type { Database } from './database.ts'
import { unlockFolder } from './lock.ts'
import { createPooled, formatSearchPath, sessionSettings } from './pooled.ts'
import { WorkerSocket } from './socket.ts'
import { toProblem } from './sqlstate.ts'
import { Subscriptions } from './subscriptions.ts'
import { Turns } from './turns.ts'
import { typeParsers } from './values.ts'

/** Where the embedded database stands and how it is used. */
export interface EmbeddedOptions {
  /** Folder of its own, made where there is none; or `memory` for one that ends with the process. */
  readonly folder: string | 'memory'
  /** @default landform */
  readonly schema?: string
  /** Most milliseconds a statement may take where the transaction says nothing. @default none */
  readonly statementTimeoutMs?: number
  /** Where the prepared data folder is kept. @default `.cache/pglite` of a checkout, else `landform` in the user's cache */
  readonly cacheFolder?: string
  readonly log: Log
}

/** How long a cancelled statement may go on before its worker is ended and started anew. */
const cancelGraceMs = 1000

/**
 * Opens PostgreSQL with PostGIS in a worker thread of this process (PGlite). There is one connection: transactions and
 * statements take turns in the order they were asked for.
 *
 * @throws {Problem} database/locked while another process uses the folder
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Database> {
  const engine = await openEngine(options)
  return engine.openSchema(options.schema ?? 'landform', engine.close)
}

/** A running embedded database. */
export interface Engine {
  /** Gives a Database that finds its names in a schema. Several may share the engine, and take turns. */
  openSchema(schema: string, onClose?: () => Promise<void>): Database
  close(): Promise<void>
}

/** Starts the embedded database for one or several schemas. @throws {Problem} as `openEmbedded` */
export async function openEngine(options: Omit<EmbeddedOptions, 'schema'>): Promise<Engine> {
  const { folder, statementTimeoutMs, log } = options
  const inMemory = folder === 'memory'
  const token = randomUUID()
  const cacheFolder = options.cacheFolder ?? getCacheFolder()
  const data = { folder: inMemory ? undefined : folder, token, cacheFolder }
  const subscriptions = new Subscriptions()
  let socket = new WorkerSocket(data)
  const pool = new pg.Pool({
    user: 'postgres',
    database: 'postgres',
    types: typeParsers,
    max: 1,
    idleTimeoutMillis: 0,
    stream: () => {
      socket = new WorkerSocket(data)
      return socket
    },
    onConnect: async (client) => {
      await client.query([sessionSettings, subscriptions.formatListen()].join('; '))
      client.on('notification', ({ channel, payload }) => subscriptions.notify(channel, payload ?? ''))
    },
  })
  pool.on('error', (error) => log.error({ err: error }, 'the embedded database has stopped'))
  const endCheckpoints = startCheckpoints(pool, log)
  const close = async () => {
    await endCheckpoints()
    await pool.end()
    await socket.ended
    if (!inMemory) await unlockFolder(folder, token)
  }
  // The first connection starts the worker: what is wrong with the folder shows here.
  try {
    await pool.query('select 1')
  } catch (error) {
    await endCheckpoints()
    await pool.end()
    throw toProblem(error)
  }
  const turns = new Turns({ atOnce: 1, perParty: 1 })
  const paths = new WeakMap<ClientBase, string>()
  const openSchema = (schema: string, onClose = () => Promise.resolve()) =>
    createPooled({
      name: 'pglite',
      schema,
      pool,
      turns,
      cancel: (_client, over) => cancelStatement(over, { socket, inMemory, log }),
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

function createListen(pool: Pool, subscriptions: Subscriptions): Database['listen'] {
  return async (channel, onNotify) => {
    subscriptions.add(channel, onNotify)
    await pool.query(`listen ${pg.escapeIdentifier(channel)}`)
    return async () => {
      if (!subscriptions.remove(channel, onNotify)) return
      await pool.query(`unlisten ${pg.escapeIdentifier(channel)}`)
    }
  }
}

/**
 * Stops the running statement. Nothing reaches a database that computes in WebAssembly: neither `statement_timeout`
 * nor a request to cancel, for its thread takes no other call until it is done. But wherever it calls out, to read or
 * write a file, a page of rows or the input of a copy, it can be told to stop at its next safe point. What calls
 * nothing for too long (a join in memory, heavy geometry) is ended with its worker; PostgreSQL's recovery then brings
 * back all that was committed, in seconds. In memory nothing would come back, so there it is waited for.
 */
async function cancelStatement(
  over: Promise<unknown>,
  { socket, inMemory, log }: { socket: WorkerSocket; inMemory: boolean; log: Log },
): Promise<void> {
  const kill = () => {
    log.warn({}, 'a query could not be cancelled: the embedded database is started anew')
    void socket.kill()
  }
  const timer = inMemory ? undefined : setTimeout(kill, cancelGraceMs)
  socket.requestCancel(true)
  await over
  clearTimeout(timer)
  socket.requestCancel(false)
}

// In a checkout, sources are run as they are.
function getCacheFolder(): string {
  if (extname(import.meta.url) === '.ts')
    return fileURLToPath(new URL('../../.cache/pglite', import.meta.url))
  return join(homedir(), '.cache', 'landform')
}
