import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { HostTurns } from '../catalog/host_turns.ts'
import { batchLoads } from '../core/batch_loads.ts'
import { type Log, silentLog } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import { migrate, readMigrations } from '../database/migrate.ts'
import { openEmbedded } from '../database/pglite.ts'
import { openPostgres } from '../database/postgres.ts'
import { workForServer } from '../database/turns.ts'
import { openDiskBlobs } from '../files/disk_blobs.ts'
import { openPrivateFolder, restrictFile } from '../files/open_folder.ts'
import { dropOrphans } from '../import/orphaned_tables.ts'
import { createDrawPool } from '../render/image/draw_pool.ts'
import { createPermissionCache } from '../store/access/effective_permission.ts'
import { bootstrap, isBootstrapped } from '../store/bootstrap.ts'
import { findKnownSrs } from '../store/classes/known_srs.ts'
import { migrationsFolder } from '../store/migrations.ts'
import { createAuthenticator } from './auth/authenticate.ts'
import { readProxies } from './auth/client_address.ts'
import { readOrigins } from './auth/origin.ts'
import { generatePassword, hashPassword } from './auth/password.ts'
import { keyFileName, openSecretBox } from './auth/secret_box.ts'
import { createListCache } from './catalog/list_cache.ts'
import type { ServerConfig } from './config.ts'
import type { ServerContext } from './context.ts'
import { createForeignDatabases } from './geodb/connection_pools.ts'
import { createHotMemory } from './hot/hot_memory.ts'
import { rememberMasks } from './hot/hot_reads.ts'
import { createLayerCaches } from './layer_caches.ts'
import { createExternalImages } from './render/sources/external_images.ts'
import { readStored } from './resource/representation.ts'
import { refuseSetting } from './settings/parse_setting.ts'
import { completeSettings } from './settings/server_settings.ts'
import { openTileStore } from './tile_store/tile_store.ts'
import { createLoads } from './upload/load_queue.ts'

/** Name of the file in the data directory with the generated password of the administrator. */
export const passwordFileName = 'admin-password'

/** Server context, and the password of the administrator if it was just generated. */
export interface OpenedContext {
  readonly context: ServerContext
  readonly adminPassword: string | undefined
}

/** Opens database and files, migrates the schema and, on the first start, creates the initial principals and resources. */
export async function openContext(config: ServerConfig): Promise<OpenedContext> {
  const { dataFolder, log = silentLog, version = '0.0.0' } = config
  const settings = {
    ...completeSettings(config),
    corsOrigins: readOrigins(config.corsOrigins),
    trustedProxies: readProxies(config.trustedProxies),
  }
  await openDataFolder(dataFolder, log)
  const database = await openDatabase(config)
  try {
    await migrate(database, await readMigrations(migrationsFolder), { version })
    await checkSystems(database, settings.announcedSystems)
    const adminPassword = await initialize(database, { ...config, passwordCost: settings.passwordCost })
    const secrets = await openSecretBox({ key: config.secretKey, file: join(dataFolder, keyFileName) })
    const hot = await createHotMemory(database)
    const context: ServerContext = {
      ...settings,
      database,
      blobs: await openDiskBlobs({ folder: join(dataFolder, filesName) }),
      permissions: rememberMasks(createPermissionCache(database), hot),
      hot,
      findStored: batchLoads((ids) => workForServer(() => readStored(database, { ids }))),
      layerCaches: createLayerCaches(),
      tileStore: openTileStore({
        folder: config.tileCacheFolder ?? join(dataFolder, tilesName),
        limitBytes: settings.tileCacheBytes,
        log,
      }),
      draws: createDrawPool({ timeoutMs: settings.renderTimeoutSeconds * 1000 }),
      externalImages: createExternalImages(() => settings.allowPrivateAddresses),
      iconImages: new LRUCache({ max: 1000 }),
      hostTurns: new HostTurns(),
      catalogLists: createListCache(database),
      undroppedTables: new Set(),
      authenticator: await createAuthenticator(database, { log, passwordCost: settings.passwordCost }),
      secrets,
      geodb: createForeignDatabases(secrets, log),
      ownUrls: [],
      log,
      version,
      loads: createLoads(),
      temporaryFolder: await createEmptyFolder(join(dataFolder, temporaryName)),
      instance: `${hostname()}-${randomBytes(6).toString('hex')}`,
    }
    await dropOrphans(database, context)
    return { context, adminPassword }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** @throws {Problem} usage/bad-argument for a reference system that the database does not know */
async function checkSystems(database: Database, codes: readonly number[]): Promise<void> {
  const known = await findKnownSrs(database, codes)
  const unknown = codes.find((code) => !known.has(code))
  if (unknown !== undefined)
    throw refuseSetting('--crs', String(unknown), {
      reason: 'the database does not know this EPSG code',
      hint: 'Write the code of a reference system of spatial_ref_sys.',
    })
}

const filesName = 'files'
const temporaryName = 'temporary'
const tilesName = 'tiles'

/** Opens the data directory for this user only, because it contains password hashes, keys and all data. */
async function openDataFolder(folder: string, log: Log): Promise<void> {
  const { exposedMode: mode, isExposed } = await openPrivateFolder(folder, [filesName, temporaryName])
  await restrictFile(join(folder, passwordFileName))
  if (isExposed)
    log.warn(
      { folder, mode },
      'other users can read the data directory: its file system does not support modes',
    )
  else if (mode !== undefined)
    log.warn({ folder, mode }, 'other users could read the data directory: changed its mode to 700')
}

async function openDatabase(config: ServerConfig): Promise<Database> {
  const { database, databaseUrl, dataFolder, schema, log = silentLog } = config
  if (database !== undefined) return database
  const options = schema === undefined ? { log } : { log, schema }
  if (databaseUrl !== undefined) return openPostgres({ ...options, url: databaseUrl })
  return openEmbedded({ ...options, folder: join(dataFolder, 'database') })
}

/** Initializes an empty database. Returns the password of the administrator if it was generated. */
async function initialize(
  database: Database,
  { adminPassword, dataFolder, passwordCost }: ServerConfig & { readonly passwordCost: number },
): Promise<string | undefined> {
  return database.transaction(async (tx) => {
    if (await isBootstrapped(tx)) return undefined
    const password = adminPassword ?? generatePassword()
    await bootstrap(tx, await hashPassword(password, passwordCost))
    if (adminPassword !== undefined) return undefined
    // Written before the commit, so that the administrator never has a password that is not in the file.
    await writeSecret(join(dataFolder, passwordFileName), `${password}\n`)
    return password
  })
}

async function writeSecret(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await chmod(path, 0o600)
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function createEmptyFolder(path: string): Promise<string> {
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true })
  return path
}
