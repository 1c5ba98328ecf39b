import { createHash } from 'node:crypto'
import { networkOf } from './client_address.ts'
import { createThrottle } from './throttle.ts'

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
