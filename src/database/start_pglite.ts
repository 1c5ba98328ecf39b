import { existsSync, fsyncSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Extension, PGlite } from '@electric-sql/pglite'
import { postgis } from '@electric-sql/pglite-postgis'
import { writeCacheFile } from './cache_file.ts'
import { filterTar, syncFolder, unpackTar } from './tar.ts'

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

type FileOperation = (...operands: never[]) => number

/** Operations of Emscripten on open files. */
interface StreamOperations {
  read: FileOperation
  write: FileOperation
  fsync?: (stream: { readonly node: { readonly mode: number }; readonly nfd: number }) => number
}

/** The file system part of PGlite's WebAssembly module. */
interface FileModule {
  readonly FS: {
    isFile(mode: number): boolean
    readonly filesystems: {
      readonly NODEFS: { readonly stream_ops: StreamOperations }
      /** New files copy their operations from this table. */
      readonly MEMFS: { readonly ops_table: { readonly file: { readonly stream: StreamOperations } } }
    }
  }
}

/**
 * Patches the file systems of Emscripten before the database starts: `fsync` reaches the disk (Emscripten's own does
 * nothing), and each read and write calls back first.
 */
function adaptFiles(onAccess: () => void): Extension {
  const adapt = ({ FS }: FileModule) => {
    const { NODEFS, MEMFS } = FS.filesystems
    NODEFS.stream_ops.fsync = ({ node, nfd }) => {
      if (FS.isFile(node.mode)) fsyncSync(nfd)
      return 0
    }
    for (const operations of [NODEFS.stream_ops, MEMFS.ops_table.file.stream]) {
      operations.read = notifyBefore(operations.read, onAccess)
      operations.write = notifyBefore(operations.write, onAccess)
    }
  }
  return {
    name: 'files',
    setup: async (_pglite, options: { preRun?: unknown[] }) => ({
      emscriptenOpts: { ...options, preRun: [...(options.preRun ?? []), adapt] },
    }),
  }
}

function notifyBefore(operation: FileOperation, onAccess: () => void): FileOperation {
  return (...operands) => {
    onAccess()
    return operation(...operands)
  }
}

/** File name of the bundle, which depends on the package version. */
export const bundleName = 'postgis-0.2.8-lean.tar.gz'

/** Installation scripts and further extensions, which a database with PostGIS does not need. */
const dispensable = /\.sql$|raster|topology/

/**
 * PostGIS for a database in which it is installed. The package contains the raster and topology libraries, 16 MB each,
 * which are compiled at every start: without them a database starts in less than half the time and uses 270 MB less.
 *
 * @param cacheFolder folder for the bundle
 */
function leanPostgis(cacheFolder: string): Extension {
  return {
    ...postgis,
    async setup(pglite, options) {
      const extension = await postgis.setup(pglite, options)
      const { bundlePath } = extension
      if (bundlePath === undefined) return extension
      const path = join(cacheFolder, bundleName)
      if (!existsSync(path))
        await writeCacheFile(
          path,
          filterTar(await readFile(bundlePath), (name) => !dispensable.test(name)),
        )
      return { ...extension, bundlePath: pathToFileURL(path) }
    },
  }
}
