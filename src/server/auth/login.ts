import { hash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { problem } from '../../contract/problems.ts'
import type { Log } from '../../core/log.ts'
import type { Database } from '../../database/database.ts'
import { findUser, type User } from '../../store/auth/principal.ts'
import { touchActivity } from '../../store/auth/principal_record.ts'
import { type Credentials, readingsOf } from './basic_auth.ts'
import type { Guard } from './login_guard.ts'
import { verifyPassword } from './password.ts'

/** Holds passwords against users. */
export interface Login {
  /**
   * Finds whose login and password these are.
   *
   * @throws {Problem} auth/bad-credentials, auth/disabled, auth/too-many
   */
  find(credentials: Credentials, address: string): Promise<User>
  /** Gives what stands for credentials in this process's memory. */
  digestOf(credentials: Credentials): string
}

/** What a login is made of. */
export interface LoginParts {
  readonly database: Database
  readonly log: Log
  readonly guard: Guard
}

/** How long a password that fitted a hash is taken to fit it. */
const verifiedMs = 10 * 60_000

/** Makes the login of one server. What is remembered of passwords is a digest that only this process can make. */
export function createLogin({ database, log, guard }: LoginParts): Login {
  const secret = randomBytes(32).toString('base64')
  const verified = new LRUCache<string, string>({ max: 5000, ttl: verifiedMs })
  const digestOf = ({ login, password }: Credentials) =>
    hash('sha256', `${secret}\0${login.toLowerCase()}\0${password}`, 'base64')

  const findFitting = async (credentials: Credentials, digest: string): Promise<User | undefined> => {
    for (const { login, password } of readingsOf(credentials)) {
      const user = await findUser(database, login)
      const hash = user?.passwordHash ?? null
      if (hash !== null && verified.get(digest) === hash) return user
      if (!(await verifyPassword(password, hash)) || hash === null || user === undefined) continue
      verified.set(digest, hash)
      await touchActivity(database, user.id)
      return user
    }
    return undefined
  }

  return {
    digestOf,
    async find(credentials, address) {
      const digest = digestOf(credentials)
      const attempt = { login: credentials.login, address }
      const isGuess = !verified.has(digest)
      if (isGuess) guard.begin(attempt)
      const user = await findFitting(credentials, digest).catch((error: unknown) => {
        if (isGuess) guard.undo(attempt)
        throw error
      })
      if (user === undefined) {
        // What fitted a while ago does not any more: from now on it counts.
        verified.delete(digest)
        // Without the login: people type passwords into the wrong field.
        log.info({ address }, 'a login failed')
        throw problem('auth/bad-credentials', 'Login or password is wrong.')
      }
      if (isGuess) guard.succeed(attempt)
      refuseDisabled(user)
      return user
    },
  }
}

/**
 * Refuses a user who may not come in.
 *
 * @throws {Problem} auth/disabled
 */
export function refuseDisabled({ disabled, keyname }: User): void {
  if (disabled) throw problem('auth/disabled', `User "${keyname}" is disabled.`)
}
