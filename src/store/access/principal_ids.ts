/** For whom permissions are computed. */
export interface Asker {
  /** The user. */
  readonly id: number
  /** Every principal whose rules speak of the user: itself, its groups, everyone, authenticated. */
  readonly principalIds: readonly number[]
  /** Has everything, whatever the rules say. */
  readonly superuser: boolean
}
