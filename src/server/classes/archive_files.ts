import { readArchive } from '../../files/archive.ts'
import type { ResourceFile } from '../../store/classes/resource_file.ts'
import type { ServerContext } from '../context.ts'
import { mediaTypeOf } from '../http/media_type.ts'
import { getUpload, type NamedUpload } from '../upload/upload_text.ts'
import type { Prepared } from './behaviour.ts'

/** Files that were taken out of an archive before the transaction of a request. */
export interface UnpackedFiles extends Prepared {
  readonly files: readonly ResourceFile[]
}

/** Tells whether a request brought an archive along. */
export function isUnpacked(prepared: unknown): prepared is UnpackedFiles {
  return typeof prepared === 'object' && prepared !== null && 'files' in prepared
}

interface Unpacking extends NamedUpload {
  readonly context: ServerContext
  readonly signal: AbortSignal
}

/**
 * Takes the files out of an uploaded ZIP archive and stores their content. Where the request fails, the content stands
 * without a row, and is swept away like that of any upload that nobody used.
 *
 * @throws {Problem} upload/not-found, source/unreadable, files/full
 */
export async function unpackFiles({ context, signal, ...named }: Unpacking): Promise<UnpackedFiles> {
  const { database, blobs, uploadLimitBytes } = context
  const { digest } = await getUpload(database, named)
  const files: ResourceFile[] = []
  const limitBytes = 4 * uploadLimitBytes
  await readArchive(await blobs.localPath(digest), { limitBytes, signal }, async (name, content) => {
    files.push({ name, mimeType: mediaTypeOf(name), ...(await blobs.put(content)) })
  })
  return { files, discard: async () => undefined }
}
