import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { problem } from '../../contract/problems.ts'
import { networkOf } from './client_address.ts'

/** Login attempt. */
export interface Attempt {
  readonly login: string
  readonly address: string
}

/**
 * Rate limits against guessing: a strict one per login and address, and a loose one per address. There is no limit per
 * login alone, because it would allow anyone to lock the user out.
 */
export interface Guard {
  /** Counts an attempt before the password is verified. @throws {Problem} auth/too-many */
  begin(attempt: Attempt): void
  /** Records a successful attempt. */
  succeed(attempt: Attempt): void
  /** Takes back an attempt that failed because of a server error. */
  undo(attempt: Attempt): void
  /**
   * Counts an unknown token or session. Valid ones are never delayed, because they cannot be guessed.
   *
   * @throws {Problem} auth/too-many
   */
  miss(address: string): void
}

/** Creates a guard; `nowMs` returns the current time in milliseconds. */
export function createGuard(nowMs: () => number = Date.now): Guard {
  const logins = createThrottle({ freeAttempts: 5, maxWaitMs: 5 * 60_000 }, nowMs)
  const addresses = createThrottle({ freeAttempts: 100, maxWaitMs: 60_000 }, nowMs)
  const secrets = createThrottle({ freeAttempts: 100, maxWaitMs: 60_000 }, nowMs)
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

// Hashes the login to a fixed length, because it may be as long as a header.
function keysOf({ login, address }: Attempt): Attempt {
  const network = networkOf(address)
  const digest = createHash('sha256').update(`${login.toLowerCase()}\0${network}`).digest('base64')
  return { login: digest, address: network }
}

/** Rate limit with exponential back-off. */
interface Throttle {
  /**
   * Refuses a key that is blocked.
   *
   * @throws {Problem} auth/too-many with `data.retry_after`, in seconds
   */
  check(key: string): void
  /** Counts an attempt. Call it before the attempt, so that concurrent attempts count as well. */
  count(key: string): void
  /** Takes back one attempt. */
  undo(key: string): void
  /** Resets the attempts of a key. */
  forget(key: string): void
}

/** Number of attempts without delay, and upper limit of the delay, which doubles with each further attempt. */
interface ThrottleLimits {
  readonly freeAttempts: number
  readonly maxWaitMs: number
}

const firstWaitMs = 1000
/** Time without attempts after which a key is reset. */
const resetAfterMs = 15 * 60_000
/** Maximum number of keys in memory. */
const maxKeys = 50_000

interface Attempts {
  readonly count: number
  readonly blockedUntilMs: number
}

const noAttempts: Attempts = { count: 0, blockedUntilMs: 0 }

/** Creates a throttle; `nowMs` returns the current time in milliseconds. */
export function createThrottle(limits: ThrottleLimits, nowMs: () => number = Date.now): Throttle {
  const seen = new LRUCache<string, Attempts>({ max: maxKeys, ttl: resetAfterMs })
  const pauseAfter = (count: number) => {
    const over = count - limits.freeAttempts
    return over < 0 ? 0 : Math.min(limits.maxWaitMs, firstWaitMs * 2 ** Math.min(over, 20))
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
      const count = (seen.get(key) ?? noAttempts).count + 1
      seen.set(key, { count, blockedUntilMs: nowMs() + pauseAfter(count) })
    },
    undo(key) {
      const { count } = seen.get(key) ?? noAttempts
      if (count > 1) seen.set(key, { count: count - 1, blockedUntilMs: 0 })
      else seen.delete(key)
    },
    forget(key) {
      seen.delete(key)
    },
  }
}
