import { createPreview } from '../../render/image_preview.ts'
import { type Attachment, copyPreview, writePreview } from '../../store/attachment/attachment.ts'
import type { ServerContext } from '../context.ts'

/** What previews are made with. */
type Maker = Pick<ServerContext, 'database' | 'blobs' | 'log'>

/**
 * Makes and keeps the preview of what was attached. Content that is no picture is marked as such.
 *
 * @throws {Problem} files/full, database/*
 */
export async function keepPreview({ database, blobs }: Omit<Maker, 'log'>, digest: string): Promise<void> {
  if (await copyPreview(database, digest)) return
  const preview = await createPreview(await blobs.localPath(digest))
  const blob = preview === undefined ? null : await blobs.put(once(preview.bytes))
  await database.transaction((tx) => writePreview(tx, digest, blob))
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * Makes the previews of all content that was attached, each once, after its transaction: a picture may take a while.
 * One that cannot be made now is made when somebody asks for it.
 */
export async function keepPreviews(maker: Maker, digests: Iterable<string>): Promise<void> {
  for (const digest of new Set(digests)) {
    await keepPreview(maker, digest).catch((error: unknown) =>
      maker.log.warn({ error, digest }, 'the preview of an attachment could not be made'),
    )
  }
}

/** Reads the kept preview of an attachment; undefined where it has none. */
export async function readPreview(
  { blobs }: Pick<ServerContext, 'blobs'>,
  { previewDigest }: Pick<Attachment, 'previewDigest'>,
): Promise<Buffer | undefined> {
  if (previewDigest === null) return undefined
  return Buffer.concat(await Array.fromAsync(blobs.read(previewDigest)))
}
