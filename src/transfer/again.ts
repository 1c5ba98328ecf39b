import { setTimeout as sleep } from 'node:timers/promises'
import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { defaultRetry, isBusyStatus, pauseMsOf } from '../http/retry.ts'

/** Repetitions of requests that the HTTP client does not repeat by itself. */
const policy = defaultRetry

/** How often a request is sent at most. */
export const attempts = policy.times + 1

/**
 * Waits before a request is sent again, longer each time.
 *
 * @throws {Problem} pipeline/interrupted
 */
export async function pause(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(pauseMsOf(policy, attempt), undefined, signal === undefined ? {} : { signal })
  } catch {
    throw problem('pipeline/interrupted', 'Interrupted while waiting to try again.')
  }
}

const passing: readonly string[] = ['database/conflict', 'http/unreachable', 'request/in-flight']

/** Tells whether sending a request again may help; not where the HTTP client has repeated it in vain. */
export function isWorthAnother({ code, status, data }: Problem): boolean {
  if (data.repeated !== undefined || code === 'upload/guests') return false
  return passing.includes(code) || (status !== undefined && isBusyStatus(status))
}

/** How a request is repeated. */
export interface Repetition {
  readonly signal?: AbortSignal | undefined
  /** Tells whether a failure may be another one's fault, and gone the next time; `isWorthAnother` where absent. */
  readonly isWorth?: (error: Problem) => boolean
}

/** Sends what may be sent twice until it succeeds, or fails for good. */
export async function tryAgain<T>(send: () => Promise<T>, repetition: Repetition): Promise<T> {
  const { signal, isWorth = isWorthAnother } = repetition
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      if (attempt === attempts || !isProblem(error) || !isWorth(error)) throw error
      await pause(attempt, signal)
    }
  }
}
