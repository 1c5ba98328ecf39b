import { LRUCache } from 'lru-cache'
import { problem } from '../../contract/problems.ts'

/** Slows down those who guess. */
export interface Throttle {
  /**
   * Refuses who has to wait.
   *
   * @throws {Problem} auth/too-many with `data.retry_after`, in seconds
   */
  check(key: string): void
  /** Counts an attempt; do so before it is made, so that attempts at once count too. */
  count(key: string): void
  /** Takes one attempt back: it was right, or it was none. */
  undo(key: string): void
  /** Forgets all attempts. */
  forget(key: string): void
}

/** How many attempts are free, and how long the wait after them grows: it doubles each time. */
export interface ThrottleLimits {
  readonly freeAttempts: number
  readonly longestWaitMs: number
}

const firstWaitMs = 1000
/** Whoever stays quiet so long starts anew. */
const memoryMs = 15 * 60_000
/** Most keys that are remembered; keys are short. */
const mostKeys = 50_000

interface Attempts {
  readonly count: number
  readonly blockedUntilMs: number
}

const none: Attempts = { count: 0, blockedUntilMs: 0 }

/** Makes a throttle by a clock in milliseconds. */
export function createThrottle(limits: ThrottleLimits, nowMs: () => number = Date.now): Throttle {
  const seen = new LRUCache<string, Attempts>({ max: mostKeys, ttl: memoryMs })
  const pauseAfter = (count: number) => {
    const over = count - limits.freeAttempts
    return over < 0 ? 0 : Math.min(limits.longestWaitMs, firstWaitMs * 2 ** Math.min(over, 20))
  }
  return {
    check(key) {
      const waitMs = (seen.get(key)?.blockedUntilMs ?? 0) - nowMs()
      if (waitMs <= 0) return
      const seconds = Math.ceil(waitMs / 1000)
      throw problem('auth/too-many', `Too many failed logins; try again in ${seconds} s.`, {
        data: { retry_after: seconds },
      })
    },
    count(key) {
      const count = (seen.get(key) ?? none).count + 1
      seen.set(key, { count, blockedUntilMs: nowMs() + pauseAfter(count) })
    },
    undo(key) {
      const { count } = seen.get(key) ?? none
      if (count > 1) seen.set(key, { count: count - 1, blockedUntilMs: 0 })
      else seen.delete(key)
    },
    forget(key) {
      seen.delete(key)
    },
  }
}
