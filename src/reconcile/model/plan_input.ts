import type { Visibility } from '../../api/read_visibility.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { DataChange } from '../../transfer/data_loss.ts'
import type { SourceFile } from '../plan/decide_load.ts'
import type { PruneOptions } from '../plan/prune.ts'
import type { ActualTree } from './actual_tree.ts'

/** What a person allows a plan to do. */
export interface PlanOptions extends PruneOptions {
  /** Keys that may be deleted and made anew. */
  readonly replace: ReadonlySet<string>
  /** Keys whose data are loaded over what the server has, edited or of unknown origin. */
  readonly overwriteData: ReadonlySet<string>
  /** Keys of resources that may lose features, fields or entries that refer to what is deleted. */
  readonly allowLoss: ReadonlySet<string>
  /** Whether resources are taken over from other manifests. */
  readonly adopt: boolean
  /** Keys whose secrets are sent again. */
  readonly sendSecrets: ReadonlySet<string>
}

/** Nothing but what is safe. */
export const safeOptions: PlanOptions = {
  prune: false,
  fuse: 0.1,
  allowDelete: new Set(),
  replace: new Set(),
  overwriteData: new Set(),
  allowLoss: new Set(),
  adopt: false,
  sendSecrets: new Set(),
}

/** Everything a plan rests on. All of it is values. */
export interface PlanInput {
  readonly manifest: Manifest
  readonly actual: ActualTree
  /** Address of the server, for the header. */
  readonly server: string
  /** Source files by key. */
  readonly files: ReadonlyMap<string, SourceFile>
  /** Number of features by layer, where it was asked; null where it cannot be known. */
  readonly counts: ReadonlyMap<number, number | null>
  /** What loading the source of a key would change, where it was asked; null where it cannot be read here. */
  readonly loads?: ReadonlyMap<string, DataChange | null>
  /** What was found out about resources that the account does not see; undefined where it was not asked yet. */
  readonly sight?: Visibility | undefined
  readonly options: PlanOptions
}
