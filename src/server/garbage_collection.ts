import { retentionHours } from '../contract/idempotency.ts'
import { uploadHours } from '../contract/tus.ts'
import { dropOrphans, preparedHours } from '../import/orphaned_tables.ts'
import { deleteOldKeys } from '../store/auth/idempotency_key.ts'
import { deleteOldGuestUploads } from '../store/upload/guest_upload.ts'
import { deleteOldPartialUploads } from '../store/upload/partial_upload.ts'
import { deleteOldPreparedRasters } from '../store/upload/prepared_raster.ts'
import { deleteOldUploads, deleteUnusedBlobs, findExistingBlobs } from '../store/upload/stored_upload.ts'
import type { ServerContext } from './context.ts'

/** How long content that nothing refers to is kept: longer than any transaction takes. */
const graceHours = 1
/** What is kept of requests that came under a key. */
const keyLimits = { hours: retentionHours, keys: 10_000, bytes: 64 * 2 ** 20 }
const sweepEveryMs = 60 * 60_000

/** Forgets old keys and uploads, then deletes content that nothing refers to any more. Gives how much went. */
export async function sweep(
  { database, blobs }: Pick<ServerContext, 'database' | 'blobs'>,
  nowMs: number = Date.now(),
): Promise<{ uploads: number; files: number }> {
  await deleteOldKeys(database, keyLimits)
  await deleteOldGuestUploads(database, uploadHours)
  const partial = await deleteOldPartialUploads(database, uploadHours)
  const uploads = partial + (await deleteOldUploads(database, uploadHours))
  await deleteOldPreparedRasters(database, preparedHours)
  await deleteUnusedBlobs(database, graceHours)
  const oldMs = nowMs - graceHours * 60 * 60_000
  let files = 0
  let batch: string[] = []
  const deleteBatch = async () => {
    // What has a row is referred to, or will be gone from the table after its own grace.
    const known = await findExistingBlobs(database, batch)
    for (const digest of batch.filter((one) => !known.has(one))) {
      await blobs.delete(digest)
      files += 1
    }
    batch = []
  }
  for await (const { digest, modifiedAt } of blobs.list()) {
    // Storing the same content again makes its file young.
    if (modifiedAt.getTime() < oldMs) batch.push(digest)
    if (batch.length >= 500) await deleteBatch()
  }
  await deleteBatch()
  return { uploads, files }
}

/** Sweeps now and every hour, without keeping the process alive, until the returned function is called. */
export function startSweeping(context: ServerContext): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  const run = () => {
    running = dropOrphans(context.database, context)
      .then(() => sweep(context))
      .then(
        ({ uploads, files }) => {
          if (uploads + files > 0) context.log.info({ uploads, files }, 'old uploads were deleted')
        },
        (error: unknown) => context.log.warn({ error }, 'old uploads could not be deleted'),
      )
  }
  run()
  const timer = setInterval(run, sweepEveryMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
