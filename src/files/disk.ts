import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { problem } from '../contract/problems.ts'
import { isDiskFull } from '../core/disk_full.ts'
import type { Blob, BlobStore } from './blobs.ts'
import { createScratch, type Scratch } from './scratch.ts'

const digestPattern = /^[0-9a-f]{64}$/

/**
 * Opens a folder of content-addressed files: `ab/abcd…` by the first byte of the digest, so that no folder grows too
 * large. What a killed process left half written is removed.
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
    throw problem('files/missing', `there is no file ${digest}`, { data: { digest } })
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
      // Another process may delete while this one lists.
      const found = await stat(join(this.#folder, shard, digest)).catch(() => undefined)
      if (found) yield { digest, sizeBytes: found.size, modifiedAt: found.mtime }
    }
  }

  /** Moves a finished draft to its name, for good. */
  async #adopt(draft: string, { digest, sizeBytes }: Blob): Promise<void> {
    const path = this.#path(digest)
    const shard = join(this.#folder, digest.slice(0, 2))
    const made = await mkdir(shard, { recursive: true })
    if (made !== undefined) await syncFolder(this.#folder)
    // The same content again is as fresh as new content to those who delete what is old.
    if ((await findSize(path)) === sizeBytes) await utimes(path, new Date(), new Date())
    else await rename(draft, path)
    await syncFolder(shard)
  }

  #path(digest: string): string {
    return join(this.#folder, digest.slice(0, 2), digest)
  }
}

/** Bytes that are written at once: each write is a trip to another thread, which costs more than the bytes of a socket. */
const writeBytes = 1 << 20

async function write(path: string, content: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Blob> {
  const file = await open(path, 'wx', 0o600)
  let writing = Promise.resolve()
  try {
    const hash = createHash('sha256')
    let sizeBytes = 0
    let chunks: Uint8Array[] = []
    let heldBytes = 0
    const flush = async () => {
      await writing
      writing = writeAll(file, Buffer.concat(chunks, heldBytes))
      // Whoever waits for it next is told.
      writing.catch(() => undefined)
      chunks = []
      heldBytes = 0
    }
    for await (const chunk of content) {
      sizeBytes += chunk.length
      if (sizeBytes > limitBytes) throw toTooLarge(limitBytes)
      hash.update(chunk)
      chunks.push(chunk)
      heldBytes += chunk.length
      if (heldBytes >= writeBytes) await flush()
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

// A write may take a part only, the last one before the disk is full.
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at)
    at += bytesWritten
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
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
  return problem('request/too-large', `the content is larger than ${limitBytes} bytes`, {
    data: { limitBytes },
  })
}

function toFull(error: unknown): unknown {
  if (!isDiskFull(error)) return error
  return problem('files/full', 'the disk of the data folder is full', { cause: error })
}
