import { once } from 'node:events'
import type { ClientBase } from 'pg'
import { problem } from '../contract/problems.ts'
import { CopyIn } from './copy_in.ts'
import { CopyOut } from './copy_out.ts'
import type { CopyFormat, CopyOptions, Queryable, QueryOptions, Row } from './database.ts'
import { serializeValue } from './pg_values.ts'
import { toProblem } from './sqlstate.ts'
import { toAborted, Watch, type WatchOptions } from './statement_watch.ts'

/** An exclusively leased connection. */
export interface SessionOptions extends WatchOptions {
  readonly client: ClientBase
  /** Whether a transaction is open, which an aborted COPY must not fail. */
  readonly inTransaction?: boolean
  /** Whether prepared statements may be used. */
  readonly usesPrepared?: boolean
}

/** A Queryable on one connection. Its statements run one after the other, in the order they were requested. */
export interface Session extends Queryable {
  /** Refuses new statements, and waits for those requested. */
  end(): Promise<void>
}

const copyFormats: Readonly<Record<CopyFormat, string>> = {
  // With these delimiters COPY never quotes a row without line feeds.
  lines: String.raw`(format csv, delimiter E'\x02', quote E'\x01')`,
  binary: '(format binary)',
}

/**
 * Statements before a COPY in a transaction. Parallel workers are disabled because the planner of PostgreSQL 15
 * underestimates them for COPY in index order: it chooses a parallel scan and sorts the entire table first.
 */
const beforeCopy = 'savepoint before_copy; set local max_parallel_workers_per_gather = 0'

/** Creates a session on an exclusively leased connection. */
export function createSession(options: SessionOptions): Session {
  return new ClientSession(options)
}

class ClientSession implements Session {
  readonly #options: SessionOptions
  #last: Promise<unknown> = Promise.resolve()
  #copying = false
  #ended = false

  constructor(options: SessionOptions) {
    this.#options = options
  }

