import type { SkippedFeatures, WireImportReport } from '../../contract/bodies/import_report.ts'
import type { OutcomeWord } from '../../contract/bodies/journal.ts'
import type { WireStyleIssue } from '../../contract/bodies/style_issue.ts'
import type { Problem } from '../../core/problem.ts'
import type { DataChange } from '../../transfer/data_loss.ts'
import type { PreparedSource } from '../../transfer/prepare_source.ts'
import type { FeatureDifference } from '../../transfer/sync/feature_difference.ts'
import type { LoadProgress } from '../../transfer/watch_load.ts'
import type { Change } from '../model/change.ts'

/** A change with its result. */
export interface Outcome {
  readonly change: Change
  readonly outcome: OutcomeWord
  /** Id on the server; absent for deletions and failed creations. */
  readonly id?: number
  /** Import report of the loaded file, if the server returns one. */
  readonly report?: WireImportReport
  /** Invalid features that the load has skipped. */
  readonly skipped?: SkippedFeatures
  /** Number of features before the load. */
  readonly before?: number
  /** Differences that a synchronization has removed. */
  readonly difference?: FeatureDifference
  /** Parts of the written style that the server does not draw as it says. */
  readonly styleIssues?: readonly WireStyleIssue[]
  /** Reason of the failure. */
  readonly problem?: Problem
  /** Key of the failed change that this one depends on. */
  readonly because?: string
}

/** Returns the fields of an outcome about its loaded data. */
export function loadFacts(
  source: PreparedSource | undefined,
): Pick<Outcome, 'report' | 'skipped' | 'before' | 'difference'> {
  const { report, change } = source ?? {}
  const { bad_count, bad } = report ?? change?.skipped ?? { bad_count: 0, bad: [] }
  return {
    ...(report === undefined ? {} : { report }),
    ...(bad_count === 0 ? {} : { skipped: { bad_count, bad } }),
    ...(change === undefined ? {} : { before: change.before }),
    ...(change?.difference === undefined ? {} : { difference: change.difference }),
  }
}

/** Outcomes of an apply. */
export interface Report {
  readonly outcomes: readonly Outcome[]
  readonly interrupted: boolean
  /** Whether all changes were sent in one transaction. */
  readonly atomic: boolean
  /** Reason why nothing was applied, if it does not concern a single change. */
  readonly problem?: Problem
  /** Reason why the journal of the server does not have the result. */
  readonly journalFault?: Problem
  /** The response was lost: either all changes were applied or none. */
  readonly uncertain?: true
}

/** Progress event of an apply. */
export type ApplyEvent =
  | { readonly type: 'started'; readonly change: Change }
  | {
      readonly type: 'uploading'
      readonly change: Change
      readonly sentBytes: number
      readonly sizeBytes: number
    }
  /** The server is reading the data of a change. */
  | { readonly type: 'loading'; readonly change: Change; readonly progress: LoadProgress }
  /** The data of a change are uploaded and checked. */
  | { readonly type: 'prepared'; readonly change: Change; readonly load?: DataChange }
  /** All changes are being sent in one request. */
  | { readonly type: 'sending'; readonly changes: number }
  | { readonly type: 'finished'; readonly outcome: Outcome }
  /** A change was not applied because the transaction failed. */
  | { readonly type: 'undone'; readonly outcome: Outcome }
