import { problem } from '../../contract/problems.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Queryable } from '../../database/database.ts'
import { findUpload, type StoredUpload } from '../../store/upload/stored_upload.ts'
import type { ServerContext } from '../context.ts'
import { invalidAt } from '../http/invalid_request.ts'

/** An upload that a body names. */
export interface NamedUpload {
  readonly id: string
  /** Where the body names it. */
  readonly pointer: Pointer
}

/**
 * Gets the upload that a body names.
 *
 * @throws {Problem} upload/not-found
 */
export async function getUpload(tx: Queryable, { id, pointer }: NamedUpload): Promise<StoredUpload> {
  const upload = await findUpload(tx, id)
  if (upload !== undefined) return upload
  throw uploadNotFound({ id, pointer })
}

/** An upload that a body names and that is not there. */
export function uploadNotFound({ id, pointer }: NamedUpload) {
  return problem('upload/not-found', `there is no upload ${JSON.stringify(id)}`, {
    data: { location: ['body', joinPointer(pointer, 'id')] },
  })
}

/** An uploaded text file. */
export interface UploadedText extends Pick<StoredUpload, 'digest' | 'sizeBytes'> {
  /** Where the body names it. */
  readonly pointer: Pointer
  /** Most bytes it may have. */
  readonly limitBytes: number
}

/**
 * Reads an uploaded text file whole, its byte order mark included: encoded as UTF-8, the text is the file again.
 *
 * @throws {Problem} request/invalid where it is too large, or no text in UTF-8
 */
export async function readUploadText(
  { blobs }: Pick<ServerContext, 'blobs'>,
  { digest, sizeBytes, pointer, limitBytes }: UploadedText,
): Promise<string> {
  if (sizeBytes > limitBytes)
    throw invalidAt(pointer, `the file has ${sizeBytes} bytes, more than ${limitBytes}`)
  const chunks: Uint8Array[] = []
  for await (const chunk of blobs.read(digest)) chunks.push(chunk)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
  } catch {
    throw invalidAt(pointer, 'the file is no text in UTF-8')
  }
}
