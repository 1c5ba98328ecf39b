import type { FeatureState } from '../../api/read_extensions.ts'
import type { Action, JournalAction } from '../../contract/bodies/journal.ts'
import type { CatalogKind } from '../../contract/catalog/catalog_edit.ts'
import type { PrincipalKind } from '../../contract/principal.ts'
import type { Issue } from '../../core/issue.ts'
import type { Pointer } from '../../core/pointer.ts'
import type { RestoredData, SecretSource } from '../../manifest/manifest.ts'
import type { StyleEdit } from '../../style/diff/style_diff.ts'
import type { DataChange } from '../../transfer/data_loss.ts'
import type { AccessReport } from './access_change.ts'
import type { ActualResource } from './actual_tree.ts'
import type { Deletion, LastChange, Takes } from './takes.ts'

/** Change of a field in manifest form: references are keys. */
export interface Edit {
  /** Pointer in the resource; items of keyed lists are named by their key: `/feature_layer/fields/name`. */
  readonly pointer: Pointer
  /** Old value; undefined if absent or unknown. */
  readonly from?: unknown
  /** New value; undefined if the field is removed. */
  readonly to?: unknown
  /** Data that the change deletes. */
  readonly loses?: string
  /** Number of values that the change deletes, if they were counted. */
  readonly lostValues?: number
  /** Number of values that cannot be converted to the new datatype. */
  readonly unconvertible?: number
  /** Reason why the change is impossible in place. */
  readonly replaces?: string
  /** Why the value changes, if the manifest does not set it. */
  readonly reason?: string
  /** An item of a layer tree moves: `from` and `to` are the names of its groups, from the top. */
  readonly moves?: true
  /** The value is a secret and omitted. */
  readonly secret?: true
  /** The manifest sets the field no longer, and its value stays. */
  readonly released?: true
  /** Why the value of a released field stays, or how to change it. */
  readonly stays?: string
  /** Whether the manifest, the server or both changed the field since the last apply; absent if unknown. */
  readonly origin?: 'manifest' | 'server' | 'both'
  /** Differences by rule and symbol, if the values are styles; empty if they draw the same. */
  readonly style?: readonly StyleEdit[]
}

/** Change of what is recorded on a resource: names of fields that a manifest sets from now on, and that it sets no longer. */
export interface RecordChange {
  readonly gained: readonly string[]
  readonly lost: readonly string[]
  /** Whether the record of the key is written or removed, which tells that a rename took place; absent if it stays. */
  readonly key?: 'written' | 'removed'
  /** Whether keys in the values of fields are renamed. */
  readonly renamed?: true
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
  /** Reason for the load. */
  readonly reason: 'new' | 'source changed' | 'data changed on the server' | 'fields added' | 'requested'
  /** Whether the source of a requested load has changed, too. */
  readonly isSourceChanged?: true
  /** Number of features to replace; null if the server cannot count them, absent for new layers and rasters. */
  readonly before?: number | null
  /** Changes of the load, if the source could be read during planning. */
  readonly change?: DataChange
  /** Edits since the last load, which this load overwrites. */
  readonly edited?: EditedData
  /** Present if the load changes only the features that differ. */
  readonly sync?: SyncLoad
  /** Keynames of fields that the plan converts, so that all features are loaded although the mode is `sync`. */
  readonly notSynced?: readonly string[]
  /** Maximum fraction of the features that the load may delete, from 0 to 1; unlimited if absent. */
  readonly lossFuse?: number
}

/** Fields that a change adds to a layer, and for which no feature gets a value. */
export interface UnfilledFields {
  readonly keynames: readonly string[]
  /** Number of features of the layer; null if the server cannot count them. */
  readonly features: number | null
}

/** A load that changes only the features that differ from the source. */
export interface SyncLoad {
  /** Keynames of the fields that identify a feature. */
  readonly key: readonly string[]
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string
  /** Version of the data that the features were compared with. */
  readonly dataVersion: number
}

/** A file of a resource after a change. */
export interface FileEntry {
  /** Name on the server. */
  readonly name: string
  /** The file to upload; absent for a file that the server has. */
  readonly upload?: FileUpload
  /** Name on the server of the file whose content it is, if it has another one. */
  readonly from?: string
  /** Media type that a file of the server gets; absent if it keeps its own. */
  readonly mimeType?: string
}

/** A file to upload. */
export interface FileUpload {
  /** Absolute path. */
  readonly path: string
  /** SHA-256 during planning, in hexadecimal. */
  readonly sha256: string
  readonly sizeBytes: number
  readonly mimeType?: string
}

