import { setTimeout as sleep } from 'node:timers/promises'
import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'

/** How often a request is sent at most. */
export const attempts = 4

/**
 * Waits before a request is sent again, longer each time.
 *
 * @throws {Problem} pipeline/interrupted
 */
export async function pause(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(250 * attempt, undefined, signal === undefined ? {} : { signal })
  } catch {
    throw problem('pipeline/interrupted', 'Interrupted while waiting to try again.')
  }
}

/** Returns whether sending a request again may help. */
export function isWorthAnother(error: Problem): boolean {
  if (['database/conflict', 'http/unreachable', 'request/in-flight'].includes(error.code)) return true
  return error.code !== 'http/timeout' && [502, 503, 504].includes(error.status ?? 0)
}

/** How a request is repeated. */
export interface Repetition {
  readonly signal?: AbortSignal | undefined
  /** Returns whether a failure may be another one's fault, and gone the next time; `isWorthAnother` where absent. */
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
