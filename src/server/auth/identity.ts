import { LRUCache } from 'lru-cache'
import type { User } from '../../store/auth/principal.ts'
import type { AuthMedium, Caller } from './caller.ts'
import { credentialOf } from './token_secret.ts'

/** Credentials of a request. */
export interface Claims {
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
    clear() {
      generation += 1
      known.clear()
      unknown.clear()
      pending.clear()
    },
  }
}
