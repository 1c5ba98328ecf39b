import { problem } from '../../contract/problems.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Queryable } from '../../database/database.ts'
import {
  findUpload,
  lockUploads,
  type StoredUpload,
  type UploadKey,
} from '../../store/upload/stored_upload.ts'
import type { Caller } from '../auth/caller.ts'
import type { ServerContext } from '../context.ts'
import { invalidAt } from '../http/invalid_request.ts'

/** Reference to an upload in a request body. */
export interface NamedUpload {
  readonly id: string
  /** Location in the body. */
  readonly pointer: Pointer
}

/**
 * Finds the upload of the caller that a request body refers to.
 *
 * @throws {Problem} upload/not-found
 */
export async function getUpload(
  tx: Queryable,
  { id, pointer, userId }: NamedUpload & Pick<UploadKey, 'userId'>,
): Promise<StoredUpload> {
  const upload = await findUpload(tx, { id, userId })
  if (upload !== undefined) return upload
  throw uploadNotFound({ id, pointer })
}

/** Finds the uploads of the caller that the changes of a request refer to, by id, and locks them. */
export function lockUploadsOf(
  tx: Queryable,
  [first]: readonly { readonly caller: Caller }[],
  ids: readonly string[],
): Promise<Map<string, StoredUpload>> {
  return lockUploads(tx, { ids, userId: first?.caller.id ?? 0 })
}

/** Creates the error for a reference to an upload that does not exist. */
export function uploadNotFound({ id, pointer }: NamedUpload) {
  return problem('upload/not-found', `there is no upload ${JSON.stringify(id)}`, {
    data: { location: ['body', joinPointer(pointer, 'id')] },
  })
}

/** An uploaded text file. */
export interface UploadedText extends Pick<StoredUpload, 'digest' | 'sizeBytes'> {
  /** Location in the body. */
  readonly pointer: Pointer
  /** Maximum size. */
  readonly limitBytes: number
}

/**
 * Reads an uploaded text file, including its byte order mark, so that encoding the string gives the same file.
 *
 * @throws {Problem} request/invalid if it is too large or not UTF-8
 */
export async function readUploadText(
  { blobs }: Pick<ServerContext, 'blobs'>,
  { digest, sizeBytes, pointer, limitBytes }: UploadedText,
): Promise<string> {
  if (sizeBytes > limitBytes)
    throw invalidAt(pointer, `the file has ${sizeBytes} bytes; the limit is ${limitBytes}`)
  const chunks: Uint8Array[] = []
  for await (const chunk of blobs.read(digest)) chunks.push(chunk)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
  } catch {
    throw invalidAt(pointer, 'the file is not UTF-8 text')
  }
}
