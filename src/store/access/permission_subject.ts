/** The user for whom permissions are computed. */
export interface PermissionSubject {
  /** Id of the user. */
  readonly id: number
  /** Every principal whose rules apply to the user: itself, its groups, everyone, authenticated. */
  readonly principalIds: readonly number[]
  /** Whether the user has every permission, regardless of rules. */
  readonly superuser: boolean
}
