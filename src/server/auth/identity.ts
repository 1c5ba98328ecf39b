import { LRUCache } from 'lru-cache'
import type { User } from '../../store/auth/principal.ts'
import type { AuthMedium, Caller } from './caller.ts'
import { credentialOf } from './token_secret.ts'

/** What a request says about who sends it. */
export interface Claims {
  /** Text of the session's cookie. */
  readonly session: string | undefined
  /** The header Authorization. */
  readonly authorization: string | undefined
  readonly address: string
}

/** Who sends a request. */
export interface Identity {
  readonly caller: Caller
  /** How long the session lasts from now on, where it has just been prolonged. */
  readonly prolongedSeconds?: number
}

/** Makes a caller of a user. */
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

/** Remembers for a short time who is who, and who is nobody. */
interface Memory {
  /** Gives what is remembered under a key, or finds it; requests that come together ask once. */
  recall<T extends Identity | undefined>(key: string, find: () => Promise<T>): Promise<T>
  /** Forgets all; what is being found now is not remembered. */
  forget(): void
}

/** How long it is taken for granted who somebody is, where nobody tells of a change. */
const ttl = 10_000
const max = 5000

/** Makes a memory. */
export function createMemory(): Memory {
  const known = new LRUCache<string, Identity>({ max, ttl })
  // Apart, so that whoever sends what nobody has drives nobody out.
  const unknown = new LRUCache<string, true>({ max, ttl })
  const pending = new Map<string, Promise<Identity | undefined>>()
  let generation = 0

  const findAndKeep = async (key: string, find: () => Promise<Identity | undefined>) => {
    const started = generation
    const found = await find()
    if (started !== generation) return found
    // A session is prolonged once: whoever comes later gets the caller alone.
    if (found === undefined) unknown.set(key, true)
    else known.set(key, { caller: found.caller })
    return found
  }

  const recall = async (key: string, find: () => Promise<Identity | undefined>) => {
    const remembered = known.get(key)
    if (remembered !== undefined || unknown.has(key)) return remembered
    const running = pending.get(key)
    if (running !== undefined) return running
    const finding = findAndKeep(key, find).finally(() => {
      if (pending.get(key) === finding) pending.delete(key)
    })
    pending.set(key, finding)
    return finding
  }

  return {
    // What is found under a key is always of the kind that was asked for with it.
    recall: recall as Memory['recall'],
    forget() {
      generation += 1
      known.clear()
      unknown.clear()
      pending.clear()
    },
  }
}
