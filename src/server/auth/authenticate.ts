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
import { createGuard, type Guard } from './login_guard.ts'
import { verifyPassword } from './password.ts'
import { credentialOf, digestSecret } from './token_secret.ts'

/** Authentication of requests. */
export interface Authenticator {
  /**
   * Identifies the caller of a request by its Authorization header, else by its session, else as the guest. One credential
   * decides: if it is invalid, no other one is tried.
   *
   * @throws {Problem} auth/bad-header, auth/bad-credentials, auth/disabled, auth/session-ended, auth/too-many
   */
  authenticate(claims: Claims): Promise<Identity>
  /** Returns the caller that claims were just found to have; undefined if that has to be found again. */
  known(claims: Omit<Claims, 'address'>): Caller | undefined
  /**
   * Finds the user with this login and password.
   *
   * @throws {Problem} auth/bad-credentials, auth/disabled, auth/too-many
   */
  logIn(credentials: Credentials, address: string): Promise<User>
  /** Clears cached identities, after a change of users, groups, sessions or tokens. */
  forget(): void
  /** Stops listening to changes. */
  close(): Promise<void>
}

/**
 * Creates the authenticator of a server. It listens to changes that other processes make in the database.
 *
 * @param options.passwordCost cost of a hash, which an attempt for an unknown login takes as well
 */
