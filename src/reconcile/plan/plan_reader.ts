import type { Api } from '../../api/api.ts'
import { type CatalogReading, readCatalog } from '../../api/read_catalog.ts'
import { type ResourceContents, readContents } from '../../api/read_contents.ts'
import { type DeletionsQuery, readDeletions } from '../../api/read_deletions.ts'
import { type ExtensionsQuery, type ReadExtensions, readExtensions } from '../../api/read_extensions.ts'
import { type PrincipalNames, readFormerPrincipals } from '../../api/read_former_principals.ts'
import { listDenied, type PermissionQuery } from '../../api/read_permission.ts'
import { type PrincipalRecords, readPrincipalRecords } from '../../api/read_principals.ts'
import { readTree, type TakeResource, type TreeHead, type TreePart } from '../../api/read_tree.ts'
import { readVisibility, type Visibility, type VisibilityQuery } from '../../api/read_visibility.ts'
import { isProblem } from '../../core/problem.ts'
import { countValues, type FieldValues } from '../../transfer/count_values.ts'
import { type FeatureReader, featureReader } from '../../transfer/sync/feature_reader.ts'
import type { GroupMember } from '../access/access_subjects.ts'

/** Stands for descriptions and attachments of features that a capture does not have. */
export const notCaptured = 'not captured'

/** Descriptions and attachments of the features of a layer; null if the account cannot read them. */
export type ExtensionsReading = readonly ReadExtensions[] | null | typeof notCaptured

/** What a plan reads: from a server, or from a capture of one. */
export interface PlanReader {
  /** URL of the server. */
  readonly url: string
  /** Reads all resources that the account can read. */
  readTree(take: TakeResource): Promise<TreeHead>
  /**
   * Reads only what a plan depends on, and the resources above that; all, if the others are few, or if the server does not tell them
   * apart. Absent in a capture.
   */
  readPart?(part: TreePart, take: TakeResource): Promise<TreeHead>
  readCatalog(): Promise<CatalogReading>
  readVisibility(query: VisibilityQuery): Promise<Visibility>
  /** Lists those of the resources on which the account lacks a permission; absent in a capture. */
  listDenied?(query: PermissionQuery): Promise<ReadonlySet<number>>
  /** Finds the keys that the manifest deleted last; absent in a capture. */
  readDeletions?(query: DeletionsQuery): Promise<ReadonlySet<string>>
  /** Counts the features of a layer; null if the server cannot count them. */
  countFeatures(id: number): Promise<number | null>
  /** Counts the features with a value in a field; undefined if the server cannot count them. */
  countValues(field: FieldValues): Promise<number | undefined>
  /** Reads descriptions and attachments of features. */
  readExtensions(query: ExtensionsQuery): Promise<ExtensionsReading>
  /** Reads what resources hold; undefined if the server does not tell. May return more resources than asked for. */
  readContents(ids: readonly number[]): Promise<readonly ResourceContents[] | undefined>
  /** Reads features and their digests; absent in a capture. */
  readonly features?: FeatureReader
  /** Reads the groups of all users; undefined if the account cannot read them. */
  readUsers(): Promise<readonly GroupMember[] | undefined>
  /** Reads users and groups; undefined if the account cannot read them. */
  readPrincipals(): Promise<PrincipalRecords | undefined>
  /** Finds the users and groups that a manifest was the last to create or change; absent in a capture. */
  readFormerPrincipals?(manifest: string): Promise<PrincipalNames>
}

/** Returns a reader of a server. Its functions throw http/* and auth/*. */
export function liveReader(api: Api, signal: AbortSignal | undefined): PlanReader {
  return {
    url: api.url,
    readTree: (take) => readTree(api, { signal }, take),
    readPart: (part, take) => readTree(api, { part, signal }, take),
    readCatalog: () => readCatalog(api, signal),
    readVisibility: (query) => readVisibility(api, query, signal),
    listDenied: (query) => listDenied(api, query, signal),
    readDeletions: (query) => readDeletions(api, query, signal),
    countFeatures: (id) => countFeatures(api, id, signal),
    countValues: (field) => countValues(api, field, signal),
    readExtensions: (query) => readExtensions(api, query, signal),
    readContents: (ids) => readContents(api, ids, signal),
    features: featureReader(api, signal),
    readUsers: () => readUsers(api, signal),
    readPrincipals: () => readPrincipalRecords(api, signal),
    readFormerPrincipals: (manifest) => readFormerPrincipals(api, manifest, signal),
  }
}

async function readUsers(api: Api, signal: AbortSignal | undefined): Promise<GroupMember[] | undefined> {
  try {
    const users = await api.call('auth.user_list', { signal })
    return users.every((user) => user.member_of !== undefined || user.system) ? users : undefined
  } catch (error) {
    if (isProblem(error) && [401, 403, 404, 405, 501].includes(error.status ?? 0)) return undefined
    throw error
  }
}

async function countFeatures(api: Api, id: number, signal: AbortSignal | undefined): Promise<number | null> {
  try {
    return (await api.call('feature.count', { params: { id }, signal })).total_count
  } catch (error) {
    if (isProblem(error) && (error.status === 403 || error.status === 404 || error.status === 501))
      return null
    throw error
  }
}
