import type { PermissionName } from '../contract/permissions.ts'
import type { Cls } from '../contract/registry.ts'

/** Identifies a resource or a principal: its id on a server, or its manifest key before it has one. */
export type Key = number | string

/** A permission rule, as input of the evaluator. */
export interface AccessRule {
  readonly action: 'allow' | 'deny'
  readonly principal: Key
  /** Class of the resources it applies to; empty for all. */
  readonly identity: string
  /** Empty, with an empty permission, for all permissions. */
  readonly scope: string
  readonly permission: string
  readonly propagate: boolean
}

/** The part of a resource that determines permissions. */
export interface AccessResource {
  readonly cls: Cls
  /** Undefined for the root only. */
  readonly parent: Key | undefined
  /** The owning user. */
  readonly owner: Key
  readonly rules: readonly AccessRule[]
  /** The connection of its data, if its class has one. */
  readonly connection?: Key | undefined
}

/** A tree of resources, complete with all parents. */
export type AccessTree = ReadonlyMap<Key, AccessResource>

/** The caller whose permissions are evaluated. */
export interface AccessSubject {
  readonly user: Key
  /** Principals whose rules apply to the user: itself, its groups, `everyone` and, unless a guest, `authenticated`. */
  readonly principals: ReadonlySet<Key>
  /** The system user `owner`, whose rules apply to the owner of the evaluated resource. */
  readonly ownerPrincipal?: Key | undefined
  /** Has all permissions, regardless of rules. */
  readonly superuser?: boolean
}

/** The permissions held. */
export type Permissions = ReadonlySet<PermissionName>
