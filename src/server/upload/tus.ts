import { randomUUID } from 'node:crypto'
import { problem } from '../../contract/problems.ts'
import { tus, uploadHours } from '../../contract/tus.ts'
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
import { countGuestBeginning, guestNetworkOf, withinGuestQuota } from './guest_upload_quota.ts'
import { checkMediaType, checkVersion, readBytes, readChecksum, readMetadata } from './tus_protocol.ts'
import { outOfPlace, receive } from './tus_receive.ts'

/** Most uploads that one user, or guests from one network, may have begun and not ended. */
const mostUnfinished = 1000

type Request = Pick<ApiRequest, 'context' | 'caller' | 'address' | 'headers' | 'raw'>
type ItemRequest = Request & { readonly params: { readonly uid: string } }

/**
 * Begins an upload that comes in parts; the first part may come along.
 *
 * @throws {Problem} upload/version, request/bad-header, request/too-large, upload/too-many, upload/guests, and those
 *   of a part
 */
export async function createPartialUpload(request: Request): Promise<Answer<never>> {
  const { context, caller, headers } = request
  checkVersion(headers)
  const lengthBytes = readBytes(headers, 'upload-length')
  if (lengthBytes > context.uploadLimitBytes)
    throw problem('request/too-large', `The file is larger than ${context.uploadLimitBytes} bytes.`)
  await countGuestBeginning(request)
  const id = randomUUID().replaceAll('-', '')
  const network = guestNetworkOf(request) ?? null
  const upload = { id, ...readMetadata(headers), lengthBytes, userId: caller.id, network }
  if (!(await insertPartialUpload(context.database, upload, mostUnfinished)))
    throw problem('upload/too-many', `${mostUnfinished} uploads were begun and not ended.`)
  const begun = await getPartialUpload(context, id)
  const { offset } = await take(request, begun)
  const location = { location: `/api/component/file_upload/${id}` }
  return { status: 201, headers: { ...location, ...progress(begun, offset) }, empty: true }
}

/** Says how much of an upload is here. */
export async function headPartialUpload(request: ItemRequest): Promise<Answer<never>> {
  const { context, headers, params } = request
  checkVersion(headers)
  const whole = await findUpload(context.database, params.uid)
  if (whole !== undefined) {
    const size = String(whole.sizeBytes)
    return { status: 200, headers: { ...unkept, 'upload-offset': size, 'upload-length': size }, empty: true }
  }
  const upload = await getPartialUpload(context, params.uid)
  const told: Record<string, string> = { ...progress(upload, upload.offsetBytes) }
  if (upload.metadata !== null) told['upload-metadata'] = upload.metadata
  return { status: 200, headers: { ...told, 'upload-length': String(upload.lengthBytes) }, empty: true }
}

/**
 * Takes a part of an upload; with the last one the upload is like any other.
 *
 * @throws {Problem} upload/version, upload/media-type, request/bad-header, upload/not-found, upload/offset,
 *   request/too-large, upload/checksum, upload/guests, request/aborted
 */
export async function appendToUpload(request: ItemRequest): Promise<Answer<never>> {
  const { context, headers, params } = request
  checkVersion(headers)
  checkMediaType(headers)
  const offset = readBytes(headers, 'upload-offset')
  const whole = await findUpload(context.database, params.uid)
  if (whole !== undefined) return appendNothing(whole, { offset, sizeBytes: sizeOf(headers) })
  const upload = await getPartialUpload(context, params.uid)
  if (upload.offsetBytes !== offset) throw outOfPlace(upload.id, offset)
  const taken = await take(request, upload)
  return { status: 204, headers: progress(upload, taken.offset), empty: true }
}

/** A client whose last part was answered by nobody may come again with nothing. */
function appendNothing(
  { id, sizeBytes }: StoredUpload,
  part: { readonly offset: number; readonly sizeBytes: number },
): Answer<never> {
  if (part.offset !== sizeBytes) throw outOfPlace(id, part.offset)
  if (part.sizeBytes > 0) throw tooLong(sizeBytes)
  return { status: 204, headers: { ...unkept, 'upload-offset': String(sizeBytes) }, empty: true }
}

