import type { WireImportReport } from '../../contract/import_report.ts'
import type { Problem } from '../../core/problem.ts'
import type { DataChange } from '../../transfer/data_loss.ts'
import type { PreparedSource } from '../../transfer/prepare_source.ts'
import type { LoadProgress } from '../../transfer/watch_load.ts'
import type { Action, Change } from '../model/change.ts'

/** What was done about one change. */
export type OutcomeWord =
  | 'created'
  | 'adopted'
  | 'updated'
  | 'moved'
  | 'replaced'
  | 'deleted'
  | 'failed'
  | 'skipped'

/** What an action is called once it is done. */
export const outcomeWords: Readonly<Record<Action, OutcomeWord>> = {
  create: 'created',
  adopt: 'adopted',
  update: 'updated',
  move: 'moved',
  replace: 'replaced',
  delete: 'deleted',
}

/** One change and what became of it. */
export interface Outcome {
  readonly change: Change
  readonly outcome: OutcomeWord
  /** Id on the server, where there is one now. */
  readonly id?: number
  /** What became of the file that was loaded, where the server tells. */
  readonly report?: WireImportReport
  /** Features that the layer had before its data were replaced. */
  readonly before?: number
  /** Why it failed. */
  readonly problem?: Problem
  /** Key of the change whose failure kept it from being tried. */
  readonly because?: string
}

/** Gives what the outcome of a change tells of the data that were loaded. */
export function loadFacts(source: PreparedSource | undefined): Pick<Outcome, 'report' | 'before'> {
  const { report, change } = source ?? {}
  return {
    ...(report === undefined ? {} : { report }),
    ...(change === undefined ? {} : { before: change.before }),
  }
}

/** What an apply did, failed at and did not try. */
export interface Report {
  readonly outcomes: readonly Outcome[]
  readonly interrupted: boolean
  /** Whether all changes are done in one transaction: all of them or none. */
  readonly atomic: boolean
  /** Why nothing was done, where that lies with no single change. */
  readonly problem?: Problem
  /** The server's answer was lost: either all is done or nothing. */
  readonly uncertain?: true
}

/** What happens during an apply. */
export type ApplyEvent =
  | { readonly type: 'started'; readonly change: Change }
  | {
      readonly type: 'uploading'
      readonly change: Change
      readonly sentBytes: number
      readonly sizeBytes: number
    }
  /** The server reads the data of a change. */
  | { readonly type: 'loading'; readonly change: Change; readonly progress: LoadProgress }
  /** The data of a change are on the server, checked, and wait for the rest. */
  | { readonly type: 'prepared'; readonly change: Change; readonly load?: DataChange }
  /** All changes are sent as one request. */
  | { readonly type: 'sending'; readonly changes: number }
  | { readonly type: 'finished'; readonly outcome: Outcome }
  /** Nothing was done about a change, because nothing was done at all. */
  | { readonly type: 'undone'; readonly outcome: Outcome }
