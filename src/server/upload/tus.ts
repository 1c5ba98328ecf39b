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
  type UploadKey,
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
  const created = await getPartialUpload(context, keyOf({ caller, params: { uid: id } }))
  const { offset } = await receivePart(request, created)
  const location = { location: `/api/component/file_upload/${id}` }
  return { status: 201, headers: { ...location, ...progress(created, offset) }, empty: true }
}

/** Reports the offset of an upload. */
export async function headPartialUpload(request: ItemRequest): Promise<Answer<never>> {
  const { context, headers } = request
  checkVersion(headers)
  const key = keyOf(request)
  const complete = await findUpload(context.database, key)
  if (complete !== undefined) {
    const size = String(complete.sizeBytes)
    return { status: 200, headers: { ...noStore, 'upload-offset': size, 'upload-length': size }, empty: true }
  }
  const upload = await getPartialUpload(context, key)
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
  const { context, headers } = request
  checkVersion(headers)
  checkMediaType(headers)
  const offset = readBytes(headers, 'upload-offset')
  const key = keyOf(request)
  const complete = await findUpload(context.database, key)
  if (complete !== undefined) return appendNothing(complete, { offset, sizeBytes: sizeOf(headers) })
  const upload = await getPartialUpload(context, key)
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

/** Deletes an upload of the caller, complete or not. Tells whether it existed. */
export async function removeUpload(request: KeyedRequest): Promise<boolean> {
  const { database } = request.context
  const isPartial = await deletePartialUpload(database, keyOf(request))
  return (await deleteUpload(database, keyOf(request))) || isPartial
}

/**
 * Returns a complete upload of the caller. Joins the parts if this has not been done.
 *
 * @throws {Problem} upload/incomplete, upload/not-found
 */
export async function getCompleteUpload(request: KeyedRequest): Promise<StoredUpload> {
  const { context } = request
  const key = keyOf(request)
  const complete = await findUpload(context.database, key)
  return complete ?? completeUpload(request, await getPartialUpload(context, key))
}

type KeyedRequest = Pick<ItemRequest, 'context' | 'caller' | 'params'>

/** Returns the upload of a request and its caller: for others than its owner, an upload does not exist. */
const keyOf = ({ caller, params }: Pick<ItemRequest, 'caller' | 'params'>): UploadKey => ({
  id: params.uid,
  userId: caller.id,
})

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
  if (offset === upload.lengthBytes) await completeUpload(request, { ...upload, offsetBytes: offset })
  return { offset }
}

/** Returns the length of a request body by its header; 0 if unknown. */
const sizeOf = (headers: Request['headers']) => Number(headers['content-length'] ?? 0)

const tooLong = (lengthBytes: number) =>
  problem('request/too-large', `The part exceeds the length of the upload, ${lengthBytes} bytes.`)

async function getPartialUpload({ database }: ServerContext, key: UploadKey): Promise<PartialUpload> {
  const upload = await findPartialUpload(database, key, uploadHours)
  if (upload === undefined) throw unknownUpload(key.id)
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

/**
 * Joins the parts of an upload. Safe to repeat after an interruption and to run concurrently.
 *
 * @throws {Problem} upload/incomplete
 */
async function completeUpload(
  { context, caller }: Pick<Request, 'context' | 'caller'>,
  upload: PartialUpload,
): Promise<StoredUpload> {
  const { id, name, mimeType, userId, lengthBytes, offsetBytes } = upload
  if (offsetBytes < lengthBytes) throw incomplete(upload)
  const { database } = context
  const key = { id, userId: caller.id }
  const parts = await listParts(database, id)
  const { digest, sizeBytes } = await join(context, upload, parts)
  const joined = { id, digest, name, mimeType, sizeBytes, userId }
  await database.transaction(async (tx) => {
    if (await deletePartialUpload(tx, key)) await insertUploads(tx, [joined])
  })
  // A concurrent request may have completed or deleted the upload.
  const stored = await findUpload(database, key)
  if (stored === undefined) throw incomplete(upload)
  return stored
}

async function join(
  { blobs }: Pick<ServerContext, 'blobs'>,
  { lengthBytes }: PartialUpload,
  parts: readonly string[],
): Promise<Blob> {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return { digest: only, sizeBytes: lengthBytes }
  return blobs.put(readAll(blobs, parts))
}

async function* readAll(
  blobs: ServerContext['blobs'],
  digests: readonly string[],
): AsyncGenerator<Uint8Array> {
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
