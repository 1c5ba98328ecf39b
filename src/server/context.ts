import type { LRUCache } from 'lru-cache'
import type { HostTurns } from '../catalog/host_turns.ts'
import type { Find } from '../core/batch_loads.ts'
import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import type { BlobStore } from '../files/blob_store.ts'
import type { DrawPool } from '../render/image/draw_pool.ts'
import type { PermissionCache } from '../store/access/effective_permission.ts'
import type { Authenticator } from './auth/authenticate.ts'
import type { SecretBox } from './auth/secret_box.ts'
import type { ListCache } from './catalog/list_cache.ts'
import type { ForeignDatabases } from './geodb/connection_pools.ts'
import type { HotMemory } from './hot/hot_memory.ts'
import type { LayerCaches } from './layer_caches.ts'
import type { ExternalImages } from './render/sources/external_images.ts'
import type { StoredResource } from './resource/stored_resource.ts'
import type { CompleteSettings } from './settings/server_settings.ts'
import type { TileStore } from './tile_store/tile_store.ts'
import type { Loads } from './upload/load_queue.ts'

/** Settings and open resources shared by the operations of a server. */
export interface ServerContext extends Omit<CompleteSettings, 'listen' | 'dataFolder' | 'logLevel'> {
  readonly database: Database
  readonly blobs: BlobStore
  /** Cached effective permissions. */
  readonly permissions: PermissionCache
  /** What tiles need of resources and layers, without statements. */
  readonly hot: HotMemory
  /** Finds a resource; concurrent lookups share a query. */
  readonly findStored: Find<number, StoredResource>
  readonly layerCaches: LayerCaches
  /** Tiles on disk of the styles that keep them. */
  readonly tileStore: TileStore
  /** Threads that draw images. */
  readonly draws: DrawPool
  /** Images of other services. */
  readonly externalImages: ExternalImages
  /** Icons of the catalog in the sizes that clients have asked for. */
  readonly iconImages: LRUCache<string, Uint8Array>
  /** Turns of the requests that check geoservices. */
  readonly hostTurns: HostTurns
  /** Complete lists of geoservices. */
  readonly catalogLists: ListCache
  /** Staging tables of this process that are still to drop. */
  readonly undroppedTables: Set<string>
  readonly authenticator: Authenticator
  /** Encryption of passwords of external services. */
  readonly secrets: SecretBox
  /** Connections to foreign databases. */
  readonly geodb: ForeignDatabases
  /** Base URLs at which this process listens, empty until it does. */
  readonly ownUrls: string[]
  readonly log: Log
  /** Progress of running imports. */
  readonly loads: Loads
  /** Version of landform. */
  readonly version: string
  /** Folder for spools and other temporary files of the process. */
  readonly temporaryFolder: string
  /** Unique name of this process among those that share the database. */
  readonly instance: string
}
