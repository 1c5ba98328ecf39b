import type { CatalogReading } from '../../api/read_catalog.ts'
import type { ResourceContents } from '../../api/read_contents.ts'
import type { Visibility } from '../../api/read_visibility.ts'
import type { Problem } from '../../core/problem.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { DataChange } from '../../transfer/data_loss.ts'
import type { SourceFile } from '../plan/data/decide_load.ts'
import type { ValueCounts } from '../plan/data/lost_values.ts'
import type { ExtensionsReading } from '../plan/plan_reader.ts'
import type { PruneOptions } from '../plan/prune.ts'
import type { PrincipalPlan } from '../principals/plan_principals.ts'
import type { ActualTree } from './actual_tree.ts'

/** Options of a plan, mostly permissions of the user. */
export interface PlanOptions extends PruneOptions {
  /** Keys of resources that may be deleted and recreated. */
  readonly replace: ReadonlySet<string>
  /** Keys of layers whose data are overwritten, even if edited or of unknown origin. */
  readonly overwriteData: ReadonlySet<string>
  /** Keys of resources that may lose features, fields or references to deleted resources. */
  readonly allowLoss: ReadonlySet<string>
  /** Whether to adopt resources of other manifests. */
  readonly adopt: boolean
  /** Keys of resources whose fields may be set although another manifest sets them. */
  readonly take: ReadonlySet<string>
  /** Keys of resources whose secrets are sent again. */
  readonly sendSecrets: ReadonlySet<string>
  /** Keys of the only resources that the plan is about, with what they need; all, if empty. */
  readonly only: ReadonlySet<string>
}

/** Default options without any permission to delete or overwrite. */
export const safeOptions: PlanOptions = {
  prune: false,
  fuse: 0.1,
  allowDelete: new Set(),
  replace: new Set(),
  overwriteData: new Set(),
  allowLoss: new Set(),
  adopt: false,
  take: new Set(),
  sendSecrets: new Set(),
  only: new Set(),
}

/** Result of reading the source of a load. */
export type LoadReading = DataChange | Problem | null

/** Input of a plan. Plain data. */
export interface PlanInput {
  readonly manifest: Manifest
  readonly actual: ActualTree
  /** URL of the server, for the header. */
  readonly server: string
  /** Source files by key. */
  readonly files: ReadonlyMap<string, SourceFile>
  /** Digests of the files that resources consist of, by path. */
  readonly digests?: ReadonlyMap<string, SourceFile>
  /** Records of the catalog; absent if the manifest has none. */
  readonly catalog?: CatalogReading | undefined
  /** Plan of users and groups; `actual` has the names that they have after it. */
  readonly accounts?: PrincipalPlan
  /** Images of icons by key. */
  readonly images?: ReadonlyMap<string, SourceFile>
  /** Number of features by layer id; absent if not yet requested, null if the server cannot count them. */
  readonly counts: ReadonlyMap<number, number | null>
  /** Number of values by dropped field; absent if not yet requested, null if the server cannot count them. */
  readonly values?: ValueCounts
  /**
   * Changes of a load by key; absent if not yet read, null if the source cannot be read on this machine, a Problem if no
   * load can succeed.
   */
  readonly loads?: ReadonlyMap<string, LoadReading>
  /** What resources hold, by id; absent if not yet read, null if the server does not tell. */
  readonly contents?: ReadonlyMap<number, ResourceContents | null>
  /** Descriptions and attachments of features by layer id; absent if not yet read. */
  readonly extensions?: ReadonlyMap<number, ExtensionsReading>
  /** Visibility of resources that are not in the tree; undefined if not yet requested. */
  readonly visibility?: Visibility | undefined
  readonly options: PlanOptions
}
