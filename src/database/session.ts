import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import pgCopy from 'pg-copy-streams'
import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import type { Queryable, Row } from './database.ts'
import { bindLiterals } from './literal.ts'
import { toProblem } from './sqlstate.ts'
import { serializeValue } from './values.ts'

/** One connection while somebody has it to himself. */
export interface SessionOptions {
  readonly client: ClientBase
  /** Stops the running statement; resolves when the stop can hit no later one. */
  readonly cancel: () => Promise<void>
  readonly signal?: AbortSignal | undefined
  /** Most milliseconds a statement may take, when the database does not watch the time itself. */
  readonly timeoutMs?: number | undefined
  /** Whether a transaction is open: a copy that is broken off must not spoil it. */
  readonly inTransaction?: boolean
}

/** A Queryable on one connection. Its statements run one after the other, in the order they were asked for. */
export interface Session extends Queryable {
  /** Refuses what is asked for from now on, and waits for what was. */
  end(): Promise<void>
}

// A row without line feeds is never quoted with these two around, whatever else is in it.
const linesFormat = String.raw`(format csv, delimiter E'\x02', quote E'\x01')`

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

  query<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.#next(async () => {
      const result = await this.#options.client.query(text, values.map(serializeValue))
      // Several statements in one text have several results; the last one counts.
      const last: { rows: R[] } | undefined = Array.isArray(result) ? result.at(-1) : result
      return last?.rows ?? []
    })
  }

  copyIn(statement: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    return this.#next(async () => {
      const { client } = this.#options
      const idle = whenIdle(client)
      const copy = client.query(pgCopy.from(statement))
      this.#copying = true
      try {
        await pipeline(watchSource(chunks), copy)
        return copy.rowCount
      } finally {
        this.#copying = false
        await idle
      }
    })
  }

  async *copyOut(select: string, values: readonly unknown[] = []): AsyncGenerator<Uint8Array> {
    const turn = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const finished = this.#next(() => {
      started.resolve()
      return turn.promise
    })
    finished.catch((error: unknown) => started.reject(error))
    await started.promise
    try {
      yield* this.#copyRows(select, values)
      turn.resolve()
    } catch (error) {
      turn.reject(error)
    } finally {
      turn.resolve()
      await finished
    }
  }

  async *#copyRows(select: string, values: readonly unknown[]): AsyncGenerator<Uint8Array> {
    const { client, cancel, inTransaction } = this.#options
    const statement = `copy (${bindLiterals(select, values)}\n) to stdout ${linesFormat}`
    if (inTransaction) await client.query('savepoint before_copy')
    const idle = whenIdle(client)
    const rows = client.query(pgCopy.to(statement))
    this.#copying = true
    let ended = false
    try {
      yield* watchEnd(rows, () => {
        ended = true
      })
    } finally {
      if (!ended) {
        rows.on('error', () => undefined).resume()
        await cancel()
      }
      await idle
      if (inTransaction && !ended) await client.query('rollback to savepoint before_copy')
      this.#copying = false
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.#last
  }

  /** Runs work when all that was asked for before is done, watching the clock and the signal. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) return Promise.reject(problem('database/query', 'the transaction has ended'))
    if (this.#copying) return Promise.reject(problem('database/query', 'a copy runs on this connection'))
    const result = this.#last.then(() => this.#watch(work))
    this.#last = result.catch(() => undefined)
    return result
  }

  async #watch<T>(work: () => Promise<T>): Promise<T> {
    const { signal, timeoutMs, cancel } = this.#options
    if (signal?.aborted) throw toAborted(signal)
    let cancelled: Promise<void> | undefined
    let timedOut = false
    const stop = () => {
      cancelled ??= cancel()
    }
    const expire = () => {
      timedOut = true
      stop()
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      return await work()
    } catch (error) {
      if (cancelled && signal?.aborted) throw toAborted(signal)
      if (timedOut) throw problem('database/timeout', `the query took more than ${timeoutMs} ms`)
      throw error instanceof SourceFault ? error.cause : toProblem(error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      await cancelled
    }
  }
}

/** Yields what a stream gives, and says when it has ended by itself, well or not. */
async function* watchEnd(stream: Readable, onEnd: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* stream.iterator({ destroyOnReturn: false })
  } catch (error) {
    onEnd()
    throw error
  }
  onEnd()
}

/** What the source of a copy threw: no fault of the database. */
class SourceFault extends Error {}

async function* watchSource(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (cause) {
    throw new SourceFault('the source of the copy failed', { cause })
  }
}

function toAborted(signal: AbortSignal): Problem {
  const { reason } = signal
  return isProblem(reason) ? reason : problem('request/aborted', 'the query was cancelled', { cause: reason })
}

/** Resolves when the connection has ended the statement that is about to be sent, or is gone. */
async function whenIdle(client: ClientBase): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  await Promise.race([once(client, 'drain', { signal }), once(client, 'end', { signal })]).catch(
    () => undefined,
  )
  done.abort()
}
