import type { ClientBase, PoolClient } from 'pg'
import pg from 'pg'
import { problem } from '../contract/problems.ts'
import type { CopyFormat, Database, Queryable, QueryOptions, Row, TransactionOptions } from './database.ts'
import { createSession, type Session } from './session.ts'
import { toProblem } from './sqlstate.ts'
import { currentParty, type Party, type Turns } from './turns.ts'
import { toAborted } from './watch.ts'

/** Where connections come from, and go back to when they are released. */
export interface ConnectionPool {
  connect(): Promise<PoolClient>
}

/** What the drivers do differently. */
export interface Driver {
  readonly name: Database['driver']
  readonly schema: string
  readonly pool: ConnectionPool
  /** Who gets a connection next. */
  readonly turns: Turns
  /** Stops the running statement of a connection, as `WatchOptions.cancel`. */
  cancel(client: ClientBase, over: Promise<unknown>): Promise<void>
  /** Whether `statement_timeout` works in the database itself; otherwise this process watches the time. */
  readonly hasStatementTimeout: boolean
  /** Most milliseconds a statement may take where nothing else is said. */
  readonly statementTimeoutMs?: number | undefined
  listen: Database['listen']
  /** Makes a connection ready for this database, where several share the pool. */
  prepare?(client: ClientBase): Promise<void>
  /** Waits for what the pool let go of, and lets go of the rest. */
  close(): Promise<void>
}

/** The settings each connection starts with, as SQL. */
export const sessionSettings =
  "set timezone to 'UTC'; set datestyle to 'ISO'; set bytea_output to 'hex'; set extra_float_digits to 1"

/** Gives the statement that makes a connection find everything in one schema, and PostGIS in `public`. */
export function formatSearchPath(schema: string): string {
  return `set search_path to ${pg.escapeIdentifier(schema)}, public`
}

/** Makes a Database of a pool of connections. */
export function createPooled(driver: Driver): Database {
  return new PooledDatabase(driver)
}

class PooledDatabase implements Database {
  readonly driver: Database['driver']
  readonly schema: string
  readonly #driver: Driver
  readonly #running = new Set<Promise<unknown>>()
  #closed: Promise<void> | undefined

  constructor(driver: Driver) {
    this.#driver = driver
    this.driver = driver.name
    this.schema = driver.schema
  }

  query<R extends object = Row>(
    text: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<R[]> {
    return this.#lease({}, (session) => session.query<R>(text, values, options))
  }

  copyIn(statement: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    return this.#lease({}, (session) => session.copyIn(statement, chunks))
  }

  async *copyOut(
    select: string,
    values?: readonly unknown[],
    format?: CopyFormat,
  ): AsyncGenerator<Uint8Array> {
    const given = Promise.withResolvers<Session>()
    const over = Promise.withResolvers<void>()
    const lease = this.#lease({}, (session) => {
      given.resolve(session)
      return over.promise
    })
    lease.catch(given.reject)
    const session = await given.promise
    try {
      yield* session.copyOut(select, values, format)
    } finally {
      over.resolve()
      await lease
    }
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const session = { signal: options.signal, timeoutMs: options.statementTimeoutMs, inTransaction: true }
    const limitMs = this.#driver.hasStatementTimeout ? this.#limitOf(session, currentParty()) : undefined
    return this.#lease(session, async (tx, client) => {
      await tx.query(formatBegin(options, limitMs))
      let result: T
      try {
        result = await work(tx)
        if (options.signal?.aborted) throw toAborted(options.signal)
      } finally {
        await tx.end()
      }
      await commit(client)
      return result
    })
  }

  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    return this.#driver.listen(channel, onNotify)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running)
    await this.#driver.close()
  }

  /** Does work on a connection of its own, then gives it back, without a transaction that stayed open. */
  #lease<T>(options: LeaseOptions, work: (session: Session, client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(problem('database/unavailable', 'the database is closed'))
    const result = this.#useClient(options, work)
    this.#running.add(result)
    const forget = () => this.#running.delete(result)
    result.then(forget, forget)
    return result
  }

  async #useClient<T>(
    options: LeaseOptions,
    work: (session: Session, client: PoolClient) => Promise<T>,
  ): Promise<T> {
    if (options.signal?.aborted) throw toAborted(options.signal)
    const party = currentParty()
    const endTurn = await this.#driver.turns.take(party?.name, options.signal)
    try {
      return await this.#useTurn({ ...options, timeoutMs: this.#limitOf(options, party) }, work)
    } finally {
      endTurn()
    }
  }

  /** Who starts a transaction says best how long a statement may take, then for whom it is. */
  #limitOf({ timeoutMs }: LeaseOptions, party: Party | undefined): number | undefined {
    return timeoutMs ?? party?.statementMs[this.driver] ?? this.#driver.statementTimeoutMs
  }

  async #useTurn<T>(
    options: LeaseOptions,
    work: (session: Session, client: PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await connect(this.#driver.pool)
    // A connection that is lost tells each of its statements; without a listener it would end the process.
    const ignore = () => undefined
    client.on('error', ignore)
    const watchesTime = !(options.inTransaction && this.#driver.hasStatementTimeout)
    const timeoutMs = watchesTime ? options.timeoutMs : undefined
    const cancel = (over: Promise<unknown>) => this.#driver.cancel(client, over)
    // The connections of the embedded database are one to it.
    const keepsStatements = this.driver === 'postgres'
    const session = createSession({ ...options, client, cancel, timeoutMs, keepsStatements })
    let broken = false
    try {
      await this.#driver.prepare?.(client)
      return await work(session, client)
    } catch (error) {
      broken = !(await rollback(client, options.inTransaction === true))
      throw error
    } finally {
      client.off('error', ignore)
      client.release(broken)
    }
  }
}

interface LeaseOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly inTransaction?: boolean
}

async function connect(pool: ConnectionPool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw toProblem(error)
  }
}

function formatBegin(options: TransactionOptions, limitMs: number | undefined): string {
  const { isolation = 'read committed', readOnly = false } = options
  const begin = `begin isolation level ${isolation} read ${readOnly ? 'only' : 'write'}`
  if (limitMs === undefined) return begin
  return `${begin}; set local statement_timeout to ${Math.max(1, Math.round(limitMs))}`
}

async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('commit').catch((error: unknown) => {
    throw toProblem(error)
  })
  // A commit after a failed statement that somebody swallowed is carried out as a rollback.
  if (command === 'COMMIT') return
  throw problem('database/query', 'nothing was saved: a statement of the transaction had failed')
}

/** Gives false when the connection is of no more use. */
async function rollback(client: PoolClient, inTransaction: boolean): Promise<boolean> {
  if (!inTransaction) return true
  try {
    await client.query('rollback')
    return true
  } catch {
    return false
  }
}
