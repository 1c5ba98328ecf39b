import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { SourceFault, toProblem } from './sqlstate.ts'

/** Conditions that cancel a statement, and how to cancel it. */
export interface WatchOptions {
  readonly signal?: AbortSignal | undefined
  /** Time limit in milliseconds, if the database does not enforce it. */
  readonly timeoutMs?: number | undefined
  /** Maximum wait for the next rows of a COPY in milliseconds, if the database does not enforce a limit. */
  readonly stallMs?: number | undefined
  /**
   * Cancels the running statement. Resolves when the request can no longer hit a later statement; never rejects.
   *
   * @param over settles when the statement has ended
   */
  readonly cancel: (over: Promise<unknown>) => Promise<void>
}

/** Watches one statement: cancels it on time-out or abort. */
export class Watch {
  readonly #options: WatchOptions
  readonly #stopped = new AbortController()
  #over: Promise<unknown> = Promise.resolve()
  #expired: string | undefined
  #cancelled: Promise<void> | undefined

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Aborts when the statement is cancelled. */
  get stopped(): AbortSignal {
    return this.#stopped.signal
  }

  /** Starts watching, until `over` settles. */
  start(over: Promise<unknown>): void {
    this.#over = over.catch(() => undefined)
    const { signal, timeoutMs } = this.#options
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => this.#expire(`the query exceeded the time limit of ${timeoutMs} ms`), timeoutMs)
    signal?.addEventListener('abort', this.stop)
    void this.#over.then(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', this.stop)
    })
  }

  /** Waits for rows of the statement, which is cancelled if it does not send any. */
  async waitForRows<T>(rows: Promise<T>): Promise<T> {
    const { stallMs } = this.#options
    const expire = () => this.#expire(`the query did not return rows for ${stallMs} ms`)
    const timer = stallMs === undefined ? undefined : setTimeout(expire, stallMs)
    try {
      return await rows
    } finally {
      clearTimeout(timer)
    }
  }

  /** Cancels the statement. */
  readonly stop = (): void => {
    this.#cancelled ??= this.#options.cancel(this.#over)
    this.#stopped.abort()
  }

  /** Resolves when the statement has ended and no cancel request is pending. */
  async end(): Promise<void> {
    await this.#over
    await this.#cancelled
  }

  /** Converts an error of the statement: aborted, timed out, failed source, or database error. */
  explain(error: unknown): unknown {
    const { signal } = this.#options
    if (this.#cancelled && signal?.aborted) return toAborted(signal)
    if (this.#expired !== undefined) return problem('database/timeout', this.#expired)
    return error instanceof SourceFault ? error.cause : toProblem(error)
  }

  #expire(reason: string): void {
    this.#expired = reason
    this.stop()
  }
}

/** Returns the reason of an aborted signal if it is a Problem, else a Problem with it as cause. */
export function toAborted(signal: AbortSignal): Problem {
  const reason: unknown = signal.reason
  return isProblem(reason) ? reason : problem('request/aborted', 'the query was cancelled', { cause: reason })
}