  query<R extends object = Row>(
    text: string,
    values: readonly unknown[] = [],
    { prepared = false }: QueryOptions = {},
  ): Promise<R[]> {
    return this.#run(async (client) => {
      const isPrepared = prepared && this.#options.usesPrepared
      const name = isPrepared ? { name: await nameStatement(client, text) } : {}
      const result = await client.query({ text, values: values.map(serializeValue), ...name })
      // A text with several statements has several results.
      const last: { rows: R[] } | undefined = Array.isArray(result) ? result.at(-1) : result
      return last?.rows ?? []
    })
  }

  copyIn(statement: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    return this.#run(async (client, stopped) => {
      const idle = whenIdle(client)
      const copy = client.query(new CopyIn(statement))
      this.#copying = true
      try {
        return await copy.feed(chunks, stopped)
      } finally {
        this.#copying = false
        await idle
      }
    })
  }

  async *copyOut(
    select: string,
    values: readonly unknown[] = [],
    { format = 'lines' }: CopyOptions = {},
  ): AsyncGenerator<Uint8Array> {
    const statement = `copy (${bindLiterals(select, values)}\n) to stdout ${copyFormats[format]}`
    const release = await this.#acquire()
    try {
      yield* this.#copyRows(statement)
    } finally {
      release()
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.#last
  }

  async *#copyRows(statement: string): AsyncGenerator<Uint8Array> {
    const { client, inTransaction } = this.#options
    if (inTransaction) await control(client, beforeCopy)
    const idle = whenIdle(client)
    const copy = client.query(new CopyOut(statement))
    const watch = new Watch(this.#options)
    watch.start(idle)
    this.#copying = true
    let ended = false
    try {
      const blocks = copy.blocks()
      for (;;) {
        const { done, value } = await watch.waitForRows(blocks.next())
        if (done) break
        yield value
      }
      ended = true
    } catch (error) {
      ended = true
      throw watch.explain(error)
    } finally {
      if (!ended) {
        copy.discard()
        watch.stop()
      }
      await watch.end()
      if (inTransaction && !ended) await control(client, 'rollback to savepoint before_copy')
      this.#copying = false
    }
  }

  /** Runs work after all earlier work, with time limit and abort signal. */
  async #run<T>(work: (client: ClientBase, stopped: AbortSignal) => Promise<T>): Promise<T> {
    const release = await this.#acquire()
    const watch = new Watch(this.#options)
    try {
      const result = work(this.#options.client, watch.stopped)
      watch.start(result)
      try {
        return await result
      } catch (error) {
        throw watch.explain(error)
      } finally {
        await watch.end()
      }
    } finally {
      release()
    }
  }

  /** Waits for exclusive use of the connection; returns the function that releases it. */
  async #acquire(): Promise<() => void> {
    if (this.#ended) throw problem('database/query', 'the transaction has ended')
    if (this.#copying) throw problem('database/query', 'a COPY is in progress on this connection')
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    if (!this.#options.signal?.aborted) return resolve
    resolve()
    throw toAborted(this.#options.signal)
  }
}

/** Runs a statement around a COPY, and converts its errors. */
async function control(client: ClientBase, statement: string): Promise<void> {
  try {
    await client.query(statement)
  } catch (error) {
    throw toProblem(error)
  }
}

/** Resolves when the connection has finished the statement that is sent next, or is lost. */
async function whenIdle(client: ClientBase): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  const events = ['drain', 'end', 'error'].map((event) => once(client, event, { signal }))
  await Promise.race(events).catch(() => undefined)
  done.abort()
  await Promise.allSettled(events)
}

/** Maximum number of prepared statements of a connection. */
const maxStatements = 200

interface PreparedStatements {
  readonly names: Map<string, string>
  /** Number of statements prepared so far; names are never reused. */
  count: number
}

const connections = new WeakMap<ClientBase, PreparedStatements>()

/**
 * Returns the name of the prepared statement of a text on a connection, so that it is parsed and planned once. If there
 * are too many, all are deallocated.
 */
async function nameStatement(client: ClientBase, text: string): Promise<string> {
  const statements = connections.get(client) ?? { names: new Map<string, string>(), count: 0 }
  connections.set(client, statements)
  const existing = statements.names.get(text)
  if (existing !== undefined) return existing
  if (statements.names.size >= maxStatements) {
    statements.names.clear()
    await client.query('deallocate all')
  }
  statements.count += 1
  const name = `prepared_${statements.count}`
  statements.names.set(text, name)
  return name
}

/**
 * Formats a value as SQL equivalent to the bound value: a quoted literal whose type the database infers from its
 * context, as for `$1`.
 *
 * @throws {Problem} database/query for a string with a NUL character, which PostgreSQL cannot store
 */
export function formatLiteral(value: unknown): string {
  const text = serializeValue(value)
  if (text === null) return 'null'
  if (text.includes('\0')) {
    throw problem('database/query', 'a value contains a NUL character', { data: { sqlstate: '22021' } })
  }
  const doubled = text.replaceAll("'", "''")
  // Spaces keep it apart from adjacent tokens.
  return text.includes('\\') ? ` E'${doubled.replaceAll('\\', '\\\\')}' ` : ` '${doubled}' `
}

/** Parameters, and the tokens that may contain text like `$1`: strings, identifiers, comments, dollar quotes. */
const token =
  /[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(?<tag>[A-Za-z_]\w*)?\$[\s\S]*?\$\k<tag>\$|[A-Za-z_][\w$]*|\$(?<position>\d+)/gs

/**
 * Replaces `$1`, `$2`, … with literals, for statements that do not accept bound values (COPY).
 *
 * @throws {Problem} database/query if a parameter has no value
 */
export function bindLiterals(text: string, values: readonly unknown[]): string {
  return text.replaceAll(token, (match, ...rest) => {
    const { position } = rest.at(-1) as { position?: string }
    if (position === undefined) return match
    const at = Number(position) - 1
    if (at < 0 || at >= values.length) {
      throw problem('database/query', `no value for parameter ${match}`, { data: { sqlstate: '42P02' } })
    }
    return formatLiteral(values[at])
  })
}
