import { readArchive } from '../../files/archive.ts'
import type { ResourceFile } from '../../store/classes/resource_file.ts'
import type { Caller } from '../auth/caller.ts'
import type { ServerContext } from '../context.ts'
import { mediaTypeOf } from '../http/media_type.ts'
import { getUpload, type NamedUpload } from '../upload/upload_text.ts'
import type { Prepared } from './behaviour.ts'

/** Files extracted from an archive before the transaction of a request. */
export interface UnpackedFiles extends Prepared {
  readonly files: readonly ResourceFile[]
}

/** Tells whether what was prepared for a request is an extracted archive. */
export function isUnpacked(prepared: unknown): prepared is UnpackedFiles {
  return typeof prepared === 'object' && prepared !== null && 'files' in prepared
}

interface Unpacking extends NamedUpload {
  readonly context: ServerContext
  readonly caller: Caller
  readonly signal: AbortSignal
}

/**
 * Extracts an uploaded ZIP archive and stores the content of its files. If the request fails, no row refers to the
 * content, and garbage collection deletes it like an unused upload.
 *
 * @throws {Problem} upload/not-found, source/unreadable, files/full
 */
export async function unpackFiles({ context, caller, signal, ...named }: Unpacking): Promise<UnpackedFiles> {
  const { database, blobs, uploadLimitBytes } = context
  const { digest } = await getUpload(database, { ...named, userId: caller.id })
  const files: ResourceFile[] = []
  const limitBytes = 4 * uploadLimitBytes
  await readArchive(await blobs.localPath(digest), { limitBytes, signal }, async (name, content) => {
    files.push({ name, mimeType: mediaTypeOf(name), ...(await blobs.put(content)) })
  })
  return { files, discard: async () => undefined }
}
