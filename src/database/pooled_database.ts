import type { ClientBase, PoolClient } from 'pg'
import pg from 'pg'
import { slowLimits } from '../contract/limits.ts'
import { problem } from '../contract/problems.ts'
import { isProblem } from '../core/problem.ts'
import type { CopyOptions, Database, Queryable, QueryOptions, Row, TransactionOptions } from './database.ts'
import { createSession, type Session } from './database_session.ts'
import type { TurnEnd } from './held_turns.ts'
import { toProblem } from './sqlstate.ts'
import { toAborted } from './statement_watch.ts'
import { currentParty, type Party, type Turns } from './turns.ts'

/** A source of connections, which return to it on release. */
export interface ConnectionPool {
  connect(): Promise<PoolClient>
}

/** Parts that differ between the drivers. */
export interface Driver {
  readonly name: Database['driver']
  readonly schema: string
  readonly pool: ConnectionPool
  /** Decides who gets a connection next. */
  readonly turns: Turns
  /** Cancels the running statement of a connection, as `WatchOptions.cancel`; calls back before it restarts the database. */
  cancel(client: ClientBase, over: Promise<unknown>, onRestart: () => void): Promise<void>
  /** Whether the database enforces `statement_timeout`; otherwise this process does. */
  readonly hasStatementTimeout: boolean
  /** Default statement timeout, in milliseconds. */
  readonly statementTimeoutMs?: number | undefined
  /** Maximum wait for the next rows of a COPY, in milliseconds. */
  readonly stallMs?: number | undefined
  listen: Database['listen']
  /** Prepares a connection for this database if several share the pool. */
  prepare?(client: ClientBase): Promise<void>
  /** Closes all connections of the pool. */
  close(): Promise<void>
}

/** Initial settings of each connection, as SQL. */
export const sessionSettings =
  "set timezone to 'UTC'; set datestyle to 'ISO'; set bytea_output to 'hex'; set extra_float_digits to 1"

/**
 * Keeps a lost connection from ending the process at any moment, such as between two of its users: its statements fail, and
 * its pool replaces it. Called for each new connection.
 */
export function tolerateLoss(client: ClientBase): void {
  client.on('error', () => undefined)
}

/** Returns the statement that sets the search path to a schema, and `public` for PostGIS. */
export function formatSearchPath(schema: string): string {
  return `set search_path to ${pg.escapeIdentifier(schema)}, public`
}

/** Creates a Database on a connection pool. */
export function createPooled(driver: Driver): Database {
  return new PooledDatabase(driver)
}

