import type { EndedAccess } from '../../contract/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { deleteUserSessions } from '../../store/auth/session.ts'
import { deleteUserTokens } from '../../store/auth/token.ts'

/** What of a user's access outlives its password. */
export interface KeptAccess {
  /** Digest of the session that goes on. */
  readonly session?: string | undefined
  readonly tokens?: boolean | undefined
}

/** Ends the sessions of a user whose password changes, and revokes its tokens. Principals are the caller's to announce. */
export async function endAccess(tx: Queryable, userId: number, kept: KeptAccess): Promise<EndedAccess> {
  return {
    ended_sessions: await deleteUserSessions(tx, userId, kept.session),
    revoked_tokens: kept.tokens === true ? 0 : await deleteUserTokens(tx, userId),
  }
}
