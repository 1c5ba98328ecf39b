/** A signal that is aborted after a time, unless it ends before. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Stops the clock. */
  end(): void
}

/**
 * Starts the clock of a deadline; a time-out is a `TimeoutError`. The signal of `AbortSignal.timeout` stays for all of its
 * time, with everything that waits for it, however early the work has ended: thousands of them on a busy server.
 *
 * @param milliseconds time until the signal is aborted, rounded up
 */
export function startDeadline(milliseconds: number): Deadline {
  const controller = new AbortController()
  const expire = () => controller.abort(new DOMException('The time is over.', 'TimeoutError'))
  const timer = setTimeout(expire, Math.ceil(milliseconds))
  return { signal: controller.signal, end: () => clearTimeout(timer) }
}
