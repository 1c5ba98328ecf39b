import type { Cls } from '../contract/registry.ts'
import type { MetadataValue } from '../contract/resource.ts'
import type { Pointer } from '../core/pointer.ts'
import type { Span } from '../core/span.ts'

/** Finds where in the files a part of a resource's block stands; the nearest part that is written. */
export type SpanOf = (pointer: Pointer) => Span

/** A permission rule as a manifest writes it. */
export interface WantedRule {
  readonly action: 'allow' | 'deny'
  /** `guest`, `user:guest` or `group:editors`: a keyname, with its kind where users and groups share it. */
  readonly principal: string
  readonly identity: string
  readonly scope: string
  readonly permission: string
  readonly propagate: boolean
}

/** Which rules of a resource the manifest owns: all of them, or only the ones it lists. */
export interface WantedPermissions {
  readonly owns: 'all' | 'listed'
  readonly rules: readonly WantedRule[]
}

/** Data that the manifest loads into a layer. */
export interface WantedData {
  /** Absolute path of the file. */
  readonly path: string
  /** The path as it was written. */
  readonly source: string
  /** Load options by their wire names: `source_layer`, `fix_errors`, … */
  readonly options: Readonly<Record<string, unknown>>
  /** What is done when the data on the server were edited; asked where absent. */
  readonly mode?: DataMode
  /** Whether a load may take features and fields away. */
  readonly allowLoss?: boolean
}

/** What becomes of data that were edited on the server: `seed` keeps them, `replace` overwrites them. */
export type DataMode = 'seed' | 'replace'

/** What a manifest wants of one resource. Only what is written is there. */
export interface WantedResource {
  readonly key: string
  /** Others own it: only what is written is managed, and it is never created or deleted. */
  readonly existing: boolean
  /** Id on the server, where the manifest names it. */
  readonly id?: number
  /** Key it had before. */
  readonly was?: string
  readonly protect: boolean
  /** Absent only for existing resources that do not tell. */
  readonly cls?: Cls
  /** Key of the parent; absent only for existing resources. */
  readonly parent?: string
  readonly displayName?: string
  readonly description?: string | null
  /** Keyname of the owner, as in rules. */
  readonly owner?: string
  readonly permissions?: WantedPermissions
  readonly resmeta?: Readonly<Record<string, MetadataValue>>
  /**
   * Members of the class, in the shape of the wire, except that references stand as keys of the manifest (or as
   * `{id}` of a resource it does not name). `mapReferences` of the contract finds them all.
   */
  readonly members: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly data?: WantedData
  /** Where the block stands; pointers start at the block: `/webmap/root_item`. */
  readonly spanOf: SpanOf
}

/** A tree of resources that belongs to one id, put together from all its files. */
export interface Manifest {
  /** Names the manager on the server. */
  readonly id: string
  /** By key, parents before children. */
  readonly resources: ReadonlyMap<string, WantedResource>
}
