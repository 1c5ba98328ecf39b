import { basename } from 'node:path/posix'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { NewAttachment } from '../../store/attachment/attachment.ts'
import type { StoredUpload } from '../../store/upload/stored_upload.ts'
import type { ApiRequest } from '../http/handler.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { anyMediaType, isMediaType, mediaTypeOf } from '../http/media_type.ts'
import { uploadNotFound } from '../upload/upload_text.ts'

/** An attachment in a request. */
export type AttachmentBody = ApiRequest<'attachment.create'>['body']

/** Where a request adds an attachment, and the uploads that it refers to. */
export interface EntryPlace {
  readonly featureId: number
  readonly pointer: Pointer
  readonly uploads: ReadonlyMap<string, StoredUpload>
}

/**
 * Creates an attachment from an upload.
 *
 * @throws {Problem} upload/not-found; request/invalid for a bad name or media type
 */
export function newAttachment(body: AttachmentBody, place: EntryPlace): NewAttachment {
  const { featureId, pointer, uploads } = place
  const { id } = body.file_upload
  const upload = uploads.get(id)
  if (upload === undefined) throw uploadNotFound({ id, pointer: joinPointer(pointer, 'file_upload') })
  // Upload names may contain a path; attachment names may not.
  const name = body.name ?? basename((upload.name ?? '').replaceAll('\\', '/'))
  if (name === '') throw invalidAt(joinPointer(pointer, 'name'), 'the upload has no name', 'Add "name".')
  checkAttachmentName(name, joinPointer(pointer, 'name'))
  const mimeType = readMediaType(body, { name, upload, pointer })
  return { featureId, name, mimeType, description: body.description ?? null, digest: upload.digest }
}

interface NamedUpload {
  readonly name: string
  readonly upload: StoredUpload
  readonly pointer: Pointer
}

function readMediaType({ mime_type: given }: AttachmentBody, { name, upload, pointer }: NamedUpload): string {
  if (given != null && given !== '' && !isMediaType(given))
    throw invalidAt(joinPointer(pointer, 'mime_type'), `${JSON.stringify(given)} is not a media type`)
  const named = [given, upload.mimeType].find(
    (type) => type != null && isMediaType(type) && type !== anyMediaType,
  )
  return named ?? mediaTypeOf(name)
}

/**
 * Checks that a file name is valid on every client.
 *
 * @throws {Problem} request/invalid
 */
export function checkAttachmentName(name: string, pointer: Pointer): void {
  const fault = findFault(name)
  if (fault !== undefined) throw invalidAt(pointer, `the file name ${JSON.stringify(name)} ${fault}`)
}

function findFault(name: string): string | undefined {
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'has control characters'
  if (/[/\\]/.test(name)) return 'has a slash'
  if (name.trim() === '' || name === '.' || name === '..') return 'is not a file name'
  return Buffer.byteLength(name) > 255 ? 'is longer than 255 bytes' : undefined
}
