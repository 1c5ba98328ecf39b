import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { SourceFault, toProblem } from './sqlstate.ts'

/** What may stop a statement, and how. */
export interface WatchOptions {
  readonly signal?: AbortSignal | undefined
  /** Most milliseconds, when the database does not watch the time itself. */
  readonly timeoutMs?: number | undefined
  /**
   * Stops the running statement. Resolves when the stop can hit no later one; never rejects.
   *
   * @param over settles when the statement has ended
   */
  readonly cancel: (over: Promise<unknown>) => Promise<void>
}

/** Watches one statement: cancels it when its time is up or its signal says so. */
export class Watch {
  readonly #options: WatchOptions
  readonly #stopped = new AbortController()
  #over: Promise<unknown> = Promise.resolve()
  #expired = false
  #cancelled: Promise<void> | undefined

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Aborts when the statement is cancelled. */
  get stopped(): AbortSignal {
    return this.#stopped.signal
  }

  /** Starts to watch, until `over` settles. */
  start(over: Promise<unknown>): void {
    this.#over = over.catch(() => undefined)
    const { signal, timeoutMs } = this.#options
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.#expire(), timeoutMs)
    signal?.addEventListener('abort', this.stop)
    void this.#over.then(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', this.stop)
    })
  }

  /** Cancels the statement. */
  readonly stop = (): void => {
    this.#cancelled ??= this.#options.cancel(this.#over)
    this.#stopped.abort()
  }

  /** Resolves when the statement has ended and no cancelling is under way. */
  async end(): Promise<void> {
    await this.#over
    await this.#cancelled
  }

  /** Says what a fault of the statement means: that it was stopped, or what the database says. */
  explain(error: unknown): unknown {
    const { signal, timeoutMs } = this.#options
    if (this.#cancelled && signal?.aborted) return toAborted(signal)
    if (this.#expired) return problem('database/timeout', `the query took more than ${timeoutMs} ms`)
    return error instanceof SourceFault ? error.cause : toProblem(error)
  }

  #expire(): void {
    this.#expired = true
    this.stop()
  }
}

/** Gives the reason of an aborted signal if it is a Problem, else a Problem because of it. */
export function toAborted(signal: AbortSignal): Problem {
  const reason: unknown = signal.reason
  return isProblem(reason) ? reason : problem('request/aborted', 'the query was cancelled', { cause: reason })
}
