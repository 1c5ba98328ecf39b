import type { MetadataValue } from '../contract/bodies/resource.ts'
import type { CatalogKind } from '../contract/catalog/catalog_edit.ts'
import type { SetFields } from '../contract/field_marks.ts'
import type { PrincipalKind } from '../contract/principal.ts'
import type { Cls } from '../contract/registry.ts'
import type { ExtensionCounts } from '../core/extension_counts.ts'
import type { Pointer } from '../core/pointer.ts'
import type { Span } from '../core/span.ts'
import type { FieldCheck } from './checks/check_style.ts'

/** Returns the span of a field of a resource's block, or of its nearest written ancestor. */
export type SpanOf = (pointer: Pointer) => Span

/** A permission rule of a manifest. */
export interface WantedRule {
  readonly action: 'allow' | 'deny'
  /** Keyname, with a kind if a user and a group share it: `guest`, `user:guest` or `group:editors`. */
  readonly principal: string
  readonly identity: string
  readonly scope: string
  readonly permission: string
  readonly propagate: boolean
}

/** The rules of a resource. The manifest owns all rules of the resource, or only the listed ones. */
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
  /** Policy for data that were edited on the server; the plan stops if absent. */
  readonly mode?: DataMode
  /** Keynames of the fields that identify a feature; only with mode `sync`. */
  readonly featureKey?: readonly string[]
  /** Whether a load may delete features and fields. */
  readonly allowLoss?: boolean
}

/**
 * Policy for data that were edited on the server: `seed` keeps them, `replace` overwrites them, `sync` changes only the
 * features that differ from the source.
 */
export type DataMode = 'seed' | 'replace' | 'sync'

/** A file that the manifest stores with a resource. */
export interface WantedFile {
  /** Name on the server: a path in a bucket. */
  readonly name: string
  /** Absolute path. */
  readonly path: string
  /** Absent if the server chooses it. */
  readonly mimeType?: string
}

/** A file that the manifest attaches to a feature. */
export interface WantedAttachment extends WantedFile {
  /** Absent if the manifest does not set it. */
  readonly description?: string
}

/** Descriptions and attachments of the features of a layer; the manifest owns those of all features, or none. */
export interface WantedFeatures {
  /** Keyname of the field that identifies a feature. */
  readonly key: string
  /** By the value of the key as text. */
  readonly descriptions?: ReadonlyMap<string, string>
  /** By the value of the key as text, sorted by name. */
  readonly attachments?: ReadonlyMap<string, readonly WantedAttachment[]>
}

/** The desired state of a resource. Omitted fields are absent. */
export interface WantedResource {
  readonly key: string
  /** Whether the resource is unmanaged: only the written fields are updated; it is never created or deleted. */
  readonly existing: boolean
  /** Id on the server, if the manifest sets it. */
  readonly id?: number
  /** Previous key. */
  readonly was?: string
  readonly protect: boolean
  /** Optional only for existing resources. */
  readonly cls?: Cls
  /** Key of the parent; absent only for existing resources. */
  readonly parent?: string
  readonly displayName?: string
  readonly description?: string | null
  /** Keyname of the owner, as in rules. */
  readonly owner?: string
  readonly permissions?: WantedPermissions
  readonly resmeta?: Readonly<Record<string, MetadataValue>>
  /** Fields that the manifest leaves as they are, although it has set them before; absent if there are none. */
  readonly unmanaged?: ReadonlySet<string>
  /**
   * Members of the class as in the API, except that references are keys of the manifest, or `{id}` of a resource
   * outside it. See `mapReferences` of the contract.
   */
  readonly members: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Previous keynames of renamed fields of a layer, by keyname; absent if there are none. */
  readonly formerFields?: ReadonlyMap<string, string>
  readonly data?: WantedData
  /** All files of the resource, sorted by name; absent if the manifest does not set them. */
  readonly files?: readonly WantedFile[]
  readonly features?: WantedFeatures
  /** Checks the fields that the style reads, if the manifest does not list those of its layer; absent for other resources. */
  readonly checkFields?: FieldCheck
  /** Only of an undo: id that the resource had before it was deleted. */
  readonly formerId?: number
  /** Only of an undo: keyname that the resource had; if null, the key only names it in the plan. */
  readonly formerKeyname?: string | null
  /** Only of an undo: fields that manifests are recorded to set from then on, by manifest; others keep their records. */
  readonly records?: ReadonlyMap<string, SetFields>
  /** Only of an undo: who managed the resource before an apply adopted or deleted it. */
  readonly formerManager?: FormerManager
  /** Only of an undo: source marker that the layer had before an apply adopted it; null if it had none. */
  readonly formerSource?: string | null
  /** Only of an undo: the record of the key before; null if there was none. */
  readonly formerKeyRecord?: string | null
  /** Only of an undo: names of files that an apply added, with the names that it renamed them from; the others are removed. */
  readonly addedFiles?: ReadonlyMap<string, string | undefined>
  /** Only of an undo: data that the server kept, and restores. */
  readonly restores?: RestoredData
  /** Spans in the block; pointers are relative to it: `/webmap/root_item`. */
  readonly spanOf: SpanOf
}

