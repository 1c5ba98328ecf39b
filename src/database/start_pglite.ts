import { existsSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { postgis } from '@electric-sql/pglite-postgis'
import { writeCacheFile } from './cache_file.ts'
import { leanPostgis } from './lean_postgis.ts'
import { adaptFiles } from './pglite_files.ts'
import { syncFolder, unpackTar } from './tar.ts'

/** File name of the prepared data folder, which depends on the package versions. */
export const preparedName = 'pglite-0.5.8-postgis-0.2.8.tar.gz'

/** Options of a start. */
export interface StartOptions {
  /** Folder for the prepared data folder. */
  readonly cacheFolder: string
  /** Called synchronously before each file read or write of the database. */
  readonly onFileAccess: () => void
}

/** Starts an in-memory database. */
export async function startInMemory({ cacheFolder, onFileAccess }: StartOptions): Promise<PGlite> {
  const dump = await prepare(cacheFolder)
  return PGlite.create({
    extensions: { postgis: leanPostgis(cacheFolder), files: adaptFiles(onFileAccess) },
    loadDataDir: new Blob([new Uint8Array(dump)], { type: 'application/gzip' }),
  })
}

/** Starts the database of a folder, creating its data if missing. The caller holds the lock of the folder. */
export async function startInFolder(
  folder: string,
  { cacheFolder, onFileAccess }: StartOptions,
): Promise<PGlite> {
  const data = join(folder, 'data')
  if (!existsSync(data)) await createData(data, await prepare(cacheFolder))
  return PGlite.create({
    dataDir: data,
    extensions: { postgis: leanPostgis(cacheFolder), files: adaptFiles(onFileAccess) },
    // PGlite starts PostgreSQL with -F (no fsync), which is safe only in memory.
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      // The default, fdatasync, does nothing in Emscripten.
      ...['-c', 'wal_sync_method=fsync'],
      // Limits of the write-ahead log files kept for reuse.
      ...['-c', 'max_wal_size=128MB', '-c', 'min_wal_size=64MB'],
    ],
  })
}

// Renamed when complete: a start that is killed leaves a draft folder that the next start removes.
async function createData(data: string, dump: Uint8Array): Promise<void> {
  const draft = `${data}.new`
  await rm(draft, { recursive: true, force: true })
  await unpackTar(dump, draft)
  await rename(draft, data)
  await syncFolder(dirname(data))
}

/** Returns the prepared data folder as a compressed tar file, creating it if the cache lacks it. */
export async function prepare(cacheFolder: string): Promise<Uint8Array> {
  const path = join(cacheFolder, preparedName)
  if (existsSync(path)) return readFile(path)
  const pglite = await PGlite.create({ extensions: { postgis } })
  await pglite.exec('create extension postgis')
  const dump = new Uint8Array(await (await pglite.dumpDataDir('gzip')).arrayBuffer())
  await pglite.close()
  await writeCacheFile(path, dump)
  return dump
}
