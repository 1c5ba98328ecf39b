import type { PermissionName } from '../contract/permissions.ts'
import type { Cls } from '../contract/registry.ts'

/** Names a resource or a principal: its id on a server, or a key of a manifest before it has one. */
export type Key = number | string

/** A permission rule as the evaluator reads it. */
export interface AccessRule {
  readonly action: 'allow' | 'deny'
  readonly principal: Key
  /** Class of the resources it speaks of; empty for all. */
  readonly identity: string
  /** Empty, together with an empty permission, for everything. */
  readonly scope: string
  readonly permission: string
  readonly propagate: boolean
}

/** What of a resource decides who may do what with it. */
export interface AccessResource {
  readonly cls: Cls
  /** Undefined for the root only. */
  readonly parent: Key | undefined
  /** The user who owns it. */
  readonly owner: Key
  readonly rules: readonly AccessRule[]
  /** The connection it reads its data through, where its class has one. */
  readonly connection?: Key | undefined
}

/** A tree of resources: every parent that is named is in it. */
export type AccessTree = ReadonlyMap<Key, AccessResource>

/** For whom permissions are evaluated. */
export interface AccessSubject {
  /** The user. */
  readonly user: Key
  /** Principals whose rules speak of the user: itself, its groups, `everyone` and, unless a guest, `authenticated`. */
  readonly principals: ReadonlySet<Key>
  /** The system user `owner`, whose rules speak of whoever owns the resource that is asked about. */
  readonly ownerPrincipal?: Key | undefined
  /** Has everything, whatever the rules say. */
  readonly superuser?: boolean
}

/** The permissions that hold. */
export type Permissions = ReadonlySet<PermissionName>
