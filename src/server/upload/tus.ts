import { randomUUID } from 'node:crypto'
import { tus, uploadHours } from '../../contract/bodies/tus.ts'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import type { Blob } from '../../files/blob_store.ts'
import {
  deletePartialUpload,
  findPartialUpload,
  insertPartialUpload,
  listParts,
  type PartialUpload,
} from '../../store/upload/partial_upload.ts'
import {
  deleteUpload,
  findUpload,
  insertUploads,
  type StoredUpload,
} from '../../store/upload/stored_upload.ts'
import type { ServerContext } from '../context.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { countGuestUploadStart, guestNetworkOf, withinGuestQuota } from './guest_upload_quota.ts'
import { checkMediaType, checkVersion, readBytes, readChecksum, readMetadata } from './tus_protocol.ts'
import { offsetMismatch, receive } from './tus_receive.ts'

/** Maximum number of incomplete uploads per user, or per network of guests. */
const maxIncomplete = 1000

type Request = Pick<ApiRequest, 'context' | 'caller' | 'address' | 'headers' | 'raw'>
type ItemRequest = Request & { readonly params: { readonly uid: string } }

/**
 * Starts a resumable upload; the request may contain the first part.
 *
 * @throws {Problem} upload/version, request/bad-header, request/too-large, upload/too-many, upload/guests, and
 *   the errors of `appendToUpload`
 */
export async function createPartialUpload(request: Request): Promise<Answer<never>> {
  const { context, caller, headers } = request
  checkVersion(headers)
  const lengthBytes = readBytes(headers, 'upload-length')
  if (lengthBytes > context.uploadLimitBytes)
    throw problem('request/too-large', `The file is larger than ${context.uploadLimitBytes} bytes.`)
  await countGuestUploadStart(request)
  const id = randomUUID().replaceAll('-', '')
  const network = guestNetworkOf(request) ?? null
  const upload = { id, ...readMetadata(headers), lengthBytes, userId: caller.id, network }
  if (!(await insertPartialUpload(context.database, upload, maxIncomplete)))
    throw problem(
      'upload/too-many',
      `Cannot start an upload: ${maxIncomplete} uploads are incomplete, the limit.`,
    )
  const created = await getPartialUpload(context, id)
  const { offset } = await receivePart(request, created)
  const location = { location: `/api/component/file_upload/${id}` }
  return { status: 201, headers: { ...location, ...progress(created, offset) }, empty: true }
}

/** Reports the offset of an upload. */
export async function headPartialUpload(request: ItemRequest): Promise<Answer<never>> {
  const { context, headers, params } = request
  checkVersion(headers)
  const complete = await findUpload(context.database, params.uid)
  if (complete !== undefined) {
    const size = String(complete.sizeBytes)
    return { status: 200, headers: { ...noStore, 'upload-offset': size, 'upload-length': size }, empty: true }
  }
  const upload = await getPartialUpload(context, params.uid)
  const fields: Record<string, string> = { ...progress(upload, upload.offsetBytes) }
  if (upload.metadata !== null) fields['upload-metadata'] = upload.metadata
  return { status: 200, headers: { ...fields, 'upload-length': String(upload.lengthBytes) }, empty: true }
}

/**
 * Appends a part to an upload; the last part completes it.
 *
 * @throws {Problem} upload/version, upload/media-type, request/bad-header, upload/not-found, upload/offset,
 *   request/too-large, upload/checksum, upload/guests, request/aborted
 */
export async function appendToUpload(request: ItemRequest): Promise<Answer<never>> {
  const { context, headers, params } = request
  checkVersion(headers)
  checkMediaType(headers)
  const offset = readBytes(headers, 'upload-offset')
  const complete = await findUpload(context.database, params.uid)
  if (complete !== undefined) return appendNothing(complete, { offset, sizeBytes: sizeOf(headers) })
  const upload = await getPartialUpload(context, params.uid)
  if (upload.offsetBytes !== offset) throw offsetMismatch(upload.id, offset)
  const { offset: nextOffset } = await receivePart(request, upload)
  return { status: 204, headers: progress(upload, nextOffset), empty: true }
}

