import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Connection, Submittable } from 'pg'
import { SourceFault } from './sqlstate.ts'

/** A connection of the driver; its type declarations lack these members. */
interface CopyConnection extends Connection {
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** Number of input chunks before yielding to the event loop. */
const chunksPerTurn = 64

/** Message type and length of CopyData. @see PostgreSQL, "Message Formats" */
const headerBytes = 5
const copyData = 'd'.charCodeAt(0)

/**
 * Statement `COPY … FROM STDIN` of the driver. What the driver reports settles promises, and throws nothing at it: input is
 * sent by `feed`, which ends with the statement.
 */
export class CopyIn implements Submittable {
  readonly #text: string
  readonly #ready = Promise.withResolvers<CopyConnection>()
  readonly #over = Promise.withResolvers<number>()
  /** Undefined before the statement is sent, and after it has ended. */
  #connection: CopyConnection | undefined
  #rowCount = 0

  constructor(text: string) {
    this.#text = text
    // Either may settle without anyone waiting for it.
    this.#ready.promise.catch(() => undefined)
    this.#over.promise.catch(() => undefined)
  }

  /**
   * Sends the input, and returns the number of rows. Ends at once when it is stopped, even if the input stalls; the database
   * does not check for interrupts while it waits for input.
   *
   * @throws {SourceFault} if the source failed
   */
  async feed(chunks: AsyncIterable<Uint8Array>, stopped: AbortSignal): Promise<number> {
    const stop = Promise.withResolvers<never>()
    const reject = () => stop.reject(stopped.reason)
    stopped.addEventListener('abort', reject)
    stop.promise.catch(() => undefined)
    if (stopped.aborted) reject()
    try {
      const connection = await Promise.race([this.#ready.promise, stop.promise])
      await this.#send(connection, chunks, stop.promise)
      connection.endCopyFrom()
      return await Promise.race([this.#over.promise, stop.promise])
    } catch (error) {
      this.#fail(error)
      throw error
    } finally {
      stopped.removeEventListener('abort', reject)
    }
  }

  /** Called by the driver, as the functions below, whose names are its own. */
  submit(connection: Connection): void {
    this.#connection = connection as CopyConnection
    connection.query(this.#text)
  }

  readonly handleCopyInResponse = (connection: CopyConnection): void => {
    this.#ready.resolve(connection)
  }

  readonly handleError = (error: unknown): void => {
    this.#connection = undefined
    this.#over.reject(error)
    this.#ready.reject(error)
  }

  readonly handleCommandComplete = ({ text = '' }: { readonly text?: string }): void => {
    this.#rowCount = Number(/^COPY (\d+)/.exec(text)?.[1] ?? 0)
  }

  readonly handleReadyForQuery = (): void => {
    this.#connection = undefined
    this.#over.resolve(this.#rowCount)
    this.#ready.reject(new Error('the statement takes no input'))
  }

  /** Makes the statement fail as soon as it accepts input, unless it has ended. */
  #fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    const send = () => this.#connection?.sendCopyFail(reason)
    this.#ready.promise.then(send, () => undefined)
  }

  async #send(
    { stream }: CopyConnection,
    chunks: AsyncIterable<Uint8Array>,
    stop: Promise<never>,
  ): Promise<void> {
    // The promise of the number of rows never resolves before the input has ended.
    const ended = this.#over.promise as Promise<never>
    const iterator = chunks[Symbol.asyncIterator]()
    let isDone = false
    try {
      for (let count = 1; ; count += 1) {
        const next = await Promise.race([nextOf(iterator), ended, stop])
        isDone = next.done === true
        if (next.done) return
        if (!sendChunk(stream, next.value)) await whenDrained(stream, [ended, stop])
        // A source that never waits must not block this thread, nor the response of the database.
        if (count % chunksPerTurn === 0) await setImmediate()
      }
    } catch (error) {
      isDone ||= error instanceof SourceFault
      throw error
    } finally {
      // Does not wait for a source that stalls.
      if (!isDone) iterator.return?.().catch(() => undefined)
    }
  }
}

async function nextOf(iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  try {
    return await iterator.next()
  } catch (cause) {
    throw new SourceFault('the source of the COPY failed', { cause })
  }
}

/** Waits until a connection has sent what it was given, or one of the other promises rejects. */
async function whenDrained(stream: Duplex, others: readonly Promise<never>[]): Promise<void> {
  const waiting = new AbortController()
  const drained = once(stream, 'drain', { signal: waiting.signal })
  drained.catch(() => undefined)
  try {
    await Promise.race([drained, ...others])
  } finally {
    waiting.abort()
  }
}

/** Returns false if the caller should wait until the connection has sent more. */
function sendChunk(stream: Duplex, chunk: Uint8Array): boolean {
  if (!stream.writable) return true
  const header = Buffer.allocUnsafe(headerBytes)
  header[0] = copyData
  header.writeUInt32BE(chunk.length + headerBytes - 1, 1)
  stream.write(header)
  return stream.write(chunk)
}
