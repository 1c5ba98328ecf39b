import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { problem } from '../../contract/problems.ts'
import { networkOf } from './client_address.ts'

/** Who tries to log in, from where. */
export interface Attempt {
  readonly login: string
  readonly address: string
}

/**
 * Slows down guessing in two ways: one login from one address, strictly; all logins from one address, after many. A
 * login is never slowed down for everybody, or whoever knows it could lock its user out.
 */
export interface Guard {
  /** Counts an attempt before it is made. @throws {Problem} auth/too-many */
  begin(attempt: Attempt): void
  /** The attempt was right. */
  succeed(attempt: Attempt): void
  /** The attempt came to nothing, by no fault of who made it. */
  undo(attempt: Attempt): void
  /**
   * Counts a token or session that nobody has. They cannot be guessed, so that right ones are never kept waiting.
   *
   * @throws {Problem} auth/too-many
   */
  miss(address: string): void
}

/** Makes a guard by a clock in milliseconds. */
export function createGuard(nowMs: () => number = Date.now): Guard {
  const logins = createThrottle({ freeAttempts: 5, longestWaitMs: 5 * 60_000 }, nowMs)
  const addresses = createThrottle({ freeAttempts: 100, longestWaitMs: 60_000 }, nowMs)
  const secrets = createThrottle({ freeAttempts: 100, longestWaitMs: 60_000 }, nowMs)
  return {
    begin(attempt) {
      const { login, address } = keysOf(attempt)
      addresses.check(address)
      logins.check(login)
      addresses.count(address)
      logins.count(login)
    },
    succeed(attempt) {
      const { login, address } = keysOf(attempt)
      logins.forget(login)
      addresses.undo(address)
    },
    undo(attempt) {
      const { login, address } = keysOf(attempt)
      logins.undo(login)
      addresses.undo(address)
    },
    miss(address) {
      const network = networkOf(address)
      secrets.check(network)
      secrets.count(network)
    },
  }
}

// Of one length whatever is sent: a login may be as long as a header.
function keysOf({ login, address }: Attempt): Attempt {
  const network = networkOf(address)
  const digest = createHash('sha256').update(`${login.toLowerCase()}\0${network}`).digest('base64')
  return { login: digest, address: network }
}

/** Slows down those who guess. */
interface Throttle {
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
interface ThrottleLimits {
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
