import { extname } from 'node:path'
import { Duplex } from 'node:stream'
import { MessageChannel, Worker } from 'node:worker_threads'
import { findProblemKind, type ProblemCode, problem } from '../contract/problems.ts'
import type { Problem } from '../core/problem.ts'
import { createSignals, MainEnd } from './worker_link.ts'

/** Start parameters of the worker. */
export interface WorkerData {
  /** Folder of the data and its lock; undefined for memory. */
  readonly folder: string | undefined
  /** Token of the lock owner: the lock outlives a terminated worker. */
  readonly token: string
  /** Folder for the prepared data folder. */
  readonly cacheFolder: string
}

/** Messages of the worker outside of the database protocol. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'spent' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly data: object }

/**
 * Connection to the embedded database with the interface of a network socket, for the PostgreSQL driver. `connect`
 * starts the worker, `end` shuts the database down, `destroy` terminates it. Emits `spent` when the database should be restarted,
 * since it has lost memory.
 */
export class WorkerSocket extends Duplex {
  readonly #data: WorkerData
  #worker: Worker | undefined
  #link: MainEnd | undefined
  #unread = 0
  /** Resolves when the worker has exited. */
  readonly ended: Promise<void>
  readonly #resolveEnded: () => void

  constructor(data: WorkerData) {
    super()
    this.#data = data
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#resolveEnded = resolve
  }

  /** Starts the database; emits `connect` when it accepts messages. Called by the driver. */
  connect(): this {
    const { port1, port2 } = new MessageChannel()
    const signals = createSignals()
    const entry = new URL(`./pglite.worker${extname(import.meta.url)}`, import.meta.url)
    const worker = new Worker(entry, {
      workerData: { ...this.#data, port: port2, signals },
      transferList: [port2],
      // Node options of this process (--eval, --input-type) must not apply to the worker.
      execArgv: [],
    })
    this.#worker = worker
    this.#link = new MainEnd(port1, signals)
    this.#link.onBytes((bytes) => this.#receive(bytes))
    worker.on('message', (message: WorkerMessage) => this.#onWorkerMessage(message))
    worker.on('error', (error) => this.destroy(toUnavailable(error.message)))
    worker.once('exit', () => {
      this.#link?.close()
      this.#resolveEnded()
      if (this.writableFinished) this.push(null)
      this.destroy(this.writableFinished ? undefined : toUnavailable('its worker has exited'))
    })
    return this
  }

  /** Sets or clears the request to cancel the running statement at its next interrupt check. */
  requestCancel(isRequested: boolean): void {
    this.#link?.requestCancel(isRequested)
  }

  /** Terminates the worker immediately. */
  async kill(): Promise<void> {
    await this.#worker?.terminate()
  }

  // The driver calls these on any socket.
  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    this.#worker?.ref()
    this.#link?.ref()
    return this
  }

  unref(): this {
    this.#worker?.unref()
    this.#link?.unref()
    return this
  }

  override _read(): void {
    if (this.#unread === 0) return
    this.#link?.acknowledge(this.#unread)
    this.#unread = 0
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    const room = this.#link?.send(chunk)
    if (room === undefined) done()
    else void room.then(() => done())
  }

  // The driver corks related messages.
  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: (error?: Error) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const ended = this.#worker?.terminate() ?? Promise.resolve()
    void Promise.resolve(ended).then(() => {
      this.#resolveEnded()
      done(error)
    })
  }

  #receive(bytes: Uint8Array): void {
    this.#unread += bytes.length
    if (this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))) this._read()
  }

  #onWorkerMessage(message: WorkerMessage): void {
    if (message.kind === 'ready') this.emit('connect')
    else if (message.kind === 'spent') this.emit('spent')
    else this.destroy(toProblem(message))
  }
}

function toUnavailable(reason: string): Problem {
  return problem('database/unavailable', `the embedded database has stopped: ${reason}`)
}

function toProblem({ code, message, data }: Extract<WorkerMessage, { kind: 'failed' }>): Problem {
  const known = findProblemKind(code) ? (code as ProblemCode) : 'database/unavailable'
  return problem(known, message, { data: { ...data } })
}
