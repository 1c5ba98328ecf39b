import { randomUUID } from 'node:crypto'
import { existsSync, fsyncSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { postgis } from '@electric-sql/pglite-postgis'
import { unpackTar } from './tar.ts'

/** Names the prepared data folder: another version of either package prepares its own. */
export const preparedName = 'pglite-0.5.8-postgis-0.2.8.tar.gz'

/** Starts a database whose data is gone when it ends. */
export async function startInMemory(cacheFolder: string): Promise<PGlite> {
  const dump = await prepare(cacheFolder)
  return PGlite.create({ extensions: { postgis }, loadDataDir: toBlob(dump) })
}

/** Starts the database of a folder, made first where there is none. Whoever calls holds the lock of the folder. */
export async function startInFolder(folder: string, cacheFolder: string): Promise<PGlite> {
  const data = join(folder, 'data')
  if (!existsSync(data)) await createData(data, await prepare(cacheFolder))
  return PGlite.create({
    dataDir: data,
    extensions: { postgis, durable },
    startParams: [...startParams, '-c', 'wal_sync_method=fsync'],
  })
}

// PGlite switches PostgreSQL's calls of fsync off with -F, which is right for memory only.
const startParams = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F')

// Emscripten's Node file system has no fsync of its own: what PostgreSQL calls would do nothing.
const durable = {
  name: 'durable',
  setup: async (_pglite: unknown, options: NonNullable<unknown>) => {
    const { preRun = [] } = options as { preRun?: ((module: FileModule) => void)[] }
    preRun.push(({ FS }) => {
      FS.filesystems.NODEFS.stream_ops.fsync = ({ node, nfd }) => {
        if (FS.isFile(node.mode)) fsyncSync(nfd)
        return 0
      }
    })
    return { emscriptenOpts: { ...options, preRun } }
  },
}

/** What of Emscripten's file systems is touched. */
interface FileModule {
  readonly FS: {
    isFile(mode: number): boolean
    readonly filesystems: { readonly NODEFS: { readonly stream_ops: StreamOperations } }
  }
}

interface StreamOperations {
  fsync?: (stream: { readonly node: { readonly mode: number }; readonly nfd: number }) => number
}

// Complete under its name or not there: a start that is killed leaves a folder that the next one takes away.
async function createData(data: string, dump: Uint8Array): Promise<void> {
  const fresh = `${data}.new`
  await rm(fresh, { recursive: true, force: true })
  await unpackTar(dump, fresh)
  await rename(fresh, data)
}

/** Gives the prepared data folder as a compressed tar file, making it where the cache has none. */
export async function prepare(cacheFolder: string): Promise<Uint8Array> {
  const path = join(cacheFolder, preparedName)
  if (existsSync(path)) return readFile(path)
  const pglite = await PGlite.create({ extensions: { postgis } } satisfies PGliteOptions)
  await pglite.exec('create extension postgis')
  const dump = new Uint8Array(await (await pglite.dumpDataDir('gzip')).arrayBuffer())
  await pglite.close()
  await mkdir(cacheFolder, { recursive: true })
  // Several processes may prepare at once: each under a name of its own, and the last one stays.
  const fresh = `${path}.${randomUUID()}`
  await writeFile(fresh, dump)
  await rename(fresh, path)
  return dump
}

function toBlob(dump: Uint8Array): Blob {
  return new Blob([new Uint8Array(dump)], { type: 'application/gzip' })
}