/** The manifest that managed a resource; null if none did. */
export type FormerManager = { readonly manifest: string } | null

/** Data of a layer that the server kept. */
export interface RestoredData {
  /** Id of the kept data. */
  readonly kept: number
  readonly features: number
  /** What the apply deleted of them, in words. */
  readonly lost: readonly string[]
  /** Attachments and descriptions of features that come back; absent if unknown. */
  readonly returns?: ExtensionCounts | undefined
  /** Attachments and descriptions of features that are deleted; absent if unknown. */
  readonly deletes?: ExtensionCounts | undefined
  /** Source marker of the layer with these data; null if it had none. */
  readonly source: string | null
}

/** Image file of an icon. */
export interface WantedImage {
  /** Absolute path. */
  readonly path: string
  /** The path as it was written. */
  readonly source: string
}

/** The desired state of an icon or a geoservice of the catalog. Omitted members are absent. */
export interface WantedRecord {
  /** Key in the manifest and keyname on the server. */
  readonly key: string
  readonly kind: CatalogKind
  /** Previous key. */
  readonly was?: string
  /** Members as in the API, except that `icon` is a key of the manifest, or `{id}` of an icon outside it. */
  readonly members: Readonly<Record<string, unknown>>
  /** Only of icons. */
  readonly image?: WantedImage
  /** Spans in the block; pointers are relative to it: `/boundary`. */
  readonly spanOf: SpanOf
}

/** The records of the catalog, by kind and key; keys are sorted. */
export type WantedCatalog = Readonly<Record<CatalogKind, ReadonlyMap<string, WantedRecord>>>

/** The groups of a user, or the members of a group. The manifest owns all of them, or only the listed ones. */
export interface WantedMemberships {
  readonly owns: 'all' | 'listed'
  /** Keynames of groups of a user, of users of a group. */
  readonly names: readonly string[]
}

/** Where a password is, which is read only when it is sent. */
export type SecretSource =
  | { readonly env: string }
  /** `path` is absolute, `file` as it was written. */
  | { readonly file: string; readonly path: string }
  /** Program with its arguments, run in `folder`; its standard output is the secret. */
  | { readonly command: readonly string[]; readonly folder: string }

/** The desired state of a user or a group. Omitted members are absent. */
export interface WantedPrincipal {
  readonly kind: PrincipalKind
  /** Keyname on the server. */
  readonly key: string
  /** Previous keyname. */
  readonly was?: string
  /** Members as in the API, without memberships and password. */
  readonly members: Readonly<Record<string, unknown>>
  readonly memberships?: WantedMemberships
  /** Only of users. */
  readonly password?: SecretSource
  /** Spans in the block; pointers are relative to it: `/members/0`. */
  readonly spanOf: SpanOf
}

/** Users and groups, by kind and key. */
export type WantedPrincipals = Readonly<Record<PrincipalKind, ReadonlyMap<string, WantedPrincipal>>>

/** Resources, records of the catalog, users and groups, assembled from all files of the manifest. */
export interface Manifest {
  /** Id of the manifest, stored on the server as the manager of its resources and records. */
  readonly id: string
  /** By key, parents before children; empty if no file has resources. */
  readonly resources: ReadonlyMap<string, WantedResource>
  /** Absent if no file has icons or geoservices. */
  readonly catalog?: WantedCatalog
  /** Absent if no file has users or groups. */
  readonly principals?: WantedPrincipals
}

/** Finds the block of a resource, or of a record, user or group of a kind. */
export function findWantedBlock(
  { resources, catalog, principals }: Pick<Manifest, 'resources' | 'catalog' | 'principals'>,
  { record, key }: { readonly record?: CatalogKind | PrincipalKind; readonly key: string },
): { readonly spanOf: SpanOf } | undefined {
  if (record === undefined) return resources.get(key)
  return record === 'user' || record === 'group' ? principals?.[record].get(key) : catalog?.[record].get(key)
}
