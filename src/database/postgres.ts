import { setTimeout } from 'node:timers/promises'
import type { ClientBase, ClientConfig } from 'pg'
import pg from 'pg'
import type { Log } from '../core/log.ts'
import type { Database } from './database.ts'
import { Listener } from './notification_listener.ts'
import { typeParsers } from './pg_values.ts'
import { createPooled, formatSearchPath, sessionSettings, tolerateLoss } from './pooled_database.ts'
import { Turns } from './turns.ts'

/** Options of a PostgreSQL connection pool. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** @default landform */
  readonly schema?: string
  /** Maximum number of connections. @default 10 */
  readonly poolSize?: number
  /** Default statement timeout, in milliseconds. @default none */
  readonly statementTimeoutMs?: number
  /** Maximum wait for a connection, in milliseconds; then database/busy or database/unavailable. @default 10,000 */
  readonly connectTimeoutMs?: number
  readonly log: Log
}

/** A client with the PID of its backend, which the driver does not declare. */
type ClientWithPid = ClientBase & { readonly processID: number | null }

/** Time-out of idle transactions, which hold locks. */
const idleInTransactionMs = 120_000

const defaultConnectTimeoutMs = 10_000

/** How many times longer than other work an export waits for a connection. */
const exportWaits = 6

/**
 * Opens a PostgreSQL database with PostGIS. Connections are opened on demand and replaced when lost: a restart of the
 * server fails only the statements that run.
 */
export function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, schema = 'landform', poolSize = 10, statementTimeoutMs, log } = options
  const { connectTimeoutMs = defaultConnectTimeoutMs } = options
  const config: ClientConfig = {
    connectionString: url,
    application_name: 'landform',
    types: typeParsers,
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
  }
  const settings = [
    sessionSettings,
    // Statements take milliseconds. Without statistics, PostgreSQL expects many rows and would compile for longer than it runs.
    'set jit to off',
    formatSearchPath(schema),
    `set idle_in_transaction_session_timeout to ${idleInTransactionMs}`,
    `set statement_timeout to ${statementTimeoutMs ?? 0}`,
  ].join('; ')
  const pool = new pg.Pool({
    ...config,
    max: poolSize,
    onConnect: async (client) => {
      tolerateLoss(client)
      await client.query(settings)
    },
  })
  pool.on('error', (error) => log.warn({ err: error }, 'lost an idle connection to the database'))
  const listener = new Listener(config, log)
  const database = createPooled({
    name: 'postgres',
    schema,
    pool,
    turns: new Turns({
      atOnce: poolSize,
      perParty: Math.max(1, poolSize - 2),
      waitMs: connectTimeoutMs,
      exportWaitMs: exportWaits * connectTimeoutMs,
    }),
    cancel: (client, over) => cancelBackend(client, over, { config, log }),
    hasStatementTimeout: true,
    listen: (channel, onNotify, onLost) => listener.listen(channel, { onNotify, onLost }),
    close: async () => {
      await listener.close()
      await pool.end()
    },
  })
  return Promise.resolve(database)
}

/** How to reach the database of a connection whose statement is cancelled. */
export interface CancelOptions {
  readonly config: ClientConfig
  readonly log: Log
}

/** Pause before a statement is cancelled again, in milliseconds. */
const cancelPauseMs = 100

/**
 * Cancels the running statement of a connection, again and again until it has ended: a request that arrives before the
 * statement has started, or between two of them, has no effect. Uses a new connection, since those of the pool may all
 * be busy. Never rejects.
 *
 * @param over settles when the statement has ended
 */
export async function cancelBackend(
  busy: ClientBase,
  over: Promise<unknown>,
  { config, log }: CancelOptions,
): Promise<void> {
  const client = new pg.Client({ ...config, query_timeout: defaultConnectTimeoutMs })
  client.on('error', () => undefined)
  let isOver = false
  const ended = over
    .catch(() => undefined)
    .then(() => {
      isOver = true
    })
  try {
    await client.connect()
    while (!isOver) {
      await client.query('select pg_cancel_backend($1)', [(busy as ClientWithPid).processID])
      await Promise.race([ended, setTimeout(cancelPauseMs, undefined, { ref: false })])
    }
  } catch (error) {
    log.warn({ err: error }, 'could not cancel a query')
  } finally {
    await client.end().catch(() => undefined)
  }
}