/** Changes of descriptions and attachments of the features of a layer. */
export interface FeaturesChange {
  /** Keyname of the field that identifies a feature. */
  readonly key: string
  /** What all features of the layer lose first; then the items are complete. */
  readonly clear: readonly ('description' | 'attachment')[]
  readonly items: readonly FeatureItem[]
  /** Digests of each part as the manifest lists it, and as the server has it; absent for parts that are not managed. */
  readonly digests: Readonly<Partial<Record<FeaturePart, PartDigests>>>
}

/** A part of what features have. */
export type FeaturePart = 'descriptions' | 'attachments'

/** Digests of a part: descriptions, or names and content of attachments. */
export interface PartDigests {
  readonly wanted: string
  readonly there: string
}

/** Descriptions and attachments of features during planning, which a change writes or deletes. */
export interface ExtensionsBase {
  readonly version: number
  /** Of each feature that has any; absent if they were not read. */
  readonly states?: readonly FeatureState[]
}

/** Change of the description and attachments of a feature. */
export interface FeatureItem {
  /** Value of the key as text. */
  readonly key: string
  /** Null removes it; absent if it does not change. */
  readonly description?: string | null
  /** All attachments of the feature after the change; absent if they do not change. */
  readonly attachments?: readonly AttachmentItem[]
}

/** An attachment after a change: one that the server has, by id, or a file to upload. */
export type AttachmentItem = { readonly description?: string | null } & (
  | { readonly id: number }
  | { readonly name: string; readonly upload: FileUpload }
)

/** What an edit of a file shows of it. */
export interface FileFacts {
  /** Only of a renamed file: its name before. */
  readonly name?: string
  readonly size: number | undefined
  /** SHA-256; undefined if the server does not tell it. */
  readonly digest?: string | undefined
  readonly mime_type?: string | undefined
  /** Only of attachments. */
  readonly description?: string | undefined
}

/** Edits of data on the server. */
export interface EditedData {
  /** Number of write requests since the last load; undefined if unknown. */
  readonly changes: number | undefined
  /** The last of them; absent if the server does not tell. */
  readonly last?: Omit<LastChange, 'key'>
  /** Ids of edited and deleted features, and whether these are all of them; absent if none is known. */
  readonly features?: { readonly ids: readonly number[]; readonly complete: boolean }
}

/** A request body in manifest form: references are keys or `{id}`, principals are names such as `user:guest`. */
export type WantedBody = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** An image that is stored with an icon, by its absolute path. */
export interface ImageLoad {
  readonly path: string
  /** The path as the manifest writes it. */
  readonly source: string
}

/** A planned change to a resource, to a record of the catalog, or to a user or group. Plain data. */
export interface Change {
  readonly action: Action
  /** Kind of a record of the catalog, or of a user or group; absent for resources. */
  readonly record?: CatalogKind | PrincipalKind
  /** Key in the manifest; for deletions, keyname or `#id`. */
  readonly key: string
  /** Class of a resource, kind of a record. */
  readonly cls: string
  readonly displayName: string
  /** Display names from the root to the resource. */
  readonly path: readonly string[]
  /** Id on the server; absent for creations. */
  readonly id?: number
  /** Only of an undo that creates a deleted resource again: the id that it had. */
  readonly formerId?: number
  /** Version of the resource during planning; absent if the server reports none. */
  readonly version?: number
  /** Whether the resource gets the marker of this manifest; a resource that does not change otherwise has the action `adopt`. */
  readonly adopts?: true
  /** Fields whose record changes, of a resource that does not change otherwise. */
  readonly records?: RecordChange
  /** The source whose features the layer has, and which the marker names from now on; it is not loaded. */
  readonly marksSource?: string
  readonly edits: readonly Edit[]
  readonly data?: DataLoad
  /** Added fields without values, because the source, which has them, is not loaded again. */
  readonly unfilled?: UnfilledFields
  /** All files of the resource after the change; absent if they do not change. */
  readonly files?: readonly FileEntry[]
  /** Descriptions and attachments of features to write; absent if they do not change. */
  readonly features?: FeaturesChange
  /** The descriptions and attachments that the change is based on; absent if it takes none away. */
  readonly extensions?: ExtensionsBase
  /** Version of the data during planning, if the change replaces all of them. */
  readonly dataVersion?: number
  /** All resources that a deletion or replacement deletes: the resource itself first. */
  readonly deletes?: readonly Deletion[]
  /** Only of an undo: data that the server kept, and restores with their ids. */
  readonly restores?: RestoredData
  readonly image?: ImageLoad
  /** Password that is set. */
  readonly password?: SecretSource
  readonly takes?: Takes
  /** Request body; empty for deletions. */
  readonly body: WantedBody
  /** Required version of the resource, if the body contains unmanaged rules. */
  readonly ifVersion?: number
  /** Fields to set after a load, which creates them from the file. */
  readonly fieldsAfterLoad?: readonly Readonly<Record<string, unknown>>[]
}

