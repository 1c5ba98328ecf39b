import { setTimeout as sleep } from 'node:timers/promises'
import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'

/** Maximum number of attempts of a request. */
export const maxAttempts = 4

/**
 * Waits before the next attempt, longer each time.
 *
 * @throws {Problem} pipeline/interrupted
 */
export async function waitToRetry(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(250 * attempt, undefined, signal === undefined ? {} : { signal })
  } catch {
    throw problem('pipeline/interrupted', 'Interrupted while waiting to retry.')
  }
}

/** Returns whether a failed request may succeed when it is retried. */
export function isRetryable(error: Problem): boolean {
  if (['database/conflict', 'http/unreachable', 'request/in-flight'].includes(error.code)) return true
  return error.code !== 'http/timeout' && [502, 503, 504].includes(error.status ?? 0)
}

/** Options of a retried request. */
export interface RetryOptions {
  readonly signal?: AbortSignal | undefined
  /** Decides whether to retry after a failure. @default isRetryable */
  readonly isRetryable?: (error: Problem) => boolean
}

/** Sends an idempotent request until it succeeds or fails permanently. */
export async function sendWithRetries<T>(send: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, isRetryable: mayRetry = isRetryable } = options
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      if (attempt === maxAttempts || !isProblem(error) || !mayRetry(error)) throw error
      await waitToRetry(attempt, signal)
    }
  }
}
