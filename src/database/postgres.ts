import type { ClientBase, ClientConfig } from 'pg'
import pg from 'pg'
import type { Log } from '../core/log.ts'
import type { Database } from './database.ts'
import { Listener } from './listener.ts'
import { createPooled, formatSearchPath, sessionSettings } from './pooled.ts'
import { Turns } from './turns.ts'
import { typeParsers } from './values.ts'

/** Where the database is and how it is used. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** @default landform */
  readonly schema?: string
  /** Most connections at a time. @default 10 */
  readonly poolSize?: number
  /** Most milliseconds a statement may take where the transaction says nothing. @default none */
  readonly statementTimeoutMs?: number
  /** Most milliseconds a request waits for a connection before database/busy or database/unavailable. @default 10,000 */
  readonly connectTimeoutMs?: number
  readonly log: Log
}

/** The driver keeps the number of the process that serves a connection, without declaring it. */
type NumberedClient = ClientBase & { readonly processID: number | null }

/** A transaction that does nothing for so long holds its locks for nobody: PostgreSQL ends it. */
const idleInTransactionMs = 120_000

const defaultConnectTimeoutMs = 10_000

/**
 * Opens a PostgreSQL database with PostGIS. Connections are made when they are needed and replaced when they break: a
 * restart of the server fails what runs, and nothing later.
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
    formatSearchPath(schema),
    `set idle_in_transaction_session_timeout to ${idleInTransactionMs}`,
    `set statement_timeout to ${statementTimeoutMs ?? 0}`,
  ].join('; ')
  const pool = new pg.Pool({
    ...config,
    max: poolSize,
    onConnect: (client) => client.query(settings).then(() => undefined),
  })
  pool.on('error', (error) => log.warn({ err: error }, 'an idle connection to the database was lost'))
  const listener = new Listener(config, log)
  const database = createPooled({
    name: 'postgres',
    schema,
    pool,
    turns: new Turns({
      atOnce: poolSize,
      perParty: Math.max(1, poolSize - 2),
      waitMs: connectTimeoutMs,
    }),
    cancel: (client) => cancelBackend(client, config, log),
    hasStatementTimeout: true,
    listen: (channel, onNotify) => listener.listen(channel, onNotify),
    close: async () => {
      await listener.close()
      await pool.end()
    },
  })
  return Promise.resolve(database)
}

/**
 * Stops the running statement of a connection, on a connection of its own: those of the pool may all be busy. Never
 * rejects.
 */
export async function cancelBackend(busy: ClientBase, config: ClientConfig, log: Log): Promise<void> {
  const client = new pg.Client({ ...config, query_timeout: defaultConnectTimeoutMs })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select pg_cancel_backend($1)', [(busy as NumberedClient).processID])
  } catch (error) {
    log.warn({ err: error }, 'a query could not be cancelled')
  } finally {
    await client.end().catch(() => undefined)
  }
}
