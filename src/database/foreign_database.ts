import type { ClientBase, ClientConfig, PoolClient } from 'pg'
import pg from 'pg'
import type { Log } from '../core/log.ts'
import type { Database } from './database.ts'
import { typeParsers } from './pg_values.ts'
import { createPooled, sessionSettings, tolerateLoss } from './pooled_database.ts'
import { cancelBackend } from './postgres.ts'
import { Turns } from './turns.ts'

/** TLS mode of a connection, as libpq's `sslmode`; null means `prefer`. */
export type SslMode = 'disable' | 'allow' | 'prefer' | 'require' | 'verify-ca' | 'verify-full' | null

/** Connection parameters and limits of a foreign database. */
export interface ForeignOptions {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string
  readonly sslMode: SslMode
  /** Maximum number of connections. */
  readonly poolSize: number
  /** Maximum wait for a new or pooled connection, in milliseconds. */
  readonly connectMs: number
  /** Default statement timeout, and maximum wait for the next rows of a COPY, in milliseconds. */
  readonly statementTimeoutMs: number
  readonly log: Log
}

/** Idle time after which a connection is closed. */
const idleMs = 30_000

/** Time for a cancelled statement to end before its connection is destroyed. */
const cancelTimeoutMs = 5_000

/**
 * Session settings. The search path of the login is kept, so that triggers and views resolve their names, and extended
 * by the schema of PostGIS. Time-outs limit waits for locks and idle transactions.
 */
const settings = `${sessionSettings};
  set standard_conforming_strings to on; set lock_timeout to 15000; set idle_in_transaction_session_timeout to 120000;
  select set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), (
    select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
     where e.extname = 'postgis')), false)`

/**
 * Opens a PostgreSQL database that is not ours: creates nothing in it and runs only the statements of the caller.
 * Connections are opened on demand, closed when idle, and destroyed when they do not respond.
 */
export function openForeign(options: ForeignOptions): Database {
  const { log, statementTimeoutMs, sslMode } = options
  let config = configOf(options, sslOf(sslMode))
  let pool = createPool(config, options)
  const allowsPlaintext = sslMode === null || sslMode === 'prefer' || sslMode === 'allow'
  const connect = async (): Promise<PoolClient> => {
    try {
      return await pool.connect()
    } catch (error) {
      if (!allowsPlaintext || !isSslUnsupported(error)) throw error
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
      // A table may be locked, or a slow view.
      perTable: Math.max(1, Math.floor(options.poolSize / 2)),
      waitMs: options.connectMs,
    }),
    cancel: (client, over) => cancelOrCut(client, over, () => cancelBackend(client, over, { config, log })),
    // Enforced by this process: a database that cannot be reached enforces no time-out.
    hasStatementTimeout: false,
    statementTimeoutMs,
    stallMs: statementTimeoutMs,
    listen: () => Promise.reject(new Error('LISTEN is not supported on foreign databases')),
    close: () => pool.end(),
  })
}

/** TLS settings of a connection; false for plaintext. */
type Encryption = NonNullable<Exclude<ClientConfig['ssl'], true>>

function configOf(options: ForeignOptions, ssl: Encryption): ClientConfig {
  const { host, port, database, user, password, connectMs } = options
  return {
    host,
    port,
    database,
    user,
    // A function: the driver replaces an empty string by PGPASSWORD, and a string might be printed.
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

/** Closes the socket of a failed login, which the driver leaves open until the database times out after a minute. */
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
    onConnect: (client) => {
      tolerateLoss(client)
      return cutAfter(client, connectMs, client.query(settings))
    },
  })
  // Logs the message only: the driver attaches the entire connection to its errors.
  pool.on('error', ({ message }) =>
    log.warn({ host: config.host, reason: message }, 'lost an idle connection to a foreign database'),
  )
  return pool
}

function sslOf(mode: SslMode): Encryption {
  if (mode === 'disable') return false
  if (mode === 'verify-full') return { rejectUnauthorized: true }
  if (mode === 'verify-ca') return { rejectUnauthorized: true, checkServerIdentity: () => undefined }
  return { rejectUnauthorized: false }
}

const isSslUnsupported = (error: unknown) =>
  error instanceof Error && error.message.includes('does not support SSL')

type CuttableClient = ClientBase & { readonly connection: { readonly stream: { destroy(): void } } }

function cut(client: ClientBase): void {
  const { stream } = (client as CuttableClient).connection
  stream.destroy()
}

/** Destroys the connection if the work exceeds a time limit. */
async function cutAfter(client: ClientBase, limitMs: number, work: Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => cut(client), limitMs)
  try {
    await work
  } finally {
    clearTimeout(timer)
  }
}

async function cancelOrCut(client: ClientBase, over: Promise<unknown>, cancel: () => Promise<void>) {
  cutAfter(client, cancelTimeoutMs, over).catch(() => undefined)
  await cancel()
}
