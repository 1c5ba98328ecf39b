import { hash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { problem } from '../../contract/problems.ts'
import type { Log } from '../../core/log.ts'
import type { Database } from '../../database/database.ts'
import { findUser, findUserById, type User } from '../../store/auth/principal.ts'
import { listenToPrincipals } from '../../store/auth/principal_change.ts'
import { touchActivity } from '../../store/auth/principal_record.ts'
import { extendSession, findSession } from '../../store/auth/session.ts'
import { useToken } from '../../store/auth/token.ts'
import type { AuthMedium, Caller } from './caller.ts'
import { type Credentials, parseAuthorization, readingsOf } from './credentials.ts'
import { type Claims, callerOf, createMemory, type Identity } from './identity.ts'
import { createGuard, type Guard } from './login_guard.ts'
import { verifyPassword } from './password.ts'
import { digestSecret } from './token_secret.ts'

/** Who somebody is, by what the request says. */
export interface Authenticator {
  /**
   * Gives the caller of a request: by its session, else by its header, else the guest. A session that has ended counts
   * only where nothing else is said.
   *
   * @throws {Problem} auth/bad-header, auth/bad-credentials, auth/disabled, auth/session-ended, auth/too-many
   */
  authenticate(claims: Claims): Promise<Identity>
  /**
   * Finds whose login and password these are.
   *
   * @throws {Problem} auth/bad-credentials, auth/disabled, auth/too-many
   */
  logIn(credentials: Credentials, address: string): Promise<User>
  /** Forgets who is who: users, groups, sessions or tokens have changed. */
  forget(): void
  /** Hears no more of changes. */
  close(): Promise<void>
}

/** Makes the door of one server. Changes that other processes make in the database are heard of. */
export async function createAuthenticator(database: Database, log: Log): Promise<Authenticator> {
  const memory = createMemory()
  const guard = createGuard()
  const login = createLogin({ database, log, guard })
  const stopListening = await listenToPrincipals(database, memory.forget)

  const findByHeader = async (header: string, address: string): Promise<Identity> => {
    const given = parseAuthorization(header)
    if (given.medium === 'basic') {
      const { credentials } = given
      return memory.recall(`basic ${login.digestOf(credentials)}`, async () => ({
        caller: callerOf(await login.find(credentials, address), 'basic'),
      }))
    }
    const digest = digestSecret(given.token)
    const found = await memory.recall(`bearer ${digest}`, () => findByToken(database, digest))
    if (found !== undefined) return found
    guard.miss(address)
    throw problem('auth/bad-credentials', 'The token is not known, or it has expired or been revoked.')
  }

  return {
    async authenticate({ session, authorization, address }) {
      if (session !== undefined) {
        const digest = digestSecret(session)
        const found = await memory.recall(`session ${digest}`, () => findBySession(database, digest))
        if (found !== undefined) return found
      }
      if (authorization !== undefined) return findByHeader(authorization, address)
      if (session === undefined) return memory.recall('guest', () => findGuest(database))
      guard.miss(address)
      throw problem(
        'auth/session-ended',
        'The session has ended. Log in again, or repeat the request as a guest.',
      )
    },
    logIn: login.find,
    forget: memory.forget,
    close: () =>
      // A database that is gone sends nothing more.
      stopListening().catch((error: unknown) => log.debug({ error }, 'the database was gone already')),
  }
}

async function findBySession(database: Database, digest: string): Promise<Identity | undefined> {
  const session = await findSession(database, digest)
  if (session === undefined) return undefined
  const caller = await findCaller(database, session.userId, 'session')
  if (caller === undefined || !session.isOld) return caller && { caller }
  const prolongedSeconds = await extendSession(database, digest)
  await touchActivity(database, caller.id)
  return prolongedSeconds === undefined ? undefined : { caller, prolongedSeconds }
}

async function findByToken(database: Database, digest: string): Promise<Identity | undefined> {
  const userId = await useToken(database, digest)
  if (userId === undefined) return undefined
  const caller = await findCaller(database, userId, 'bearer')
  if (caller === undefined) return undefined
  await touchActivity(database, userId)
  return { caller }
}

async function findCaller(
  database: Database,
  userId: number,
  medium: AuthMedium,
): Promise<Caller | undefined> {
  const user = await findUserById(database, userId)
  if (user === undefined) return undefined
  refuseDisabled(user)
  return callerOf(user, medium)
}

async function findGuest(database: Database): Promise<Identity> {
  const guest = await findUser(database, 'guest')
  if (guest === undefined) throw problem('server/internal', 'the user guest is missing')
  return { caller: callerOf(guest, null) }
}

/** Holds passwords against users. */
interface Login {
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
interface LoginParts {
  readonly database: Database
  readonly log: Log
  readonly guard: Guard
}

/** How long a password that fitted a hash is taken to fit it. */
const verifiedMs = 10 * 60_000

/** Makes the login of one server. What is remembered of passwords is a digest that only this process can make. */
function createLogin({ database, log, guard }: LoginParts): Login {
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
function refuseDisabled({ disabled, keyname }: User): void {
  if (disabled) throw problem('auth/disabled', `User "${keyname}" is disabled.`)
}
