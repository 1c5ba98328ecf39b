import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { Api } from '../api/api.ts'
import type { Upload } from '../contract/bodies/resource.ts'
import { tus } from '../contract/bodies/tus.ts'
import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { isRetryable, maxAttempts, sendWithRetries, waitToRetry } from './retry_request.ts'
import type { UploadMemory } from './upload_memory.ts'

/** Options of an upload in parts. */
export interface PartsOptions {
  /** Minimum size of a file uploaded in parts. */
  readonly fromBytes: number
  /** Size of a part. */
  readonly partBytes: number
  /** Store of unfinished uploads, so that another run can resume this one. */
  readonly memory?: UploadMemory | undefined
}

/** Parts of 16 MiB for files of at least 32 MiB. */
export const defaultParts: PartsOptions = { fromBytes: 32 << 20, partBytes: 16 << 20 }

/** A file to upload in parts. */
export interface PartedFile {
  readonly path: string
  readonly sizeBytes: number
  /** Files that it was packed from, which identify the upload in the store; the file itself if absent. */
  readonly packedFrom?: readonly string[] | undefined
  readonly parts: PartsOptions
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((sentBytes: number, sizeBytes: number) => void) | undefined
}

const version = { [tus.header]: tus.version }

/**
 * Uploads a file in parts. Resumes after connection failures, and after an aborted run if the upload is in the store.
 *
 * @returns undefined if the server does not support uploads in parts
 * @throws {Problem} file/unreadable, and errors of the server
 * @see tus resumable upload protocol 1.0.0
 */
export async function uploadInParts(api: Api, file: PartedFile): Promise<Upload | undefined> {
  const { path, sizeBytes, signal, parts } = file
  const started = (await resume(api, file)) ?? (await start(api, file))
  if (started === undefined) return undefined
  const { uid } = started
  await parts.memory?.keep(api.url, file.packedFrom ?? [path], uid)
  let { offset } = started
  let failures = 0
  while (offset < sizeBytes) {
    try {
      offset = await sendPart(api, file, { uid, offset })
      failures = 0
    } catch (error) {
      failures += 1
      if (failures >= maxAttempts || !isProblem(error) || !mayResume(error)) throw error
      await waitToRetry(failures, signal)
      offset = (await readOffset(api, uid, signal)).offset
    }
  }
  return api.call('upload.get', { params: { uid }, signal, timeoutMs: joinTimeoutMs })
}

interface UploadState {
  readonly uid: string
  /** Number of bytes received by the server. */
  readonly offset: number
}

/** Time-out of requests at whose end the server joins the parts of a large file. */
const joinTimeoutMs = 600_000

async function resume(
  api: Api,
  { path, packedFrom = [path], sizeBytes, signal, parts }: PartedFile,
): Promise<UploadState | undefined> {
  const uid = await parts.memory?.find(api.url, packedFrom)
  if (uid === undefined) return undefined
  try {
    const { offset, length } = await readOffset(api, uid, signal)
    return length === sizeBytes ? { uid, offset } : undefined
  } catch (error) {
    // The upload has expired, or belongs to another user.
    if (isProblem(error) && (error.status ?? 0) >= 400 && (error.status ?? 0) < 500) return undefined
    throw error
  }
}

async function start(api: Api, { path, sizeBytes, signal }: PartedFile): Promise<UploadState | undefined> {
  const name = Buffer.from(basename(path)).toString('base64')
  const headers = { ...version, 'upload-length': String(sizeBytes), 'upload-metadata': `name ${name}` }
  try {
    // An upload whose response was lost expires after a day.
    const answer = await sendWithRetries(() => api.open('upload.form', { headers, signal }), { signal })
    await drain(answer.body)
    const uid = String(answer.headers.location ?? '')
      .split('/')
      .findLast((segment) => segment !== '')
    return uid === undefined ? undefined : { uid, offset: 0 }
  } catch (error) {
    if (isProblem(error) && unsupportedStatuses.includes(error.status ?? 0)) return undefined
    throw error
  }
}

/** Status codes of servers that do not support uploads in parts and expect a form with files. */
const unsupportedStatuses = [400, 404, 405, 412, 415, 422, 501]

async function sendPart(api: Api, file: PartedFile, { uid, offset }: UploadState): Promise<number> {
  const { path, sizeBytes, signal, parts, onProgress } = file
  const end = Math.min(offset + parts.partBytes, sizeBytes)
  async function* content() {
    let sent = offset
    for await (const chunk of createReadStream(path, {
      start: offset,
      end: end - 1,
      highWaterMark: chunkBytes,
    })) {
      sent += (chunk as Buffer).length
      yield chunk as Buffer
      onProgress?.(sent, sizeBytes)
    }
    if (sent < end)
      throw problem('file/unreadable', `Cannot upload "${path}": the file was truncated during the upload.`)
  }
  const headers = {
    ...version,
    'content-type': tus.mediaType,
    'content-length': String(end - offset),
    'upload-offset': String(offset),
  }
  const answer = await api.open('upload.append', {
    params: { uid },
    stream: content(),
    headers,
    signal,
    timeoutMs: joinTimeoutMs,
  })
  await drain(answer.body)
  return Number(answer.headers['upload-offset'] ?? end)
}

const chunkBytes = 256 * 1024

/** Returns whether an upload may be resumed at the offset of the server after an error. */
function mayResume(error: Problem): boolean {
  return isRetryable(error) || ['http/timeout', 'upload/offset'].includes(error.code) || error.status === 409
}

async function readOffset(api: Api, uid: string, signal: AbortSignal | undefined) {
  const { headers, body } = await api.open('upload.get', {
    params: { uid },
    head: true,
    headers: version,
    signal,
  })
  await drain(body)
  return { offset: Number(headers['upload-offset'] ?? 0), length: Number(headers['upload-length'] ?? 0) }
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}
