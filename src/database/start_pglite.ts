import { randomUUID } from 'node:crypto'
import { existsSync, fsyncSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Extension, PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { postgis } from '@electric-sql/pglite-postgis'
import { readText } from '../core/bytes.ts'
import { syncFolder } from '../files/sync_folder.ts'
import { type ErrorModule, raiseExceptions } from './pglite_exceptions.ts'

/** File name of the prepared data folder, which depends on the package versions. */
export const preparedName = 'pglite-0.5.8-postgis-0.2.8.tar.gz'

/** Options of a start. */
export interface StartOptions {
  /** Folder for the prepared data folder. */
  readonly cacheFolder: string
  /** Called synchronously before each file read or write of the database. */
  readonly onFileAccess: () => void
  /** Called when errors of libraries have left much memory in use, which a restart gives back. */
  readonly onSpent: () => void
}

const blockBytes = 512

/** Number of files written concurrently, since each waits for the disk. */
const filesAtOnce = 32

/** An entry of a tar file; a folder has no content. */
interface Entry {
  readonly name: string
  readonly content: Uint8Array | undefined
  /** Header and content blocks. */
  readonly blocks: Uint8Array
}

/**
 * Settings of memory. Shared buffers are memory of the process from the start, filled or not; what they do not hold, the
 * operating system keeps, which takes back its memory when others need it. The default is 128 MB.
 */
const memorySettings = ['-c', 'shared_buffers=32MB']

/** Starts an in-memory database. */
export async function startInMemory({ cacheFolder, onFileAccess, onSpent }: StartOptions): Promise<PGlite> {
  const dump = await prepare(cacheFolder)
  const options = {
    extensions: { postgis: leanPostgis(cacheFolder), files: adaptFiles(onFileAccess) },
    loadDataDir: new Blob([new Uint8Array(dump)], { type: 'application/gzip' }),
    startParams: [...PGlite.defaultStartParams, ...memorySettings],
  }
  return start(options, onSpent)
}

/** Starts a database, and forgets the archives of its extensions, which are installed then. */
async function start(options: PGliteOptions, onSpent: () => void): Promise<PGlite> {
  let pglite: PGlite | undefined
  raiseExceptions(() => pglite?.Module as ErrorModule | undefined, onSpent)
  pglite = await PGlite.create(options)
  pglite.Module.pg_extensions = {}
  return pglite
}

/** Starts the database of a folder, creating its data if missing. The caller holds the lock of the folder. */
export async function startInFolder(
  folder: string,
  { cacheFolder, onFileAccess, onSpent }: StartOptions,
): Promise<PGlite> {
  const data = join(folder, 'data')
  if (!existsSync(data)) await createData(data, await prepare(cacheFolder))
  const options = {
    dataDir: data,
    extensions: { postgis: leanPostgis(cacheFolder), files: adaptFiles(onFileAccess) },
    // PGlite starts PostgreSQL with -F (no fsync), which is safe only in memory.
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      // The default, fdatasync, does nothing in Emscripten.
      ...['-c', 'wal_sync_method=fsync'],
      // Limits of the write-ahead log files kept for reuse.
      ...['-c', 'max_wal_size=128MB', '-c', 'min_wal_size=64MB'],
      ...memorySettings,
    ],
  }
  return start(options, onSpent)
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

/** Compiles a library, and stores its file. `canOwn` tells that the file may keep the given bytes, without a copy. */
type PreloadFile = (
  ...operands: [
    folder: string,
    name: string,
    bytes: Uint8Array,
    canRead: boolean,
    canWrite: boolean,
    onLoad: () => void,
    onError: () => void,
    isFileLess: boolean,
    canOwn?: boolean,
  ]
) => void

/** The file system part of PGlite's WebAssembly module. */
interface FileModule {
  readonly FS: {
    isFile(mode: number): boolean
    createPreloadedFile: PreloadFile
    readonly filesystems: {
      readonly NODEFS: { readonly stream_ops: StreamOperations }
      /** New files copy their operations from this table. */
      readonly MEMFS: { readonly ops_table: { readonly file: { readonly stream: StreamOperations } } }
    }
  }
}

/**
 * Patches the file systems of Emscripten before the database starts: `fsync` reaches the disk (Emscripten's own does
 * nothing), each read and write calls back first, and a library, whose bytes stay with its compiled code, is not copied for
 * its file.
 */
function adaptFiles(onAccess: () => void): Extension {
  const adapt = ({ FS }: FileModule) => {
    const { NODEFS, MEMFS } = FS.filesystems
    const preload = FS.createPreloadedFile
    FS.createPreloadedFile = (...[folder, name, bytes, canRead, canWrite, onLoad, onError, isFileLess]) =>
      preload(folder, name, bytes, canRead, canWrite, onLoad, onError, isFileLess, true)
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

/** Writes a cache file atomically: concurrent processes write under separate names, and the last rename wins. */
async function writeCacheFile(path: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, content)
  await rename(draft, path)
}

/**
 * Unpacks a compressed tar file into a folder, flushed to disk and readable by the owner only.
 *
 * @see POSIX pax, "ustar Interchange Format"
 */
export async function unpackTar(compressed: Uint8Array, folder: string): Promise<void> {
  const entries = [...listEntries(gunzipSync(compressed))].map((entry) => ({
    ...entry,
    path: join(folder, normalize(`/${entry.name}`)),
  }))
  const folders = new Set([folder])
  for (const { path, content } of entries) folders.add(content === undefined ? path : dirname(path))
  for (const path of folders) await mkdir(path, { recursive: true, mode: 0o700 })
  for (let at = 0; at < entries.length; at += filesAtOnce) {
    await Promise.all(entries.slice(at, at + filesAtOnce).map(writeEntry))
  }
  // PostgreSQL refuses a data folder that is readable by others.
  await chmod(folder, 0o700)
  for (const path of folders) await syncFolder(path)
}

/** Returns a compressed tar file with the entries of another whose names match. */
function filterTar(compressed: Uint8Array, isIncluded: (name: string) => boolean): Uint8Array {
  const entries = [...listEntries(gunzipSync(compressed))].filter(({ name }) => isIncluded(name))
  const end = Buffer.alloc(2 * blockBytes)
  // Level 1: unpacked at each start, stored once.
  return gzipSync(Buffer.concat([...entries.map(({ blocks }) => blocks), end]), { level: 1 })
}

async function writeEntry({
  path,
  content,
}: {
  path: string
  content: Uint8Array | undefined
}): Promise<void> {
  if (content !== undefined) await writeFile(path, content, { mode: 0o600, flush: true })
}

function* listEntries(tar: Uint8Array): Generator<Entry> {
  let at = 0
  while (at + blockBytes <= tar.length && tar[at] !== 0) {
    const text = (start: number, length: number) => readText(tar, at + start, length)
    const sizeBytes = Number.parseInt(text(124, 12), 8) || 0
    const prefix = text(345, 155)
    const name = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`
    const start = at + blockBytes
    const isFolder = text(156, 1) === '5'
    const end = start + Math.ceil(sizeBytes / blockBytes) * blockBytes
    const content = isFolder ? undefined : tar.subarray(start, start + sizeBytes)
    yield { name, content, blocks: tar.subarray(at, end) }
    at = end
  }
}
