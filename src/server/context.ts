import type { Find } from '../core/batch_loads.ts'
import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import type { BlobStore } from '../files/blob_store.ts'
import type { PermissionCache } from '../store/access/permission_cache.ts'
import type { Authenticator } from './auth/authenticate.ts'
import type { SecretBox } from './auth/secret_box.ts'
import type { ForeignDatabases } from './geodb/connection_pools.ts'
import type { LayerCaches } from './layer_caches.ts'
import type { StoredResource } from './resource/stored_resource.ts'
import type { CompleteSettings } from './settings/server_settings.ts'
import type { Loads } from './upload/load_queue.ts'

/** What the operations of one server share: its settings, and what it has opened. */
export interface ServerContext extends Omit<CompleteSettings, 'listen' | 'dataFolder' | 'logLevel'> {
  readonly database: Database
  readonly blobs: BlobStore
  /** Effective permissions, for reading. */
  readonly permissions: PermissionCache
  /** Finds one resource; requests that come together read together. */
  readonly findStored: Find<number, StoredResource>
  readonly layerCaches: LayerCaches
  /** Staging tables of this process that could not be dropped yet. */
  readonly undroppedTables: Set<string>
  /** Who sends a request. */
  readonly authenticator: Authenticator
  /** Passwords of services elsewhere. */
  readonly secrets: SecretBox
  /** Databases elsewhere. */
  readonly geodb: ForeignDatabases
  readonly log: Log
  /** How far the uploads are that are being read into layers. */
  readonly loads: Loads
  /** Version of this program. */
  readonly version: string
  /** Folder for spools and other files that do not outlive the process. */
  readonly temporaryFolder: string
  /** Names this process in the database, among those that share it. */
  readonly instance: string
}
