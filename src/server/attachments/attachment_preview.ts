import { createPreview } from '../../render/image_preview.ts'
import { type Attachment, copyPreview, writePreview } from '../../store/attachment/attachment.ts'
import type { ServerContext } from '../context.ts'

/** Parts of the context that creating previews needs. */
type PreviewContext = Pick<ServerContext, 'database' | 'blobs' | 'log'>

/**
 * Creates and stores the preview of an attachment. Marks content that is not an image.
 *
 * @throws {Problem} files/full, database/*
 */
export async function storePreview(
  { database, blobs }: Omit<PreviewContext, 'log'>,
  digest: string,
): Promise<void> {
  if (await copyPreview(database, digest)) return
  const preview = await createPreview(await blobs.localPath(digest))
  const blob = preview === undefined ? null : await blobs.put(once(preview.bytes))
  await database.transaction((tx) => writePreview(tx, digest, blob))
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * Creates the previews of new attachments after their transaction, since they may take a while. A preview that fails is
 * created on the first request for it.
 */
export async function storePreviews(context: PreviewContext, digests: Iterable<string>): Promise<void> {
  for (const digest of new Set(digests)) {
    await storePreview(context, digest).catch((error: unknown) =>
      context.log.warn({ error, digest }, 'cannot create the preview of an attachment'),
    )
  }
}

/** Reads the stored preview of an attachment; undefined if it has none. */
export async function readPreview(
  { blobs }: Pick<ServerContext, 'blobs'>,
  { previewDigest }: Pick<Attachment, 'previewDigest'>,
): Promise<Buffer | undefined> {
  if (previewDigest === null) return undefined
  return Buffer.concat(await Array.fromAsync(blobs.read(previewDigest)))
}
