import type { authMedia } from '../../contract/principal.ts'

/** Means by which a caller is authenticated. */
export type AuthMedium = (typeof authMedia)[number]

/** Principal that sends a request; a `PermissionSubject` of the store. */
export interface Caller {
  readonly id: number
  readonly keyname: string
  readonly displayName: string
  /** Ids of all principals whose rules apply to the caller: the user, its groups, everyone, authenticated. */
  readonly principalIds: readonly number[]
  /** Has all permissions regardless of rules. */
  readonly superuser: boolean
  readonly isAdministrator: boolean
  readonly isGuest: boolean
  readonly language: string
  /** Digest of the password hash at the time of authentication, to detect password changes. */
  readonly credential: string
  /** Null for guests. */
  readonly medium: AuthMedium | null
}
