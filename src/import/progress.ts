/** How far an import is. */
export interface ImportProgress {
  /**
   * The file is looked at, and written meanwhile if it declares what it holds; else its features are written then; what
   * is written is indexed.
   */
  readonly step: 'reading' | 'writing' | 'indexing'
  /** Features that are done in this step. */
  readonly features: number
  /** All there are, once they were counted. */
  readonly total?: number
}

/** Takes how far an import is, whenever it has come further. */
export type OnProgress = (progress: ImportProgress) => void
