import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { SourceFault, toProblem } from './sqlstate.ts'

/** Conditions that cancel a statement, and how to cancel it. */
export interface WatchOptions {
  readonly signal?: AbortSignal | undefined
  /** Time limit in milliseconds, if the database does not enforce it. */
  readonly timeoutMs?: number | undefined
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
  #expired = false
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

  /** Resolves when the statement has ended and no cancel request is pending. */
  async end(): Promise<void> {
    await this.#over
    await this.#cancelled
  }

  /** Converts an error of the statement: aborted, timed out, failed source, or database error. */
  explain(error: unknown): unknown {
    const { signal, timeoutMs } = this.#options
    if (this.#cancelled && signal?.aborted) return toAborted(signal)
    if (this.#expired)
      return problem('database/timeout', `the query exceeded the time limit of ${timeoutMs} ms`)
    return error instanceof SourceFault ? error.cause : toProblem(error)
  }

  #expire(): void {
    this.#expired = true
    this.stop()
  }
}

/** Returns the reason of an aborted signal if it is a Problem, else a Problem with it as cause. */
export function toAborted(signal: AbortSignal): Problem {
  const reason: unknown = signal.reason
  return isProblem(reason) ? reason : problem('request/aborted', 'the query was cancelled', { cause: reason })
}
