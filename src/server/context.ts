import type { Dialect } from '../contract/dialect.ts'
import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import type { BlobStore } from '../files/blobs.ts'

/** What the operations of one server share. */
export interface ServerContext {
  readonly database: Database
  readonly blobs: BlobStore
  readonly log: Log
  readonly dialect: Dialect
  /** Folder for spools and other files that do not outlive the process. */
  readonly temporaryFolder: string
  /** Names this process in the database, among those that share it. */
  readonly instance: string
  /** Largest JSON body in bytes. */
  readonly bodyLimitBytes: number
  /** Largest upload in bytes. */
  readonly uploadLimitBytes: number
}