/** Forgets an upload, whole or not. Tells whether there was one. */
export async function forgetUpload({ database }: ServerContext, id: string): Promise<boolean> {
  const isPartial = await deletePartialUpload(database, id)
  return (await deleteUpload(database, id)) || isPartial
}

/**
 * Finds an upload that is complete, or whose parts are all here.
 *
 * @throws {Problem} upload/incomplete, upload/not-found
 */
export async function getWholeUpload(context: ServerContext, id: string): Promise<StoredUpload> {
  const whole = await findUpload(context.database, id)
  return whole ?? completeUpload(context, await getPartialUpload(context, id))
}

async function take(request: Request, upload: PartialUpload): Promise<{ offset: number }> {
  const { context, headers, raw } = request
  if (sizeOf(headers) > upload.lengthBytes - upload.offsetBytes) throw tooLong(upload.lengthBytes)
  const isSent = headers['content-type'] === tus.mediaType
  const offset = isSent
    ? await receive(context, upload, {
        raw,
        checksum: readChecksum(headers),
        limit: (content) => withinGuestQuota(request, content, 0),
      })
    : upload.offsetBytes
  if (offset === upload.lengthBytes) await completeUpload(context, { ...upload, offsetBytes: offset })
  return { offset }
}

/** What a request says that its body has; nothing where it does not say. */
const sizeOf = (headers: Request['headers']) => Number(headers['content-length'] ?? 0)

const tooLong = (lengthBytes: number) =>
  problem('request/too-large', `The part goes beyond the ${lengthBytes} bytes of the upload.`)

async function getPartialUpload({ database }: ServerContext, id: string): Promise<PartialUpload> {
  const upload = await findPartialUpload(database, id, uploadHours)
  if (upload === undefined) throw unknownUpload(id)
  return upload
}

/** An upload that does not exist, or not any more. */
export function unknownUpload(id: string) {
  return problem('upload/not-found', `There is no upload ${id}.`, { status: 404, data: { upload: id } })
}

const unkept = { 'cache-control': 'no-store' }

function progress({ createdMs }: PartialUpload, offset: number): Record<string, string> {
  const end = new Date(createdMs + uploadHours * 3_600_000)
  return { ...unkept, 'upload-offset': String(offset), 'upload-expires': end.toUTCString() }
}

type Keeper = Pick<ServerContext, 'database' | 'blobs'>

/**
 * Makes an upload of one whose parts are all here. May be done again where it was interrupted, and by several at once.
 *
 * @throws {Problem} upload/incomplete
 */
async function completeUpload(keeper: Keeper, upload: PartialUpload): Promise<StoredUpload> {
  const { id, name, mimeType, userId, lengthBytes, offsetBytes } = upload
  if (offsetBytes < lengthBytes) throw incomplete(upload)
  const { database } = keeper
  const parts = await listParts(database, id)
  const { digest, sizeBytes } = await join(keeper, upload, parts)
  const whole = { id, digest, name, mimeType, sizeBytes, userId }
  await database.transaction(async (tx) => {
    if (await deletePartialUpload(tx, id)) await insertUploads(tx, [whole])
  })
  // Another request may have been faster, or have deleted it.
  const stored = await findUpload(database, id)
  if (stored === undefined) throw incomplete(upload)
  return stored
}

async function join(
  { blobs }: Pick<Keeper, 'blobs'>,
  { lengthBytes }: PartialUpload,
  parts: readonly string[],
): Promise<Blob> {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return { digest: only, sizeBytes: lengthBytes }
  return blobs.put(readAll(blobs, parts))
}

async function* readAll(blobs: Keeper['blobs'], digests: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const digest of digests) yield* blobs.read(digest)
}

function incomplete({ id, offsetBytes, lengthBytes }: PartialUpload) {
  return problem(
    'upload/incomplete',
    `Of the upload ${id}, ${offsetBytes} of ${countOf(lengthBytes, 'byte')} are here.`,
    {
      data: { upload: id, offset: offsetBytes, length: lengthBytes },
    },
  )
}
