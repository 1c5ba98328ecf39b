import { setTimeout as sleep } from 'node:timers/promises'
import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { defaultRetry, isBusyStatus, retryDelayMs } from '../http/retry.ts'

/** Policy of requests that the HTTP client does not repeat by itself. */
const policy = defaultRetry

/** Maximum number of attempts of a request. */
export const maxAttempts = policy.times + 1

/**
 * Waits before the next attempt, longer each time.
 *
 * @throws {Problem} pipeline/interrupted
 */
export async function waitToRetry(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(retryDelayMs(policy, attempt), undefined, signal === undefined ? {} : { signal })
  } catch {
    throw problem('pipeline/interrupted', 'Interrupted while waiting to retry.')
  }
}

const transientCodes: readonly string[] = ['database/conflict', 'http/unreachable', 'request/in-flight']

/** Returns whether a failed request may succeed when it is retried, unless the HTTP client has retried it already. */
export function isRetryable({ code, status, data }: Problem): boolean {
  if (data.repeated !== undefined || code === 'upload/guests') return false
  return transientCodes.includes(code) || (status !== undefined && isBusyStatus(status))
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
