import type { authMedia } from '../../contract/principal.ts'

/** How a caller has said who it is. */
export type AuthMedium = (typeof authMedia)[number]

/** Who sends a request. An `PermissionSubject` of the store. */
export interface Caller {
  readonly id: number
  readonly keyname: string
  readonly displayName: string
  /** Every principal id whose rules speak of the caller: the user, its groups, everyone, authenticated. */
  readonly principalIds: readonly number[]
  /** Has all permissions, whatever the rules say. */
  readonly superuser: boolean
  readonly isAdministrator: boolean
  readonly isGuest: boolean
  readonly language: string
  /** Stands for the password that the user had when the caller was identified. */
  readonly credential: string
  /** Null for guests. */
  readonly medium: AuthMedium | null
}
