import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Api } from '../api/api.ts'
import type { Upload } from '../contract/bodies/resource.ts'
import { problem } from '../contract/problems.ts'
import { findParts } from '../files/source_parts.ts'
import { zip } from '../files/zip.ts'
import { digestFile, type FileDigest, type UploadOptions, uploadFile } from './upload_file.ts'

/** A file to upload: the source itself, or an archive of it and its companion files. */
export interface PackedSource {
  readonly path: string
  /** The files in the archive; empty if the source is uploaded as it is. */
  readonly packed: readonly string[]
  /** Digest of the files in the archive, as `digestSource` returns it. */
  readonly digest?: FileDigest
  /** Removes the archive. */
  remove(): Promise<void>
}

/**
 * Packs a file with its companion files into an archive: a `.shp` with its `.dbf` and others of the same name, ignoring
 * case. A file without companions is returned as it is.
 *
 * @throws {Problem} file/not-found if a required companion file is missing, file/unreadable
 */
export async function packSource(path: string, signal?: AbortSignal): Promise<PackedSource> {
  const packed = await findParts(path)
  if (packed.length < 2) return { path, packed: [], remove: async () => undefined }
  const folder = await mkdtemp(join(tmpdir(), 'landform-pack-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const archive = join(folder, `${basename(path, extname(path))}.zip`)
  const digests: PartDigest[] = []
  const files = packed.map((part) => ({ name: basename(part), content: digestWhileRead(part, digests) }))
  try {
    await pipeline(zip(files), createWriteStream(archive), signal === undefined ? {} : { signal })
    return { path: archive, packed, digest: combine(digests), remove }
  } catch (error) {
    await remove()
    if (signal?.aborted) throw problem('pipeline/interrupted', `Packing "${path}" was interrupted.`)
    throw problem('file/unreadable', `Cannot pack "${path}": ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

interface PartDigest extends FileDigest {
  readonly name: string
}

async function* digestWhileRead(path: string, digests: PartDigest[]): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer)
    sizeBytes += (chunk as Buffer).length
    yield chunk as Buffer
  }
  digests.push({ name: basename(path), sha256: hash.digest('hex'), sizeBytes })
}

/**
 * Computes the digest of a file with its companion files: for a file without them its SHA-256, else the SHA-256 of the names and
 * digests of all files.
 *
 * @throws {Problem} file/not-found, also if a required companion file is missing; file/unreadable, pipeline/interrupted
 */
export async function digestSource(path: string, signal?: AbortSignal): Promise<FileDigest> {
  const parts = await findParts(path)
  if (parts.length < 2) return digestFile(path, signal)
  const digests: PartDigest[] = []
  for (const part of parts) digests.push({ name: basename(part), ...(await digestFile(part, signal)) })
  return combine(digests)
}

function combine(digests: readonly PartDigest[]): FileDigest {
  const hash = createHash('sha256')
  for (const { name, sha256 } of digests) hash.update(`${name}\n${sha256}\n`)
  return {
    sha256: hash.digest('hex'),
    sizeBytes: digests.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  }
}

/** An uploaded source. */
export interface UploadedSource {
  readonly upload: Upload
  /** Digest as `digestSource` returns it. */
  readonly sha256: string
}

/**
 * Uploads a file, packed with its companion files if it has any.
 *
 * @throws {Problem} file/not-found, file/unreadable, and errors of the server
 */
export async function uploadSource(api: Api, options: UploadOptions): Promise<UploadedSource> {
  const { path, packed, digest, remove } = await packSource(options.path, options.signal)
  try {
    const packedFrom = packed.length > 0 ? { packedFrom: packed } : {}
    const { upload, sha256 } = await uploadFile(api, { ...options, ...packedFrom, path })
    return { upload, sha256: digest?.sha256 ?? sha256 }
  } finally {
    await remove()
  }
}
