import { uploadHours } from '../../contract/bodies/tus.ts'
import { guestUploadLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import {
  countGuestUpload,
  type GuestUploads,
  releaseGuestUpload,
  type UploadAmount,
} from '../../store/upload/guest_upload.ts'
import { networkOf } from '../auth/client_address.ts'
import type { ApiRequest } from '../http/handler.ts'

/** Maximum number of bytes to reserve ahead. */
const stepBytes = 16 * 2 ** 20

type Sender = Pick<ApiRequest, 'context' | 'caller' | 'address'>

/** Returns the network of a guest; undefined for users. */
export function guestNetworkOf({ caller, address }: Pick<Sender, 'caller' | 'address'>): string | undefined {
  return caller.isGuest ? networkOf(address) : undefined
}

/**
 * Counts an upload that a guest starts. Uploading needs no permission, so the quota keeps guests from filling the disk.
 * Users have no quota.
 *
 * @throws {Problem} upload/guests if guests from the network, or all guests, have reached their daily quota
 */
export async function countGuestUploadStart(sender: Sender): Promise<void> {
  const network = guestNetworkOf(sender)
  if (network !== undefined) await count(sender, network, { uploads: 1, bytes: 0 })
}

/**
 * Passes an upload through and counts it towards the quota of guests. An upload that fails is not counted.
 *
 * @param uploads number of uploads to count in addition to the bytes
 * @throws {Problem} upload/guests
 */
export async function* withinGuestQuota(
  sender: Sender,
  content: AsyncIterable<Uint8Array>,
  uploads: 0 | 1,
): AsyncGenerator<Uint8Array> {
  const network = guestNetworkOf(sender)
  if (network === undefined) return yield* content
  const reservation = new QuotaReservation(sender, network)
  if (uploads > 0) await reservation.reserve({ uploads, bytes: 0 })
  try {
    for await (const chunk of content) {
      await reservation.receive(chunk.length)
      yield chunk
    }
    reservation.commit(uploads)
  } finally {
    await reservation.release()
  }
}

/** Reserves quota for one upload, in steps ahead of the received bytes. */
class QuotaReservation {
  readonly #sender: Sender
  readonly #network: string
  /** Reserved amounts by hour. */
  readonly #reserved: { readonly hour: string; amount: UploadAmount }[] = []
  #reservedBytes = 0
  #receivedBytes = 0
  #committed: UploadAmount = { uploads: 0, bytes: 0 }

  constructor(sender: Sender, network: string) {
    this.#sender = sender
    this.#network = network
  }

  async reserve(amount: UploadAmount): Promise<void> {
    const { hour } = await count(this.#sender, this.#network, amount)
    this.#reserved.push({ hour, amount })
    this.#reservedBytes += amount.bytes
  }

  /** Counts received bytes and reserves more if necessary. */
  async receive(bytes: number): Promise<void> {
    this.#receivedBytes += bytes
    if (this.#receivedBytes <= this.#reservedBytes) return
    // A fraction of the quota, so that one step does not use up a small quota.
    const step = Math.min(stepBytes, Math.ceil(this.#sender.context.guestUploadBytes / 64))
    await this.reserve({ uploads: 0, bytes: Math.max(step, this.#receivedBytes - this.#reservedBytes) })
  }

  /** Confirms all received bytes. */
  commit(uploads: number): void {
    this.#committed = { uploads, bytes: this.#receivedBytes }
  }

  /** Releases the reserved amounts that were not committed. */
  async release(): Promise<void> {
    let { uploads, bytes } = this.#committed
    for (const { hour, amount } of this.#reserved) {
      const used = { uploads: Math.min(uploads, amount.uploads), bytes: Math.min(bytes, amount.bytes) }
      uploads -= used.uploads
      bytes -= used.bytes
      const unused = { uploads: amount.uploads - used.uploads, bytes: amount.bytes - used.bytes }
      if (unused.uploads + unused.bytes === 0) continue
      await releaseGuestUpload(
        this.#sender.context.database,
        { network: this.#network, amount: unused },
        hour,
      )
    }
  }
}

/** Counts an amount, unless it exceeds the quota. */
function count({ context }: Sender, network: string, amount: UploadAmount): Promise<GuestUploads> {
  return context.database.transaction(async (tx) => {
    const counted = await countGuestUpload(tx, { network, amount }, uploadHours)
    const { uploads, networks } = guestUploadLimits
    const bytes = context.guestUploadBytes
    checkAmount(counted.ofNetwork, { uploads, bytes }, `Guests from ${network}`)
    checkAmount(counted.ofAll, { uploads: networks * uploads, bytes: networks * bytes }, 'Guests')
    return counted
  })
}

function checkAmount(amount: UploadAmount, limit: UploadAmount, who: string): void {
  if (amount.uploads > limit.uploads)
    throw quotaExceeded(`${who} have uploaded ${limit.uploads} files within ${uploadHours} hours, the limit.`)
  if (amount.bytes > limit.bytes)
    throw quotaExceeded(
      `${who} would have uploaded ${amount.bytes} bytes within ${uploadHours} hours; the limit is ${limit.bytes}.`,
    )
}

const quotaExceeded = (message: string) => problem('upload/guests', message, { data: { retry_after: 3600 } })