export async function createAuthenticator(
  database: Database,
  { log, passwordCost }: { readonly log: Log; readonly passwordCost: number },
): Promise<Authenticator> {
  const cache = createIdentityCache()
  const guard = createGuard()
  const login = createLogin({ database, log, guard, passwordCost })
  const stopListening = await listenToPrincipals(database, cache.clear)

  const headerKey = (header: string) => `header ${login.digestOf(header)}`
  const findByHeader = async (header: string, address: string): Promise<Identity> => {
    // The header is parsed only if its caller is not known.
    const found = await cache.get<Identity | undefined>(headerKey(header), async () => {
      const parsed = parseAuthorization(header)
      return parsed.medium === 'basic'
        ? { caller: callerOf(await login.find(parsed.credentials, address), 'basic') }
        : findByToken(database, digestSecret(parsed.token))
    })
    if (found !== undefined) return found
    guard.miss(address)
    throw problem('auth/bad-credentials', 'The token is unknown, expired or revoked.')
  }

  return {
    async authenticate({ session, authorization, address }) {
      if (authorization !== undefined) return findByHeader(authorization, address)
      if (session === undefined) return cache.get('guest', () => findGuest(database))
      const digest = digestSecret(session)
      const found = await cache.get(`session ${digest}`, () => findBySession(database, digest))
      if (found !== undefined) return found
      guard.miss(address)
      throw problem(
        'auth/session-ended',
        'The session has ended. Sign in again, or repeat the request as a guest.',
      )
    },
    known({ session, authorization }) {
      if (authorization !== undefined) return cache.known(headerKey(authorization))?.caller
      return cache.known(session === undefined ? 'guest' : `session ${digestSecret(session)}`)?.caller
    },
    logIn: login.find,
    forget: cache.clear,
    close: () =>
      // A closed database sends no notifications.
      stopListening().catch((error: unknown) => log.debug({ error }, 'the database was already closed')),
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

/** Verification of logins and passwords. */
interface Login {
  /**
   * Finds the user with this login and password.
   *
   * @throws {Problem} auth/bad-credentials, auth/disabled, auth/too-many
   */
  find(credentials: Credentials, address: string): Promise<User>
  /** Returns a digest that identifies a text with credentials in the caches of this process. */
  digestOf(text: string): string
}

/** Dependencies of a login. */
interface LoginDependencies {
  readonly database: Database
  readonly log: Log
  readonly guard: Guard
  readonly passwordCost: number
}

/** How long a verified password is not hashed again. */
const verifiedMs = 10 * 60_000

/** Creates the login of a server. It caches digests of passwords, keyed with a secret of this process. */
function createLogin({ database, log, guard, passwordCost }: LoginDependencies): Login {
  const secret = randomBytes(32).toString('base64')
  const verified = new LRUCache<string, string>({ max: 5000, ttl: verifiedMs })
  const digestOf = (text: string) => hash('sha256', `${secret}\0${text}`, 'base64')

  const findMatch = async (credentials: Credentials, digest: string): Promise<User | undefined> => {
    for (const { login, password } of readingsOf(credentials)) {
      const user = await findUser(database, login)
      const hash = user?.passwordHash ?? null
      if (hash !== null && verified.get(digest) === hash) return user
      if (!(await verifyPassword(password, hash, passwordCost)) || hash === null || user === undefined)
        continue
      verified.set(digest, hash)
      await touchActivity(database, user.id)
      return user
    }
    return undefined
  }

  return {
    digestOf,
    async find(credentials, address) {
      const digest = digestOf(`${credentials.login.toLowerCase()}\0${credentials.password}`)
      const attempt = { login: credentials.login, address }
      const isGuess = !verified.has(digest)
      if (isGuess) guard.begin(attempt)
      const user = await findMatch(credentials, digest).catch((error: unknown) => {
        if (isGuess) guard.undo(attempt)
        throw error
      })
      if (user === undefined) {
        // The password was valid earlier; from now on it counts as a guess.
        verified.delete(digest)
        // The log omits the login, because users may type a password into that field.
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
 * Refuses disabled users.
 *
 * @throws {Problem} auth/disabled
 */
function refuseDisabled({ disabled, keyname }: User): void {
  if (disabled) throw problem('auth/disabled', `User "${keyname}" is disabled.`)
}

/** Credentials of a request. */
interface Claims {
  /** Secret of the session cookie. */
  readonly session: string | undefined
  /** Authorization header. */
  readonly authorization: string | undefined
  readonly address: string
}

/** Authenticated caller. */
export interface Identity {
  readonly caller: Caller
  /** Remaining lifetime of the session if it was extended by this request. */
  readonly prolongedSeconds?: number
}

/** Converts a user to a caller. */
export function callerOf(user: User, medium: AuthMedium | null): Caller {
  return {
    id: user.id,
    keyname: user.keyname,
    displayName: user.displayName,
    principalIds: user.principalIds,
    superuser: user.superuser,
    isAdministrator: user.isAdministrator,
    isGuest: user.system && user.keyname === 'guest',
    language: user.language,
    credential: credentialOf(user.passwordHash),
    medium,
  }
}

/** Short-lived cache of identities and of unknown credentials. */
interface IdentityCache {
  /** Returns the cached identity of a key, or finds it; concurrent requests share one lookup. */
  get<T extends Identity | undefined>(key: string, find: () => Promise<T>): Promise<T>
  /** Returns the cached identity of a key. */
  known(key: string): Identity | undefined
  /** Clears the cache and discards the results of running lookups. */
  clear(): void
}

/** Lifetime of cached identities, in milliseconds, in case a change is not announced. */
const ttl = 10_000
const max = 5000

/** Creates an empty cache of identities. */
export function createIdentityCache(): IdentityCache {
  const known = new LRUCache<string, Identity>({ max, ttl })
  // A separate cache, so that invalid credentials do not evict valid ones.
  const unknown = new LRUCache<string, true>({ max, ttl })
  const pending = new Map<string, Promise<Identity | undefined>>()
  let generation = 0

  const findAndCache = async (key: string, find: () => Promise<Identity | undefined>) => {
    const started = generation
    const found = await find()
    if (started !== generation) return found
    // Only the first request extends the session, so the extension is not cached.
    if (found === undefined) unknown.set(key, true)
    else known.set(key, { caller: found.caller })
    return found
  }

  const get = async (key: string, find: () => Promise<Identity | undefined>) => {
    const cached = known.get(key)
    if (cached !== undefined || unknown.has(key)) return cached
    const running = pending.get(key)
    if (running !== undefined) return running
    const finding = findAndCache(key, find).finally(() => {
      if (pending.get(key) === finding) pending.delete(key)
    })
    pending.set(key, finding)
    return finding
  }

  return {
    // Each key is always used with the same type of result.
    get: get as IdentityCache['get'],
    known: (key) => known.get(key),
    clear() {
      generation += 1
      known.clear()
      unknown.clear()
      pending.clear()
    },
  }
}