class PooledDatabase implements Database {
  readonly driver: Database['driver']
  readonly schema: string
  readonly #driver: Driver
  readonly #running = new Set<Promise<unknown>>()
  readonly #writeCallbacks = new Set<() => void>()
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
    const isWrite = mayWrite(text)
    return this.#lease({ signal: options?.signal, table: options?.table, isWrite }, (session) =>
      session.query<R>(text, values, options),
    )
  }

  copyIn(statement: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    return this.#lease({ isWrite: true }, (session) => session.copyIn(statement, chunks))
  }

  async *copyOut(
    select: string,
    values?: readonly unknown[],
    options: CopyOptions = {},
  ): AsyncGenerator<Uint8Array> {
    const leased = Promise.withResolvers<Session>()
    const over = Promise.withResolvers<void>()
    const lease = this.#lease({ signal: options.signal, table: options.table }, (session) => {
      leased.resolve(session)
      return over.promise
    })
    lease.catch(leased.reject)
    const session = await leased.promise
    try {
      yield* session.copyOut(select, values, options)
    } catch (error) {
      this.#announceWrite()
      throw error
    } finally {
      over.resolve()
      await lease
    }
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { signal, statementTimeoutMs: timeoutMs, readOnly, table, isExport } = options
    const session = { signal, timeoutMs, table, isExport, inTransaction: true, isWrite: readOnly !== true }
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

  listen(...subscription: Parameters<Database['listen']>): Promise<() => Promise<void>> {
    return this.#driver.listen(...subscription)
  }

  onWrite(callback: () => void): () => void {
    this.#writeCallbacks.add(callback)
    return () => void this.#writeCallbacks.delete(callback)
  }

  #announceWrite(): void {
    for (const callback of this.#writeCallbacks) callback()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running)
    await this.#driver.close()
  }

  /** Runs work on an exclusive connection, then releases it, without an open transaction. */
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
    const use = { table: options.table, isMap: party?.isMap, isExport: options.isExport }
    const endTurn = await this.#driver.turns.take(party?.name, options.signal, use)
    const start = performance.now()
    let end: TurnEnd = 'done'
    const onRestart = () => {
      end = 'killed'
    }
    try {
      const timeoutMs = this.#limitOf(options, party)
      const result = await this.#useTurn({ ...options, timeoutMs, onRestart }, work)
      if (options.isWrite) this.#announceWrite()
      return result
    } catch (error) {
      const isAbandoned = options.signal?.aborted && performance.now() - start >= slowLimits.abandonedMs
      if (end === 'done' && (isAbandoned || isProblem(error, 'database/timeout'))) end = 'overdue'
      // A commit whose answer was lost may have succeeded.
      this.#announceWrite()
      throw error
    } finally {
      endTurn(end)
    }
  }

  /** Returns the statement timeout: that of the transaction, else of the party, else of the driver. */
  #limitOf({ timeoutMs, table, isWrite }: LeaseOptions, party: Party | undefined): number | undefined {
    const limitMs = timeoutMs ?? party?.statementMs[this.driver] ?? this.#driver.statementTimeoutMs
    // All others wait for the only connection of the embedded database.
    const waits = this.driver === 'pglite' && table !== undefined && isWrite !== true
    if (!waits || party === undefined || !this.#driver.turns.isHeld(party.name)) return limitMs
    return Math.min(limitMs ?? slowLimits.heldMs, slowLimits.heldMs)
  }

  async #useTurn<T>(
    options: LeaseOptions & { readonly onRestart: () => void },
    work: (session: Session, client: PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await connect(this.#driver.pool)
    const limitsTime = !(options.inTransaction && this.#driver.hasStatementTimeout)
    const timeoutMs = limitsTime ? options.timeoutMs : undefined
    const { stallMs } = this.#driver
    const cancel = (over: Promise<unknown>) => this.#driver.cancel(client, over, options.onRestart)
    // The embedded database has one session for all connections.
    const usesPrepared = this.driver === 'postgres'
    const session = createSession({ ...options, client, cancel, timeoutMs, stallMs, usesPrepared })
    let broken = false
    try {
      await this.#driver.prepare?.(client)
      return await work(session, client)
    } catch (error) {
      broken = !(await rollback(client, options.inTransaction === true))
      throw error
    } finally {
      client.release(broken)
    }
  }
}

interface LeaseOptions {
  readonly signal?: AbortSignal | undefined
  readonly table?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly inTransaction?: boolean
  readonly isExport?: boolean | undefined
  /** Whether the work may change data. */
  readonly isWrite?: boolean
}

/** Tells whether a statement may change data. */
function mayWrite(text: string): boolean {
  const [, verb = ''] = /^\s*(\w+)/.exec(text) ?? []
  if (/^with$/i.test(verb)) return /\b(insert|update|delete|merge)\b/i.test(text)
  return !/^(select|table|values|listen|unlisten)$/i.test(verb)
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
  // PostgreSQL answers COMMIT with a rollback if a statement failed and its error was ignored.
  if (command === 'COMMIT') return
  throw problem('database/query', 'transaction rolled back: one of its statements failed')
}

/** Returns false if the connection can no longer be used. */
async function rollback(client: PoolClient, inTransaction: boolean): Promise<boolean> {
  if (!inTransaction) return true
  try {
    await client.query('rollback')
    return true
  } catch {
    return false
  }
}
