import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { Api } from '../api/api.ts'
import { problem } from '../contract/problems.ts'
import type { Upload } from '../contract/resource.ts'
import { tus } from '../contract/tus.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { attempts, isWorthAnother, pause, tryAgain } from './again.ts'
import type { UploadMemory } from './memory.ts'

/** How a large file goes up. */
export interface PartsOptions {
  /** Size from which a file goes up in parts. */
  readonly fromBytes: number
  /** Size of a part. */
  readonly partBytes: number
  /** Where an upload is remembered, so that another run goes on where this one stopped. */
  readonly memory?: UploadMemory | undefined
}

/** Parts of 16 MiB, of files that have more than two of them. */
export const defaultParts: PartsOptions = { fromBytes: 32 << 20, partBytes: 16 << 20 }

/** A file that goes up in parts. */
export interface PartedFile {
  readonly path: string
  readonly sizeBytes: number
  /** Files that it was made of, by which it is remembered; itself where absent. */
  readonly madeOf?: readonly string[] | undefined
  readonly parts: PartsOptions
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((sentBytes: number, sizeBytes: number) => void) | undefined
}

const version = { [tus.header]: tus.version }

/**
 * Uploads a file in parts: after a broken line it goes on where it stopped, after a run that died too, where that is
 * remembered. Undefined where the server does not take parts.
 *
 * @throws {Problem} file/unreadable, and what the server refuses
 * @see tus resumable upload protocol 1.0.0
 */
export async function uploadInParts(api: Api, file: PartedFile): Promise<Upload | undefined> {
  const { path, sizeBytes, signal, parts } = file
  const begun = (await goOn(api, file)) ?? (await begin(api, file))
  if (begun === undefined) return undefined
  const { uid } = begun
  await parts.memory?.keep(api.url, file.madeOf ?? [path], uid)
  let { offset } = begun
  let failures = 0
  while (offset < sizeBytes) {
    try {
      offset = await sendPart(api, file, { uid, offset })
      failures = 0
    } catch (error) {
      failures += 1
      if (failures >= attempts || !isProblem(error) || !mayGoOn(error)) throw error
      await pause(failures, signal)
      offset = (await askOffset(api, uid, signal)).offset
    }
  }
  return api.call('upload.get', { params: { uid }, signal, timeoutMs: joinTimeoutMs })
}

interface Place {
  readonly uid: string
  /** Bytes the server has. */
  readonly offset: number
}

/** With the last part, or when it is asked for the whole, a server puts the parts of a large file together. */
const joinTimeoutMs = 600_000

async function goOn(
  api: Api,
  { path, madeOf = [path], sizeBytes, signal, parts }: PartedFile,
): Promise<Place | undefined> {
  const uid = await parts.memory?.find(api.url, madeOf)
  if (uid === undefined) return undefined
  try {
    const { offset, length } = await askOffset(api, uid, signal)
    return length === sizeBytes ? { uid, offset } : undefined
  } catch (error) {
    // Forgotten by the server, or begun by somebody else.
    if (isProblem(error) && (error.status ?? 0) >= 400 && (error.status ?? 0) < 500) return undefined
    throw error
  }
}

async function begin(api: Api, { path, sizeBytes, signal }: PartedFile): Promise<Place | undefined> {
  const name = Buffer.from(basename(path)).toString('base64')
  const headers = { ...version, 'upload-length': String(sizeBytes), 'upload-metadata': `name ${name}` }
  try {
    // What was begun for an answer that was lost is forgotten after a day.
    const answer = await tryAgain(() => api.open('upload.form', { headers, signal }), { signal })
    await drain(answer.body)
    const uid = String(answer.headers.location ?? '')
      .split('/')
      .findLast((segment) => segment !== '')
    return uid === undefined ? undefined : { uid, offset: 0 }
  } catch (error) {
    if (isProblem(error) && notTaken.includes(error.status ?? 0)) return undefined
    throw error
  }
}

/** What a server answers that takes the beginning of an upload in parts for a form without files. */
const notTaken = [400, 404, 405, 412, 415, 422, 501]

async function sendPart(api: Api, file: PartedFile, { uid, offset }: Place): Promise<number> {
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
    if (sent < end) throw problem('file/unreadable', `"${path}" became shorter while it was sent.`)
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

/** Returns whether it is worth to ask where the upload stands, and to go on from there. */
function mayGoOn(error: Problem): boolean {
  return (
    isWorthAnother(error) || ['http/timeout', 'upload/offset'].includes(error.code) || error.status === 409
  )
}

async function askOffset(api: Api, uid: string, signal: AbortSignal | undefined) {
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
