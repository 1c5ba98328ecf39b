import type { Issue } from '../../core/issue.ts'
import type { Pointer } from '../../core/pointer.ts'
import type { DataChange } from '../../transfer/data_loss.ts'

/** What will be done to one resource. */
export type Action = 'create' | 'adopt' | 'update' | 'move' | 'replace' | 'delete'

/** All actions, in the order they are told. */
export const actions: readonly Action[] = ['create', 'adopt', 'update', 'move', 'replace', 'delete']

/** One field's way from what is to what is wanted, in the words of a manifest: references are keys. */
export interface Edit {
  /** Where in the resource; items of lists that have a key are named by it: `/feature_layer/fields/name`. */
  readonly pointer: Pointer
  /** Undefined where there is nothing yet, or where it is not known. */
  readonly from?: unknown
  /** Undefined where it goes away. */
  readonly to?: unknown
  /** What of the data is lost by it. */
  readonly loses?: string
  /** Why it cannot be done in place. */
  readonly replaces?: string
  /** The values are secret and stand nowhere. */
  readonly secret?: true
}

/** A file that is loaded into a layer. */
export interface DataLoad {
  /** Absolute path. */
  readonly path: string
  /** The path as the manifest writes it. */
  readonly source: string
  readonly options: Readonly<Record<string, unknown>>
  readonly sizeBytes: number
  /** Version the layer's data will have after the load. */
  readonly version: number
  /** Why it is loaded. */
  readonly reason: 'new' | 'source changed' | 'data changed on the server' | 'told to'
  /** Features that are replaced; null where they cannot be counted, absent of a new layer and of a raster. */
  readonly before?: number | null
  /** What the load changes, where the source could be read when the plan was made. */
  readonly change?: DataChange
  /** Data on the server that the load overwrites although they were edited since the last one. */
  readonly edited?: EditedData
  /** Part of the features that the load may take away, from 0 to 1; any loss where absent. */
  readonly lossFuse?: number
}

/** Data that were edited on the server. */
export interface EditedData {
  /** Write requests since the last load; undefined where they cannot be told. */
  readonly changes: number | undefined
}

/** What goes when a resource goes. */
export interface Takes {
  /** Resources below it. */
  readonly resources: number
  /** Keys or names of resources below it that this manifest does not manage. */
  readonly strangers: readonly string[]
  /** Features of the layers that go; undefined where they cannot be counted. */
  readonly features: number | undefined
  /** Resources that refer to what goes, whoever manages them. */
  readonly referrers?: readonly Referrer[]
}

/** A resource that refers to another one that is deleted. */
export interface Referrer {
  /** Keyname or `#id`. */
  readonly key: string
  readonly cls: string
  /** Display names from the top of the tree to the resource. */
  readonly path: readonly string[]
  /** Names of its entries, or fields, that refer to what goes; they are emptied or go too. */
  readonly loses: readonly string[]
  /** Whether it keeps what it refers to from being deleted. */
  readonly refuses: boolean
}

/** A request body in the words of a manifest: references are keys or `{id}`, principals `user:guest`. */
export type WantedBody = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What will be done to one resource. A plain value: rendering and doing come elsewhere. */
export interface Change {
  readonly action: Action
  /** Key in the manifest; for resources that go, keyname or `#id`. */
  readonly key: string
  readonly cls: string
  readonly displayName: string
  /** Display names from the top of the tree to the resource. */
  readonly path: readonly string[]
  /** Id on the server; absent for what is to be created. */
  readonly id?: number
  /** Version the resource had when the plan was made; absent where the server tells none. */
  readonly version?: number
  readonly edits: readonly Edit[]
  readonly data?: DataLoad
  readonly takes?: Takes
  /** What is sent; empty for deletions. */
  readonly body: WantedBody
  /** Version the resource must still have, where the body holds what others own. */
  readonly ifVersion?: number
  /** Fields to set after a load, when the file has decided which there are. */
  readonly fieldsAfterLoad?: readonly Readonly<Record<string, unknown>>[]
}

/** One request or little more, and what has to be done before it. */
export interface Step {
  readonly id: string
  readonly kind: 'rename' | 'delete' | 'write'
  readonly change: Change
  readonly after: readonly string[]
  /** Deletions are done when everything else is, so that nothing is lost for a plan that fails half-way. */
  readonly phase: 'first' | 'last'
  /** Name that is out of everybody's way, for a `rename`. */
  readonly temporaryName?: string
}

/** A wanted resource of which the account cannot see what the server has. */
export interface UnknownResource {
  readonly key: string
  readonly cls: string
  readonly path: readonly string[]
  /** Why, in a few words. */
  readonly reason: string
}

/** Ordered changes, and what they were computed from. */
export interface Plan {
  /** Version of this shape. */
  readonly version: 1
  readonly manifest: string
  /** Address of the server. */
  readonly server: string
  /** Version of landform on the server; undefined on other servers, which get full lists where ours merges. */
  readonly landform: string | undefined
  readonly changes: readonly Change[]
  readonly steps: readonly Step[]
  /** Resources that are as they are wanted. */
  readonly unchanged: number
  /** Wanted resources that nothing is planned for, because the account cannot see whether the server has them. */
  readonly unknown: readonly UnknownResource[]
  /** Faults that forbid the plan (errors), and what a person should know (warnings). */
  readonly issues: readonly Issue[]
  /** Ids of the matched resources by key; references find them here. */
  readonly ids: ReadonlyMap<string, number>
  /** Ids of users and groups by `user:keyname` and `group:keyname`. */
  readonly principals: ReadonlyMap<string, number>
  /** SHA-256 over the changes and the versions of what they change. */
  readonly fingerprint: string
}

/** Counts the changes by action; actions without one are 0. */
export function countActions(changes: readonly Change[]): Record<Action, number> {
  const counts: Record<Action, number> = { create: 0, adopt: 0, update: 0, move: 0, replace: 0, delete: 0 }
  for (const { action } of changes) counts[action] += 1
  return counts
}
