/** A failure as a client of an OGC service sees it. */
export interface ServiceReport {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** What a report depends on besides the fault. */
export interface ReportOptions {
  /** URL of the request, or its path with the query. */
  readonly url: string
  readonly requestId: string
  readonly isGuest: boolean
}
