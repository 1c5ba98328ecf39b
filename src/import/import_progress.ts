/** Progress of an import. */
export interface ImportProgress {
  /**
   * `reading`: the file is scanned, and written at the same time if it declares its fields. `writing`: features are
   * written after the scan. `indexing`: the table is indexed.
   */
  readonly step: 'reading' | 'writing' | 'indexing'
  /** Features processed in this step. */
  readonly features: number
  /** Total number of features, once known. */
  readonly total?: number
}

/** Receives the progress of an import. */
export type OnProgress = (progress: ImportProgress) => void
