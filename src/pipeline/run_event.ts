import type { KeptFeatures } from '../transfer/sync/feature_difference.ts'
import type { BadRow } from './quarantine.ts'

/** Row counts; in a successful run `read` is the sum of the others. */
export interface Counts {
  readonly read: number
  readonly loaded: number
  readonly unchanged: number
  readonly quarantined: number
}

/** Result of a run. */
export interface RunResult {
  readonly outcome: 'loaded' | 'exported' | 'unchanged'
  readonly layers: readonly LayerReport[]
}

/** Report of a run. */
export interface RunReport extends RunResult {
  readonly pipeline: string
  readonly run: string
  readonly seconds: number
}

/** Report of a run on a layer. */
export interface LayerReport extends Counts {
  readonly layer: string
  /** Number of features before a load. */
  readonly before?: number
  /** Number of features that were removed, if only the features that differ were changed. */
  readonly removed?: number
  /** Number of attachments and of descriptions that were removed with these features. */
  readonly removedAttachments?: number
  readonly removedDescriptions?: number
  /** Features without a row that were kept, because rows are bad. */
  readonly kept?: KeptFeatures
  /** Data version of the layer after the run. */
  readonly dataVersion?: number
  /** SHA-256 of the source with the options, or of the exported file. */
  readonly digest: string
  readonly file?: string
  readonly sizeBytes?: number
  /** Remarks for the user, one sentence each. */
  readonly notes?: readonly string[]
  /** File with the bad rows and the first of them, if any row was bad. */
  readonly quarantine?: { readonly file?: string; readonly first: readonly BadRow[] }
}

/** Events of a run. */
export type RunEvent =
  | { readonly type: 'run'; readonly pipeline: string; readonly run: string }
  | { readonly type: 'step'; readonly step: string; readonly layer: string }
  | {
      readonly type: 'progress'
      readonly step: string
      readonly layer: string
      readonly rows: number
      /** Total number of rows, if known. */
      readonly totalRows?: number
      /** Current activity of a step that has several. */
      readonly doing?: string
      /** Number of bytes read of a source file, and its size. */
      readonly bytes?: number
      readonly totalBytes?: number
    }
  | { readonly type: 'step-done'; readonly step: string; readonly layer: string; readonly seconds: number }
  | ({ readonly type: 'report' } & RunReport)
