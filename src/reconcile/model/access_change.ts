import type { PermissionName } from '../../contract/permissions.ts'
import type { Span } from '../../core/span.ts'

/** A resource whose permissions change. */
export interface AccessTarget {
  /** Key in the manifest, else keyname, else `#id`. */
  readonly key: string
  readonly cls: string
  readonly displayName: string
}

/** The same change of permissions of some users or groups on some resources. Plain data. */
export interface AccessChange {
  readonly change: 'gain' | 'loss'
  /** Full names, such as `user:guest`, `user:authenticated`, `group:editors` and `user:ada`. */
  readonly principals: readonly string[]
  readonly permissions: readonly PermissionName[]
  /** Full names of users and groups among these who gain nothing, since rules deny it to them; absent if there are none. */
  readonly except?: readonly string[]
  /** Whether the resources exist before and after the plan, only after it, or only before it. */
  readonly on: 'existing' | 'new' | 'deleted'
  readonly resources: readonly AccessTarget[]
  /**
   * Positions of the rules and blocks of the manifest that cause the change on the first 100 resources, without duplicates;
   * empty for implied changes.
   */
  readonly causes: readonly Span[]
  /** Whether the same change is listed for a more general principal: all signed-in users, or a group of the user. */
  readonly implied: boolean
}

/** Rules that a plan adds and that have no effect, since nobody for whom they are can read a resource above. Plain data. */
export interface BlockedRules {
  /** Full name, such as `user:guest`. */
  readonly principal: string
  /** The resources that have the rules. */
  readonly resources: readonly AccessTarget[]
  /** The uppermost resource that the user or the group cannot read. */
  readonly unreadable: AccessTarget
  /** Positions of the rules. */
  readonly causes: readonly Span[]
}

/** Effective permissions before and after a plan. */
export interface AccessReport {
  /** Whether the account can read all resources and rules that determine the changes. */
  readonly complete: boolean
  /** Whether the account can read which users belong to which groups; otherwise no users are listed by name. */
  readonly users: boolean
  readonly changes: readonly AccessChange[]
  readonly blocked: readonly BlockedRules[]
}

/** Report of a plan that changes no permissions. */
export const unchangedAccess: AccessReport = { complete: true, users: true, changes: [], blocked: [] }
