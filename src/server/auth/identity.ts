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
