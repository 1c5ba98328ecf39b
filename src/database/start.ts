import { existsSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { postgis } from '@electric-sql/pglite-postgis'
import { keepInCache } from './cache.ts'
import { adaptFiles } from './filesystem.ts'
import { leanPostgis } from './postgis.ts'
import { syncFolder, unpackTar } from './tar.ts'

/** Names the prepared data folder: another version of either package prepares its own. */
export const preparedName = 'pglite-0.5.8-postgis-0.2.8.tar.gz'

/** What every start needs. */
export interface StartOptions {
  /** Where the prepared data folder is kept. */
  readonly cacheFolder: string
  /** Called whenever the database reads or writes a file, in the middle of what it does. */
  readonly onFileAccess: () => void
}

/** Starts a database whose data is gone when it ends. */
export async function startInMemory({ cacheFolder, onFileAccess }: StartOptions): Promise<PGlite> {
  const dump = await prepare(cacheFolder)
  return PGlite.create({
    extensions: { postgis: leanPostgis(cacheFolder), files: adaptFiles(onFileAccess) },
    loadDataDir: new Blob([new Uint8Array(dump)], { type: 'application/gzip' }),
  })
}

/** Starts the database of a folder, made first where there is none. Whoever calls holds the lock of the folder. */
export async function startInFolder(
  folder: string,
  { cacheFolder, onFileAccess }: StartOptions,
): Promise<PGlite> {
  const data = join(folder, 'data')
  if (!existsSync(data)) await createData(data, await prepare(cacheFolder))
  return PGlite.create({
    dataDir: data,
    extensions: { postgis: leanPostgis(cacheFolder), files: adaptFiles(onFileAccess) },
    // PGlite starts PostgreSQL with -F, without fsync, which is right for memory only.
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      // fdatasync, which it would use, does nothing in Emscripten.
      ...['-c', 'wal_sync_method=fsync'],
      // What is kept of the log to be used again; the rest is deleted.
      ...['-c', 'max_wal_size=128MB', '-c', 'min_wal_size=64MB'],
    ],
  })
}

// Complete under its name or not there: a start that is killed leaves a folder that the next one takes away.
async function createData(data: string, dump: Uint8Array): Promise<void> {
  const fresh = `${data}.new`
  await rm(fresh, { recursive: true, force: true })
  await unpackTar(dump, fresh)
  await rename(fresh, data)
  await syncFolder(dirname(data))
}

/** Gives the prepared data folder as a compressed tar file, making it where the cache has none. */
export async function prepare(cacheFolder: string): Promise<Uint8Array> {
  const path = join(cacheFolder, preparedName)
  if (existsSync(path)) return readFile(path)
  const pglite = await PGlite.create({ extensions: { postgis } })
  await pglite.exec('create extension postgis')
  const dump = new Uint8Array(await (await pglite.dumpDataDir('gzip')).arrayBuffer())
  await pglite.close()
  await keepInCache(path, dump)
  return dump
}
