import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  utimes,
} from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { problem } from '../contract/problems.ts'
import { isDiskFull } from '../core/disk_full.ts'
import type { Blob, BlobStore } from './blob_store.ts'
import { syncFolder } from './sync_folder.ts'

const digestPattern = /^[0-9a-f]{64}$/

/**
 * Opens a folder of content-addressed files, sharded as `ab/abcd…` by the first byte of the digest. Removes partial
 * files left by killed processes.
 */
export async function openDiskBlobs({ folder }: { readonly folder: string }): Promise<BlobStore> {
  await mkdir(folder, { recursive: true })
  return new DiskBlobs(folder, await createScratch(join(folder, 'incoming')))
}

class DiskBlobs implements BlobStore {
  readonly #folder: string
  readonly #scratch: Scratch

  constructor(folder: string, scratch: Scratch) {
    this.#folder = folder
    this.#scratch = scratch
  }

  async put(content: AsyncIterable<Uint8Array>, options: { limitBytes?: number } = {}): Promise<Blob> {
    const draft = this.#scratch.newPath()
    try {
      const blob = await write(draft, content, options.limitBytes ?? Number.POSITIVE_INFINITY)
      await this.#adopt(draft, blob)
      return blob
    } catch (error) {
      throw toFull(error)
    } finally {
      await rm(draft, { force: true })
    }
  }

  async *read(digest: string, range?: { start: number; end: number }): AsyncGenerator<Uint8Array> {
    const path = await this.localPath(digest)
    if (range && range.end <= range.start) return
    yield* createReadStream(path, range && { start: range.start, end: range.end - 1 })
  }

  async localPath(digest: string): Promise<string> {
    const path = digestPattern.test(digest) ? this.#path(digest) : undefined
    if (path && (await findSize(path)) !== undefined) return path
    throw problem('files/missing', `file ${digest} does not exist`, { data: { digest } })
  }

  async delete(digest: string): Promise<void> {
    if (digestPattern.test(digest)) await rm(this.#path(digest), { force: true })
  }

  async *list(): AsyncGenerator<Blob & { modifiedAt: Date }> {
    for (const shard of await readdir(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(shard)) continue
      yield* this.#listShard(shard)
    }
  }

  async *#listShard(shard: string): AsyncGenerator<Blob & { modifiedAt: Date }> {
    for (const digest of await readdir(join(this.#folder, shard))) {
      if (!digestPattern.test(digest)) continue
      // Another process may delete files during the listing.
      const found = await stat(join(this.#folder, shard, digest)).catch(() => undefined)
      if (found) yield { digest, sizeBytes: found.size, modifiedAt: found.mtime }
    }
  }

  /** Moves a complete draft to its final name, and flushes the folder. */
  async #adopt(draft: string, { digest, sizeBytes }: Blob): Promise<void> {
    const path = this.#path(digest)
    const shard = join(this.#folder, digest.slice(0, 2))
    const created = await mkdir(shard, { recursive: true })
    if (created !== undefined) await syncFolder(this.#folder)
    // Protects existing content from the collection of old unreferenced blobs.
    if ((await findSize(path)) === sizeBytes) await utimes(path, new Date(), new Date())
    else await rename(draft, path)
    await syncFolder(shard)
  }

  #path(digest: string): string {
    return join(this.#folder, digest.slice(0, 2), digest)
  }
}

/** Write buffer size in bytes: each write switches threads, which is expensive for chunks of socket size. */
const writeBytes = 1 << 20

async function write(path: string, content: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Blob> {
  const file = await open(path, 'wx', 0o600)
  let writing = Promise.resolve()
  try {
    const hash = createHash('sha256')
    let sizeBytes = 0
    let chunks: Uint8Array[] = []
    let bufferedBytes = 0
    const flush = async () => {
      await writing
      writing = writeAll(file, Buffer.concat(chunks, bufferedBytes))
      // The next await of `writing` reports the error.
      writing.catch(() => undefined)
      chunks = []
      bufferedBytes = 0
    }
    for await (const chunk of content) {
      sizeBytes += chunk.length
      if (sizeBytes > limitBytes) throw toTooLarge(limitBytes)
      hash.update(chunk)
      chunks.push(chunk)
      bufferedBytes += chunk.length
      if (bufferedBytes >= writeBytes) await flush()
    }
    await flush()
    await writing
    await file.sync()
    return { digest: hash.digest('hex'), sizeBytes }
  } finally {
    await writing.catch(() => undefined)
    await file.close()
  }
}

// A write may be partial, such as the last one before the disk is full.
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at)
    at += bytesWritten
  }
}

async function findSize(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch {
    return undefined
  }
}

function toTooLarge(limitBytes: number): Error {
  return problem('request/too-large', `the content exceeds ${limitBytes} bytes`, {
    data: { limitBytes },
  })
}

function toFull(error: unknown): unknown {
  if (!isDiskFull(error)) return error
  return problem('files/full', 'the disk of the data folder is full', { cause: error })
}

/** A folder for incomplete files. */
interface Scratch {
  /** Returns an unused path. */
  newPath(): string
}

/** Age after which a file is removed if the state of its process cannot be determined. */
const oldMs = 24 * 60 * 60 * 1000

/** Opens a scratch folder and removes the files of dead processes. */
async function createScratch(folder: string): Promise<Scratch> {
  await mkdir(folder, { recursive: true })
  const prefix = await formatPrefix()
  await removeAbandoned(folder)
  return { newPath: () => join(folder, `${prefix}.${randomUUID()}`) }
}

// Identifies the process: host, PID and start time, since PIDs are reused.
async function formatPrefix(): Promise<string> {
  // Without /proc the process is unknown: its files are removed when they are old.
  const pid = await readlink('/proc/self').catch(() => '0')
  return `${encodeURIComponent(hostname()).replaceAll('.', '%2E')}.${pid}.${await findStart(pid)}`
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (await isDead(path, name)) await rm(path, { force: true })
  }
}

async function isDead(path: string, name: string): Promise<boolean> {
  const [host, pid = '0', start] = name.split('.')
  const here = encodeURIComponent(hostname()).replaceAll('.', '%2E')
  if (host === here && pid !== '0') return (await findStart(pid)) !== start
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > oldMs
}

/** Start time of a process: the boot id and the ticks since boot; empty if it does not run. @see proc(5) */
async function findStart(pid: string): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const status = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program name in parentheses, which may contain spaces and parentheses.
    const ticks = status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? ''
    return `${boot.slice(0, 8)}-${ticks}`
  } catch {
    return ''
  }
}
