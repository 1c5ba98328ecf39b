import type { BadRow } from './quarantine.ts'

/** How many rows went where. `read` is the sum of the others, or the run has failed. */
export interface Counts {
  readonly read: number
  readonly loaded: number
  readonly unchanged: number
  readonly quarantined: number
}

/** What was done. */
export interface Done {
  readonly outcome: 'loaded' | 'exported' | 'unchanged'
  /** Layer by layer. */
  readonly layers: readonly LayerReport[]
}

/** What one run did. */
export interface RunReport extends Done {
  readonly pipeline: string
  readonly run: string
  readonly seconds: number
}

/** What one run did with one layer. */
export interface LayerReport extends Counts {
  readonly layer: string
  /** Features that the layer had before a load. */
  readonly before?: number
  /** Counts the changes of the layer's features; where it stands after the run. */
  readonly dataVersion?: number
  /** SHA-256 of the source with the options, or of the exported file. */
  readonly digest: string
  readonly file?: string
  readonly sizeBytes?: number
  /** What people should know of it, one sentence each. */
  readonly notes?: readonly string[]
  /** File of bad rows, where there are some, and the first few of them. */
  readonly quarantine?: { readonly file?: string; readonly first: readonly BadRow[] }
}

/** What a run tells while it goes on. */
export type RunEvent =
  | { readonly type: 'run'; readonly pipeline: string; readonly run: string }
  | { readonly type: 'step'; readonly step: string; readonly layer: string }
  | {
      readonly type: 'progress'
      readonly step: string
      readonly layer: string
      readonly rows: number
      /** All there are, where that is known. */
      readonly totalRows?: number
      /** What is done with them, where a step does several things one after the other. */
      readonly doing?: string
      /** Bytes read of the source, where it is a file, and all there are. */
      readonly bytes?: number
      readonly totalBytes?: number
    }
  | { readonly type: 'step-done'; readonly step: string; readonly layer: string; readonly seconds: number }
  | ({ readonly type: 'report' } & RunReport)
