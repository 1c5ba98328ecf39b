import type { Dialect } from '../contract/dialect.ts'
import type { ClientLimits } from '../contract/limits.ts'
import type { Find } from '../core/gather.ts'
import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import type { BlobStore } from '../files/blob_store.ts'
import type { PermissionCache } from '../store/access/permission_cache.ts'
import type { Authenticator } from './auth/authenticate.ts'
import type { SecretBox } from './auth/secret_box.ts'
import type { ForeignDatabases } from './geodb/connection_pools.ts'
import type { StoredResource } from './resource/representation.ts'
import type { Loads } from './upload/load_queue.ts'

/** What the operations of one server share. */
export interface ServerContext {
  readonly database: Database
  readonly blobs: BlobStore
  /** Effective permissions, for reading. */
  readonly permissions: PermissionCache
  /** Finds one resource; requests that come together read together. */
  readonly findStored: Find<number, StoredResource>
  /** Who sends a request. */
  readonly authenticator: Authenticator
  /** Origins of other sites whose pages may ask; none unless configured. */
  readonly corsOrigins: readonly string[]
  /** Proxies whose X-Forwarded headers are believed. */
  readonly trustedProxies: readonly string[]
  /** Passwords of services elsewhere. */
  readonly secrets: SecretBox
  /** Databases elsewhere. */
  readonly geodb: ForeignDatabases
  /** Whether services in private networks may be asked. */
  readonly allowPrivateAddresses: boolean
  readonly log: Log
  /** How far the uploads are that are being read into layers. */
  readonly loads: Loads
  /** Names that answers use, unless a request asks for others. */
  readonly dialect: Dialect
  /** Whether it behaves like the original, without anything of ours: for tests of clients. */
  readonly plain: boolean
  /** Version of this program. */
  readonly version: string
  /** Folder for spools and other files that do not outlive the process. */
  readonly temporaryFolder: string
  /** Names this process in the database, among those that share it. */
  readonly instance: string
  /** Largest JSON body in bytes. */
  readonly bodyLimitBytes: number
  /** Largest upload in bytes. */
  readonly uploadLimitBytes: number
  /** Most bytes that guests from one network upload within a day. */
  readonly guestUploadBytes: number
  /** How slow clients may be. */
  readonly clientLimits: ClientLimits
}
