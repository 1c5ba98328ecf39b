import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Api } from '../api/api.ts'
import { problem } from '../contract/problems.ts'
import type { Upload } from '../contract/resource.ts'
import { defaultParts, type PartsOptions, uploadInParts } from './parts.ts'

/** What a file holds. */
export interface FileDigest {
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string
  readonly sizeBytes: number
}

/** A file on its way to the server. */
export interface UploadOptions {
  /** Path on this machine. */
  readonly path: string
  readonly signal?: AbortSignal | undefined
  /** Told after each piece how many bytes have been sent, of how many. */
  readonly onProgress?: (sentBytes: number, sizeBytes: number) => void
  /** How a large file goes up. */
  readonly parts?: PartsOptions | undefined
  /** Files that it was made of, by which its upload is remembered; itself where absent. */
  readonly madeOf?: readonly string[] | undefined
}

/** A file that arrived. */
export interface UploadedFile extends FileDigest {
  /** What later requests refer to it by; carries the name of the file. */
  readonly upload: Upload
}

/**
 * Computes the SHA-256 of a file, streaming.
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
 * Uploads a file, a large one in parts that go on where a broken line stopped them, hashing it on the way. Never held in
 * memory.
 *
 * @throws {Problem} file/not-found, file/unreadable, and what the server refuses
 */
export async function uploadFile(api: Api, options: UploadOptions): Promise<UploadedFile> {
  const { path, signal, onProgress, parts = defaultParts } = options
  const sizeBytes = await sizeOf(path)
  if (sizeBytes >= parts.fromBytes) {
    // The parts are read as often as they have to be sent: what they come to is found out beside.
    const [upload, digest] = await Promise.all([
      uploadInParts(api, { path, madeOf: options.madeOf, sizeBytes, parts, signal, onProgress }),
      digestFile(path, signal),
    ])
    if (upload !== undefined) return { upload: { ...upload, name: basename(path) }, ...digest }
  }
  return uploadAtOnce(api, options, sizeBytes)
}

async function uploadAtOnce(
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

/** A server may take a while to make a large file safe after its last byte. */
const uploadTimeoutMs = 600_000

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw problem('file/unreadable', `"${path}" is no file.`)
    return found.size
  } catch (error) {
    throw problemOfFile(path, error)
  }
}

function problemOfFile(path: string, error: unknown) {
  const { code, name } = error as { code?: string; name?: string }
  if (name === 'Problem') return error
  if (name === 'AbortError') return problem('pipeline/interrupted', `Reading "${path}" was interrupted.`)
  if (code === 'ENOENT') return problem('file/not-found', `There is no file "${path}".`)
  return problem('file/unreadable', `"${path}" cannot be read: ${code ?? String(error)}.`, { cause: error })
}