/** Accepts an empty part at the end: a client repeats it if the response to its last part was lost. */
function appendNothing(
  { id, sizeBytes }: StoredUpload,
  part: { readonly offset: number; readonly sizeBytes: number },
): Answer<never> {
  if (part.offset !== sizeBytes) throw offsetMismatch(id, part.offset)
  if (part.sizeBytes > 0) throw tooLong(sizeBytes)
  return { status: 204, headers: { ...noStore, 'upload-offset': String(sizeBytes) }, empty: true }
}

/** Deletes an upload, complete or not. Tells whether it existed. */
export async function removeUpload({ database }: ServerContext, id: string): Promise<boolean> {
  const isPartial = await deletePartialUpload(database, id)
  return (await deleteUpload(database, id)) || isPartial
}

/**
 * Returns a complete upload. Joins the parts if this has not been done.
 *
 * @throws {Problem} upload/incomplete, upload/not-found
 */
export async function getCompleteUpload(context: ServerContext, id: string): Promise<StoredUpload> {
  const complete = await findUpload(context.database, id)
  return complete ?? completeUpload(context, await getPartialUpload(context, id))
}

async function receivePart(request: Request, upload: PartialUpload): Promise<{ offset: number }> {
  const { context, headers, raw } = request
  if (sizeOf(headers) > upload.lengthBytes - upload.offsetBytes) throw tooLong(upload.lengthBytes)
  const hasPart = headers['content-type'] === tus.mediaType
  const offset = hasPart
    ? await receive(context, upload, {
        raw,
        checksum: readChecksum(headers),
        limit: (content) => withinGuestQuota(request, content, 0),
      })
    : upload.offsetBytes
  if (offset === upload.lengthBytes) await completeUpload(context, { ...upload, offsetBytes: offset })
  return { offset }
}

/** Returns the length of a request body by its header; 0 if unknown. */
const sizeOf = (headers: Request['headers']) => Number(headers['content-length'] ?? 0)

const tooLong = (lengthBytes: number) =>
  problem('request/too-large', `The part exceeds the length of the upload, ${lengthBytes} bytes.`)

async function getPartialUpload({ database }: ServerContext, id: string): Promise<PartialUpload> {
  const upload = await findPartialUpload(database, id, uploadHours)
  if (upload === undefined) throw unknownUpload(id)
  return upload
}

/** Creates the error for an upload that does not exist or has expired. */
export function unknownUpload(id: string) {
  return problem('upload/not-found', `There is no upload ${id}.`, { status: 404, data: { upload: id } })
}

const noStore = { 'cache-control': 'no-store' }

function progress({ createdMs }: PartialUpload, offset: number): Record<string, string> {
  const end = new Date(createdMs + uploadHours * 3_600_000)
  return { ...noStore, 'upload-offset': String(offset), 'upload-expires': end.toUTCString() }
}

type Storage = Pick<ServerContext, 'database' | 'blobs'>

/**
 * Joins the parts of an upload. Safe to repeat after an interruption and to run concurrently.
 *
 * @throws {Problem} upload/incomplete
 */
async function completeUpload(storage: Storage, upload: PartialUpload): Promise<StoredUpload> {
  const { id, name, mimeType, userId, lengthBytes, offsetBytes } = upload
  if (offsetBytes < lengthBytes) throw incomplete(upload)
  const { database } = storage
  const parts = await listParts(database, id)
  const { digest, sizeBytes } = await join(storage, upload, parts)
  const joined = { id, digest, name, mimeType, sizeBytes, userId }
  await database.transaction(async (tx) => {
    if (await deletePartialUpload(tx, id)) await insertUploads(tx, [joined])
  })
  // A concurrent request may have completed or deleted the upload.
  const stored = await findUpload(database, id)
  if (stored === undefined) throw incomplete(upload)
  return stored
}

async function join(
  { blobs }: Pick<Storage, 'blobs'>,
  { lengthBytes }: PartialUpload,
  parts: readonly string[],
): Promise<Blob> {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return { digest: only, sizeBytes: lengthBytes }
  return blobs.put(readAll(blobs, parts))
}

async function* readAll(blobs: Storage['blobs'], digests: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const digest of digests) yield* blobs.read(digest)
}

function incomplete({ id, offsetBytes, lengthBytes }: PartialUpload) {
  return problem(
    'upload/incomplete',
    `Upload ${id} is incomplete: received ${offsetBytes} of ${countOf(lengthBytes, 'byte')}.`,
    {
      data: { upload: id, offset: offsetBytes, length: lengthBytes },
    },
  )
}
