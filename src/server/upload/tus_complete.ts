import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import type { Blob } from '../../files/blob_store.ts'
import { deletePartialUpload, listParts, type PartialUpload } from '../../store/upload/partial_upload.ts'
import { findUpload, insertUploads, type StoredUpload } from '../../store/upload/stored_upload.ts'
import type { ServerContext } from '../context.ts'

type Keeper = Pick<ServerContext, 'database' | 'blobs'>

/**
 * Makes an upload of one whose parts are all here. May be done again where it was interrupted, and by several at once.
 *
 * @throws {Problem} upload/incomplete
 */
export async function completeUpload(keeper: Keeper, upload: PartialUpload): Promise<StoredUpload> {
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
