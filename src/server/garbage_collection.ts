import { retentionHours } from '../contract/bodies/idempotency.ts'
import { journalDays } from '../contract/bodies/journal.ts'
import { uploadHours } from '../contract/bodies/tus.ts'
import { dropOrphans, preparedHours } from '../import/orphaned_tables.ts'
import { deleteOldKeys } from '../store/auth/idempotency_key.ts'
import { compactCatalogChanges } from '../store/catalog/catalog_version.ts'
import { deleteOldEntries } from '../store/journal/journal.ts'
import { dropOldData } from '../store/layer/kept_data.ts'
import { forgetDeleted } from '../store/resource/deleted_resource.ts'
import { deleteOldGuestUploads } from '../store/upload/guest_upload.ts'
import { deleteOldPartialUploads } from '../store/upload/partial_upload.ts'
import { deleteOldPreparedRasters } from '../store/upload/prepared_raster.ts'
import { deleteOldUploads, deleteUnusedBlobs, findExistingBlobs } from '../store/upload/stored_upload.ts'
import type { ServerContext } from './context.ts'

/** Retention of unreferenced content; must exceed the duration of any transaction. */
const graceHours = 1
/** Retention of idempotency keys and their stored responses. */
const keyLimits = { hours: retentionHours, keys: 10_000, bytes: 64 * 2 ** 20 }
const intervalMs = 60 * 60_000

/** Where garbage is, and how long data are kept. */
type CollectorContext = Pick<ServerContext, 'database' | 'blobs' | 'keptDataDays' | 'keptDataBytes'>

/** Deletes old keys, uploads and kept data, then unreferenced content. Returns the number of deleted uploads and files. */
export async function collectGarbage(
  { database, blobs, keptDataDays, keptDataBytes }: CollectorContext,
  nowMs: number = Date.now(),
): Promise<{ uploads: number; files: number }> {
  await deleteOldKeys(database, keyLimits)
  await compactCatalogChanges(database)
  await deleteOldEntries(database, journalDays)
  await forgetDeleted(database, journalDays)
  await deleteOldGuestUploads(database, uploadHours)
  const partial = await deleteOldPartialUploads(database, uploadHours)
  const uploads = partial + (await deleteOldUploads(database, uploadHours))
  const days = keptDataDays === 'off' ? 0 : keptDataDays
  await database.transaction((tx) => dropOldData(tx, { days, limitBytes: keptDataBytes }))
  await deleteOldPreparedRasters(database, preparedHours)
  await deleteUnusedBlobs(database, graceHours)
  const oldMs = nowMs - graceHours * 60 * 60_000
  let files = 0
  let batch: string[] = []
  const deleteBatch = async () => {
    // Content with a row is referenced, or its row is deleted first, after the same retention.
    const registered = await findExistingBlobs(database, batch)
    for (const digest of batch.filter((one) => !registered.has(one))) {
      await blobs.delete(digest)
      files += 1
    }
    batch = []
  }
  for await (const { digest, modifiedAt } of blobs.list()) {
    // Storing the same content again updates the modification time of its file.
    if (modifiedAt.getTime() < oldMs) batch.push(digest)
    if (batch.length >= 500) await deleteBatch()
  }
  await deleteBatch()
  return { uploads, files }
}

/** The collection of garbage of a server. */
export interface GarbageCollection {
  /** Resolves when garbage has been collected for the first time. */
  readonly first: Promise<void>
  /** Ends after the collection that runs. */
  stop(): Promise<void>
}

/** Collects garbage now and every hour until it is stopped. Does not keep the process alive. */
export function startGarbageCollection(context: ServerContext): GarbageCollection {
  let running: Promise<void> = Promise.resolve()
  const run = () => {
    running = dropOrphans(context.database, context)
      .then(() => collectGarbage(context))
      .then(
        ({ uploads, files }) => {
          if (uploads + files > 0) context.log.info({ uploads, files }, 'deleted old uploads')
        },
        (error: unknown) => context.log.warn({ error }, 'cannot delete old uploads'),
      )
  }
  run()
  const timer = setInterval(run, intervalMs)
  timer.unref()
  return {
    first: running,
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