/** A step of an apply, with its dependencies. */
export interface Step {
  readonly id: string
  readonly kind: 'rename' | 'delete' | 'write'
  readonly change: Change
  readonly after: readonly string[]
  /** Deletions are in the last phase, so that a plan that fails deletes nothing. */
  readonly phase: 'first' | 'last'
  /** Unused display name, for a `rename`. */
  readonly temporaryName?: string
  /** Unused keyname, for a `rename`. */
  readonly temporaryKey?: string
  /** Resource that a `rename` changes, if it is one below the resource that its change deletes. */
  readonly below?: { readonly id: number; readonly cls: string }
}

/** A resource of the manifest whose actual state the account cannot see. */
export interface UnknownResource {
  readonly key: string
  readonly cls: string
  readonly path: readonly string[]
  /** Reason in a few words. */
  readonly reason: string
}

/** A secret of the manifest that a plan does not send: the server has one, and does not return it. */
export interface UncomparedSecret {
  /** Key of the resource, or of the user. */
  readonly key: string
  /** Name, such as `wmsclient_connection.password`. */
  readonly field: string
}

/** The account that read the server for a plan. */
export interface PlanAccount {
  /** Keyname; undefined if the server does not report it. */
  readonly name: string | undefined
  /** Whether it can read all resources. */
  readonly readsAll: boolean
}

/** Ordered changes with their context. */
export interface Plan {
  /** Version of this format. */
  readonly version: 1
  readonly manifest: string
  /** URL of the server. */
  readonly server: string
  /** Account that read the server. */
  readonly account?: PlanAccount
  /** Keys of the only resources that the plan is about, with what they need; absent if it is about all. */
  readonly only?: readonly string[]
  /** Version of landform on the server; undefined for other servers, which do not merge lists. */
  readonly landform: string | undefined
  /** Changes to users and groups, then those to resources, then those to records of the catalog. */
  readonly changes: readonly Change[]
  /** Steps of the changes to resources. */
  readonly steps: readonly Step[]
  /** Number of resources and records without changes. */
  readonly unchanged: number
  /** Resources and records without a plan, because the account cannot see whether they exist. */
  readonly unknown: readonly UnknownResource[]
  /** Secrets of which it is not known whether they changed; absent if there are none. */
  readonly uncompared?: readonly UncomparedSecret[]
  /** Errors, which block the plan, and warnings. */
  readonly issues: readonly Issue[]
  /** Resources of the server that the plan is based on, by id; absent if the plan was not made from a read tree. */
  readonly before?: ReadonlyMap<number, ActualResource>
  /** Ids of the matched resources by key, for references. */
  readonly ids: ReadonlyMap<string, number>
  /** Ids of the matched icons by key, for references. */
  readonly icons: ReadonlyMap<string, number>
  /** Ids of users and groups by `user:keyname` and `group:keyname`. */
  readonly principals: ReadonlyMap<string, number>
  /** Full names of users and groups that an apply of the plan has created. */
  readonly created?: ReadonlySet<string>
  /** SHA-256 of the changes and of the versions of the changed resources. */
  readonly fingerprint: string
  /** Effective permissions before and after; absent if they were not computed. */
  readonly access?: AccessReport
}

/** Tells whether a change only records which fields the manifest sets, or from which source the data are. */
export const isRecordOnly = ({ action, adopts }: Pick<Change, 'action' | 'adopts'>) =>
  action === 'adopt' && adopts === undefined

/** Returns the kind of a change in reports and in the journal. */
export const journalActionOf = (change: Pick<Change, 'action' | 'adopts'>): JournalAction =>
  isRecordOnly(change) ? 'record' : change.action

/** Counts the changes by action. */
export function countActions(changes: readonly Change[]): Record<Action, number> {
  const counts: Record<Action, number> = { create: 0, adopt: 0, update: 0, move: 0, replace: 0, delete: 0 }
  for (const { action } of changes) counts[action] += 1
  return counts
}
