import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Api } from '../api/api.ts'
import type { Upload } from '../contract/bodies/resource.ts'
import { problem } from '../contract/problems.ts'
import { sendWithRetries } from './retry_request.ts'
import { defaultParts, type PartsOptions, uploadInParts } from './upload_in_parts.ts'

/** Digest and size of a file. */
export interface FileDigest {
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string
  readonly sizeBytes: number
}

/** A file to upload, with options. */
export interface UploadOptions {
  /** Path on this machine. */
  readonly path: string
  readonly signal?: AbortSignal | undefined
  /** Receives the progress after each chunk. */
  readonly onProgress?: (sentBytes: number, sizeBytes: number) => void
  /** Options of uploads in parts. */
  readonly parts?: PartsOptions | undefined
  /** Files that it was packed from, which identify the upload in the store; the file itself if absent. */
  readonly packedFrom?: readonly string[] | undefined
}

/** An uploaded file. */
export interface UploadedFile extends FileDigest {
  /** Reference for later requests, with the file name. */
  readonly upload: Upload
}

/**
 * Computes the SHA-256 of a file by streaming it.
 *
 * @throws {Problem} file/not-found, file/unreadable
 */
export async function digestFile(path: string, signal?: AbortSignal): Promise<FileDigest> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes, signal })) {
      hash.update(chunk as Buffer)
      sizeBytes += (chunk as Buffer).length
    }
  } catch (error) {
    throw problemOfFile(path, error)
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}

/**
 * Uploads a file and computes its digest, streaming it. Large files are uploaded in parts, which resume after connection
 * failures.
 *
 * @throws {Problem} file/not-found, file/unreadable, and errors of the server
 */
export async function uploadFile(api: Api, options: UploadOptions): Promise<UploadedFile> {
  const { path, signal, onProgress, parts = defaultParts } = options
  const sizeBytes = await sizeOf(path)
  if (sizeBytes >= parts.fromBytes) {
    // Parts may be read several times, so the digest is computed separately.
    const [upload, digest] = await Promise.all([
      uploadInParts(api, { path, packedFrom: options.packedFrom, sizeBytes, parts, signal, onProgress }),
      digestFile(path, signal),
    ])
    if (upload !== undefined) return { upload: { ...upload, name: basename(path) }, ...digest }
  }
  // An upload whose response was lost expires.
  return sendWithRetries(() => uploadInOneRequest(api, options, sizeBytes), { signal })
}

async function uploadInOneRequest(
  api: Api,
  { path, signal, onProgress }: UploadOptions,
  sizeBytes: number,
): Promise<UploadedFile> {
  const hash = createHash('sha256')
  const name = basename(path)
  async function* content() {
    let sentBytes = 0
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
      hash.update(chunk as Buffer)
      sentBytes += (chunk as Buffer).length
      onProgress?.(sentBytes, sizeBytes)
      yield chunk as Buffer
    }
  }
  const upload = await api.call('upload.raw', {
    stream: content(),
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(sizeBytes),
      'content-disposition': `attachment; filename*=utf-8''${encodeURIComponent(name)}`,
    },
    timeoutMs: uploadTimeoutMs,
    signal,
  })
  return { upload: { ...upload, name }, sha256: hash.digest('hex'), sizeBytes }
}

const chunkBytes = 256 * 1024

/** Time-out that lets a server store a large file after the last byte. */
const uploadTimeoutMs = 600_000

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw problem('file/unreadable', `Cannot read "${path}": not a file.`)
    return found.size
  } catch (error) {
    throw problemOfFile(path, error)
  }
}

/** Returns the Problem of a file that cannot be read; other Problems stay as they are. */
export function problemOfFile(path: string, error: unknown): unknown {
  const { code, name } = error as { code?: string; name?: string }
  if (name === 'Problem') return error
  if (name === 'AbortError') return problem('pipeline/interrupted', `Reading "${path}" was interrupted.`)
  if (code === 'ENOENT') return problem('file/not-found', `Cannot read "${path}": no such file.`)
  return problem('file/unreadable', `Cannot read "${path}": ${code ?? String(error)}.`, { cause: error })
}
