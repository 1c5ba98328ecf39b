import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { problem } from '../../contract/problems.ts'
import type { Database } from '../../database/database.ts'
import { findUser, type User } from '../../store/principal.ts'
import type { Caller } from '../caller.ts'
import { type Credentials, parseBasic, readingsOf } from './basic.ts'
import { verifyPassword } from './password.ts'
import { createThrottle } from './throttle.ts'

/** Who somebody is, by what the request says. */
export interface Authenticator {
  /**
   * Gives the caller of a request: the guest where there is no header.
   *
   * @throws {Problem} auth/bad-header, auth/bad-credentials, auth/disabled, auth/too-many
   */
  authenticate(request: {
    readonly authorization: string | undefined
    readonly address: string
  }): Promise<Caller>
}

/** How long a caller's groups, and that it may come in at all, are taken for granted. */
const callerMs = 10_000
/** How long a password that fitted a hash is taken to fit it. */
const verifiedMs = 10 * 60_000

/** Makes the door of one server. Passwords are never kept: what is remembered is keyed by a digest of this process. */
export function createAuthenticator(database: Database): Authenticator {
  const secret = randomBytes(32)
  const callers = new LRUCache<string, Caller>({ max: 5000, ttl: callerMs })
  const verified = new LRUCache<string, string>({ max: 5000, ttl: verifiedMs })
  const pending = new Map<string, Promise<Caller>>()
  const throttle = createThrottle()
  const digestOf = ({ login, password }: Credentials) =>
    createHmac('sha256', secret).update(`${login.toLowerCase()}\0${password}`).digest('base64')

  const fits = async (credentials: Credentials, hash: string | null, digest: string) => {
    if (hash !== null && verified.get(digest) === hash) return true
    const right = await verifyPassword(credentials.password, hash)
    if (right && hash !== null) verified.set(digest, hash)
    return right
  }

  const findFitting = async (credentials: Credentials, digest: string): Promise<User | undefined> => {
    for (const reading of readingsOf(credentials)) {
      const user = await findUser(database, reading.login)
      if (await fits(reading, user?.passwordHash ?? null, digest)) return user
    }
    return undefined
  }

  const logIn = async (credentials: Credentials, digest: string, address: string): Promise<Caller> => {
    const key = `${credentials.login.toLowerCase()}\0${address}`
    if (!verified.has(digest)) throttle.begin(key)
    const user = await findFitting(credentials, digest)
    if (user === undefined) {
      verified.delete(digest)
      throw problem('auth/bad-credentials', 'Login or password is wrong.')
    }
    throttle.succeed(key)
    if (user.disabled) throw problem('auth/disabled', `User "${user.keyname}" is disabled.`)
    return callerOf(user)
  }

  // Requests that come together ask once.
  const once = async (digest: string, find: () => Promise<Caller>): Promise<Caller> => {
    const known = callers.get(digest)
    if (known !== undefined) return known
    const running = pending.get(digest) ?? find().finally(() => pending.delete(digest))
    pending.set(digest, running)
    const caller = await running
    callers.set(digest, caller)
    return caller
  }

  return {
    async authenticate({ authorization, address }) {
      if (authorization === undefined) return once('guest', () => findGuest(database))
      const credentials = parseBasic(authorization)
      const digest = digestOf(credentials)
      return once(digest, () => logIn(credentials, digest, address))
    },
  }
}

async function findGuest(database: Database): Promise<Caller> {
  const guest = await findUser(database, 'guest')
  if (guest === undefined) throw problem('server/internal', 'the user guest is missing')
  return callerOf(guest)
}

function callerOf(user: User): Caller {
  return {
    id: user.id,
    keyname: user.keyname,
    displayName: user.displayName,
    principalIds: user.principalIds,
    superuser: user.superuser,
    isAdministrator: user.isAdministrator,
    isGuest: user.system && user.keyname === 'guest',
    language: user.language,
  }
}
