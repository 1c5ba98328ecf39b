import { problem } from '../contract/problems.ts'
import { perDatabase } from '../database/per_database.ts'
import { sumUploads } from '../store/upload_sum.ts'
import type { ApiRequest } from './handler.ts'

/** What all guests together may have here at a time: uploads, and bytes as so many of the largest upload there may be. */
const most = { uploads: 10_000, largest: 4 }

/** So much of a file comes before there is another look at what the others have sent meanwhile. */
const lookEveryBytes = 16 * 2 ** 20

/** Bytes that guests are sending, which belong to no upload yet. */
const comingTo = perDatabase(() => ({ bytes: 0 }))

type Sender = Pick<ApiRequest, 'context' | 'caller'>

/**
 * Refuses what guests send once they have sent as much as there is room for. Everybody may upload, so that somebody
 * could fill the disk of a server that lets nobody in.
 *
 * @throws {Problem} upload/guests
 */
export async function checkGuestRoom({ context, caller }: Sender): Promise<void> {
  if (!caller.isGuest) return
  const { database, uploadLimitBytes } = context
  const { count, sizeBytes } = await sumUploads(database, caller.id)
  const hereBytes = sizeBytes + comingTo(database).bytes
  if (count < most.uploads && hereBytes < most.largest * uploadLimitBytes) return
  throw problem('upload/guests', `Guests have uploaded ${count} files of ${hereBytes} bytes within a day.`)
}

/**
 * Gives on what somebody sends, as long as there is room for what guests send.
 *
 * @throws {Problem} upload/guests
 */
export async function* withinGuestRoom(
  sender: Sender,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  await checkGuestRoom(sender)
  const all = comingTo(sender.context.database)
  let own = 0
  let lookAt = lookEveryBytes
  try {
    for await (const chunk of content) {
      if (sender.caller.isGuest) {
        own += chunk.length
        all.bytes += chunk.length
      }
      if (own >= lookAt) {
        await checkGuestRoom(sender)
        lookAt = own + lookEveryBytes
      }
      yield chunk
    }
  } finally {
    all.bytes -= own
  }
}
