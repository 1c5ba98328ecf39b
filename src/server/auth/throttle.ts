import { LRUCache } from 'lru-cache'
import { problem } from '../../contract/problems.ts'

/** Slows down those who guess passwords. */
export interface Throttle {
  /**
   * Counts an attempt before it is made, so that attempts at once count too.
   *
   * @throws {Problem} auth/too-many with `data.retry_after`, in seconds
   */
  begin(key: string): void
  /** Forgets the attempts: this one was right. */
  succeed(key: string): void
}

/** Attempts that are free; then each doubles the wait, up to the longest. */
const freeAttempts = 5
const firstWaitMs = 1000
const longestWaitMs = 5 * 60_000

interface Attempts {
  readonly count: number
  readonly blockedUntilMs: number
}

/** Makes a throttle by a clock in milliseconds. Whoever stays quiet for a quarter of an hour starts anew. */
export function createThrottle(nowMs: () => number = Date.now): Throttle {
  const seen = new LRUCache<string, Attempts>({ max: 50_000, ttl: 15 * 60_000 })
  return {
    begin(key) {
      const { count, blockedUntilMs } = seen.get(key) ?? { count: 0, blockedUntilMs: 0 }
      const waitMs = blockedUntilMs - nowMs()
      if (waitMs > 0) {
        const seconds = Math.ceil(waitMs / 1000)
        throw problem('auth/too-many', `Too many failed logins; try again in ${seconds} s.`, {
          data: { retry_after: seconds },
        })
      }
      const over = count + 1 - freeAttempts
      const pauseMs = over < 0 ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(over, 20))
      seen.set(key, { count: count + 1, blockedUntilMs: nowMs() + pauseMs })
    },
    succeed(key) {
      seen.delete(key)
    },
  }
}
