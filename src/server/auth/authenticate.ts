import { problem } from '../../contract/problems.ts'
import type { Log } from '../../core/log.ts'
import type { Database } from '../../database/database.ts'
import { findUser, findUserById, type User } from '../../store/auth/principal.ts'
import { listenToPrincipals } from '../../store/auth/principal_change.ts'
import { touchActivity } from '../../store/auth/principal_record.ts'
import { extendSession, findSession } from '../../store/auth/session.ts'
import { useToken } from '../../store/auth/token.ts'
import { type Credentials, parseAuthorization } from './basic_auth.ts'
import type { AuthMedium, Caller } from './caller.ts'
import { type Claims, callerOf, type Identity } from './identity.ts'
import { createMemory } from './identity_cache.ts'
import { createLogin, refuseDisabled } from './login.ts'
import { createGuard } from './login_guard.ts'
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
