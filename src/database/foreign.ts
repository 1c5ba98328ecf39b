import type { ClientBase, ClientConfig, PoolClient } from 'pg'
import pg from 'pg'
import type { Log } from '../core/log.ts'
import type { Database } from './database.ts'
import { createPooled, sessionSettings } from './pooled.ts'
import { cancelBackend } from './postgres.ts'
import { Turns } from './turns.ts'
import { typeParsers } from './values.ts'

/** How a connection is secured, in the words of libpq; null is `prefer`. */
export type SslMode = 'disable' | 'allow' | 'prefer' | 'require' | 'verify-ca' | 'verify-full' | null

/** A database of somebody else: how it is reached, and how much is asked of it at most. */
export interface ForeignOptions {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string
  readonly sslMode: SslMode
  /** Most connections at a time. */
  readonly poolSize: number
  /** Most milliseconds until a connection stands, or one of the pool is free. */
  readonly connectMs: number
  /** Most milliseconds a statement may take where the transaction says nothing. */
  readonly statementTimeoutMs: number
  readonly log: Log
}

/** An unused connection is given up after so long. */
const idleMs = 30_000

/** How long a statement that was cancelled may take to end, before its connection is cut. */
const patienceMs = 5_000

/**
 * The way of names stays that of the login, so that triggers and views find what they need; PostGIS is found wherever it
 * stands. Nobody waits for ever for a lock, or for who forgot a transaction.
 */
const settings = `${sessionSettings};
  set standard_conforming_strings to on; set lock_timeout to 15000; set idle_in_transaction_session_timeout to 120000;
  select set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), (
    select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
     where e.extname = 'postgis')), false)`

/**
 * Opens a PostgreSQL database that is not ours: nothing is made in it, and nothing is asked of it but what the caller
 * asks. Connections are made when they are needed, given up when nobody needs them, and cut when nobody answers.
 */
export function openForeign(options: ForeignOptions): Database {
  const { log, statementTimeoutMs, sslMode } = options
  let config = configOf(options, sslOf(sslMode))
  let pool = createPool(config, options)
  const prefers = sslMode === null || sslMode === 'prefer' || sslMode === 'allow'
  const connect = async (): Promise<PoolClient> => {
    try {
      return await pool.connect()
    } catch (error) {
      if (!prefers || !isWithoutSsl(error)) throw error
      if (config.ssl !== false) {
        config = configOf(options, false)
        pool = createPool(config, options)
      }
      return pool.connect()
    }
  }
  return createPooled({
    name: 'postgres',
    schema: '',
    pool: { connect },
    turns: new Turns({
      atOnce: options.poolSize,
      perParty: Math.max(1, options.poolSize - 2),
      waitMs: options.connectMs,
    }),
    cancel: (client, over) => cancelOrCut(client, over, () => cancelBackend(client, config, log)),
    // The clock is watched here: a database that is cut off watches none.
    hasStatementTimeout: false,
    statementTimeoutMs,
    listen: () => Promise.reject(new Error('nothing is listened for in a foreign database')),
    close: () => pool.end(),
  })
}

/** What secures a connection; false where nothing does. */
type Encryption = NonNullable<Exclude<ClientConfig['ssl'], true>>

function configOf(options: ForeignOptions, ssl: Encryption): ClientConfig {
  const { host, port, database, user, password, connectMs } = options
  return {
    host,
    port,
    database,
    user,
    // As a function: an empty text would be replaced by what the environment says, and a text may be printed.
    password: () => password,
    ssl,
    application_name: 'landform',
    types: typeParsers,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: connectMs,
  }
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

/** The driver leaves the socket of a login that came to nothing to the database, which waits for it for a minute. */
class ClosingClient extends pg.Client {
  override connect(): Promise<pg.Client>
  override connect(done: Connected): void
  override connect(done?: Connected): unknown {
    if (done === undefined) return super.connect()
    const connected = done as (error: Error | null, client: pg.Client) => void
    return super.connect((error: Error | null) => {
      if (error) cut(this)
      connected(error, this)
    })
  }
}

function createPool(config: ClientConfig, { poolSize, connectMs, log }: ForeignOptions): pg.Pool {
  const pool = new pg.Pool({
    ...config,
    Client: ClosingClient,
    max: poolSize,
    idleTimeoutMillis: idleMs,
    allowExitOnIdle: true,
    onConnect: (client) => within(client, connectMs, client.query(settings)),
  })
  // The driver hangs the whole connection on its error: that is nothing for a log.
  pool.on('error', ({ message }) =>
    log.warn({ host: config.host, reason: message }, 'an idle connection to a foreign database was lost'),
  )
  return pool
}

function sslOf(mode: SslMode): Encryption {
  if (mode === 'disable') return false
  if (mode === 'verify-full') return { rejectUnauthorized: true }
  if (mode === 'verify-ca') return { rejectUnauthorized: true, checkServerIdentity: () => undefined }
  return { rejectUnauthorized: false }
}

const isWithoutSsl = (error: unknown) =>
  error instanceof Error && error.message.includes('does not support SSL')

type CuttableClient = ClientBase & { readonly connection: { readonly stream: { destroy(): void } } }

function cut(client: ClientBase): void {
  const { stream } = (client as CuttableClient).connection
  stream.destroy()
}

/** Cuts the connection when its work takes too long. */
async function within(client: ClientBase, limitMs: number, work: Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => cut(client), limitMs)
  try {
    await work
  } finally {
    clearTimeout(timer)
  }
}

async function cancelOrCut(client: ClientBase, over: Promise<unknown>, cancel: () => Promise<void>) {
  within(client, patienceMs, over).catch(() => undefined)
  await cancel()
}
