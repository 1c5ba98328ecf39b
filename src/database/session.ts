import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import pgCopy from 'pg-copy-streams'
import { problem } from '../contract/problems.ts'
import type { CopyFormat, Queryable, QueryOptions, Row } from './database.ts'
import { bindLiterals } from './literal.ts'
import { SourceFault, toProblem } from './sqlstate.ts'
import { keepStatement } from './statements.ts'
import { serializeValue } from './values.ts'
import { toAborted, Watch, type WatchOptions } from './watch.ts'

/** One connection while somebody has it to himself. */
export interface SessionOptions extends WatchOptions {
  readonly client: ClientBase
  /** Whether a transaction is open: a copy that is broken off must not spoil it. */
  readonly inTransaction?: boolean
  /** Whether it may keep statements that recur. */
  readonly keepsStatements?: boolean
}

/** A Queryable on one connection. Its statements run one after the other, in the order they were asked for. */
export interface Session extends Queryable {
  /** Refuses what is asked for from now on, and waits for what was. */
  end(): Promise<void>
}

const copyFormats: Readonly<Record<CopyFormat, string>> = {
  // A row without line feeds is never quoted with these two around, whatever else is in it.
  lines: String.raw`(format csv, delimiter E'\x02', quote E'\x01')`,
  binary: '(format binary)',
}

/**
 * What comes before a copy in a transaction. Rows are written one by one in the order of an index; PostgreSQL 15
 * forgets that other processes only share the rows out, takes their way for cheaper, and sorts the whole table first.
 */
const beforeCopy = 'savepoint before_copy; set local max_parallel_workers_per_gather = 0'

/** Chunks of input that may follow each other before the event loop gets its turn. */
const chunksPerTurn = 64

/** Makes a session of a connection that is in nobody else's hands. */
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
    { recurs = false }: QueryOptions = {},
  ): Promise<R[]> {
    return this.#run(async (client) => {
      const isKept = recurs && this.#options.keepsStatements
      const name = isKept ? { name: await keepStatement(client, text) } : {}
      const result = await client.query({ text, values: values.map(serializeValue), ...name })
      // Several statements in one text have several results; the last one counts.
      const last: { rows: R[] } | undefined = Array.isArray(result) ? result.at(-1) : result
      return last?.rows ?? []
    })
  }

  copyIn(statement: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    return this.#run(async (client, stopped) => {
      const idle = whenIdle(client)
      const copy = client.query(pgCopy.from(statement))
      this.#copying = true
      try {
        await feed(copy, chunks, stopped)
        return copy.rowCount
      } finally {
        this.#copying = false
        await idle
      }
    })
  }

  async *copyOut(
    select: string,
    values: readonly unknown[] = [],
    format: CopyFormat = 'lines',
  ): AsyncGenerator<Uint8Array> {
    const statement = `copy (${bindLiterals(select, values)}\n) to stdout ${copyFormats[format]}`
    const giveBack = await this.#take()
    try {
      yield* this.#copyRows(statement)
    } finally {
      giveBack()
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
    const rows = client.query(pgCopy.to(statement))
    const watch = new Watch(this.#options)
    watch.start(idle)
    this.#copying = true
    let ended = false
    try {
      yield* rows.iterator({ destroyOnReturn: false })
      ended = true
    } catch (error) {
      ended = true
      throw watch.explain(error)
    } finally {
      if (!ended) drain(rows, watch)
      await watch.end()
      if (inTransaction && !ended) await control(client, 'rollback to savepoint before_copy')
      this.#copying = false
    }
  }

  /** Runs work when all that was asked for before is done, watching the clock and the signal. */
  async #run<T>(work: (client: ClientBase, stopped: AbortSignal) => Promise<T>): Promise<T> {
    const giveBack = await this.#take()
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
      giveBack()
    }
  }

  /** Waits for its turn; gives what ends it. */
  async #take(): Promise<() => void> {
    if (this.#ended) throw problem('database/query', 'the transaction has ended')
    if (this.#copying) throw problem('database/query', 'a copy runs on this connection')
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    if (!this.#options.signal?.aborted) return resolve
    resolve()
    throw toAborted(this.#options.signal)
  }
}

/** Runs a statement of our own around a copy: a connection that is lost in between says so like everywhere else. */
async function control(client: ClientBase, statement: string): Promise<void> {
  try {
    await client.query(statement)
  } catch (error) {
    throw toProblem(error)
  }
}

/** Breaks a copy off that nobody reads any more. */
function drain(rows: Readable, watch: Watch): void {
  rows.on('error', () => undefined).resume()
  watch.stop()
}

// The database does not look up from waiting for input: a stop must end the input, even one that never comes.
async function feed(copy: Writable, chunks: AsyncIterable<Uint8Array>, stopped: AbortSignal): Promise<void> {
  const fed = pipeline(watchSource(chunks), copy, { signal: stopped })
  const stop = Promise.withResolvers<never>()
  const reject = () => stop.reject(stopped.reason)
  stopped.addEventListener('abort', reject)
  fed.catch(() => undefined)
  stop.promise.catch(() => undefined)
  try {
    await Promise.race([fed, stop.promise])
  } finally {
    stopped.removeEventListener('abort', reject)
  }
}

async function* watchSource(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let given = 0
  try {
    for await (const chunk of chunks) {
      yield chunk
      given += 1
      // A source that never waits must not keep this thread from everything else, the answer of the database too.
      if (given % chunksPerTurn === 0) await setImmediate()
    }
  } catch (cause) {
    throw new SourceFault('the source of the copy failed', { cause })
  }
}

/** Resolves when the connection has ended the statement that is about to be sent, or is gone. */
async function whenIdle(client: ClientBase): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  const events = ['drain', 'end', 'error'].map((event) => once(client, event, { signal }))
  await Promise.race(events).catch(() => undefined)
  done.abort()
  await Promise.allSettled(events)
}
