import { guestUploadLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { uploadHours } from '../../contract/tus.ts'
import {
  countGuestUpload,
  type GuestUploads,
  releaseGuestUpload,
  type UploadAmount,
} from '../../store/upload/guest_upload.ts'
import { networkOf } from '../auth/client_address.ts'
import type { ApiRequest } from '../http/handler.ts'

/** Most bytes that are counted before they come. */
const stepBytes = 16 * 2 ** 20

type Sender = Pick<ApiRequest, 'context' | 'caller' | 'address'>

/** Gives the network that a guest comes from; undefined for users. */
export function guestNetworkOf({ caller, address }: Pick<Sender, 'caller' | 'address'>): string | undefined {
  return caller.isGuest ? networkOf(address) : undefined
}

/**
 * Counts an upload that a guest begins. Everybody may upload: without a quota, somebody could fill the disk of a server
 * that lets nobody in. Users have none.
 *
 * @throws {Problem} upload/guests where guests from the network, or all of them, have uploaded too much within a day
 */
export async function countGuestBeginning(sender: Sender): Promise<void> {
  const network = guestNetworkOf(sender)
  if (network !== undefined) await count(sender, network, { uploads: 1, bytes: 0 })
}

/**
 * Gives on what somebody uploads, as long as it is within the quota of guests. What does not come to its end is not
 * counted.
 *
 * @param uploads how many uploads it is, beside its bytes
 * @throws {Problem} upload/guests
 */
export async function* withinGuestQuota(
  sender: Sender,
  content: AsyncIterable<Uint8Array>,
  uploads: 0 | 1,
): AsyncGenerator<Uint8Array> {
  const network = guestNetworkOf(sender)
  if (network === undefined) return yield* content
  const counter = new Counter(sender, network)
  if (uploads > 0) await counter.add({ uploads, bytes: 0 })
  try {
    for await (const chunk of content) {
      await counter.take(chunk.length)
      yield chunk
    }
    counter.keep(uploads)
  } finally {
    await counter.giveBack()
  }
}

/** Counts what comes of one upload, in steps that are counted before they come. */
class Counter {
  readonly #sender: Sender
  readonly #network: string
  /** What was counted, by the hour. */
  readonly #counted: { readonly hour: string; amount: UploadAmount }[] = []
  #countedBytes = 0
  #bytes = 0
  #kept: UploadAmount = { uploads: 0, bytes: 0 }

  constructor(sender: Sender, network: string) {
    this.#sender = sender
    this.#network = network
  }

  async add(amount: UploadAmount): Promise<void> {
    const { hour } = await count(this.#sender, this.#network, amount)
    this.#counted.push({ hour, amount })
    this.#countedBytes += amount.bytes
  }

  /** Takes bytes that have come. */
  async take(bytes: number): Promise<void> {
    this.#bytes += bytes
    if (this.#bytes <= this.#countedBytes) return
    // Small quotas are not used up by the step alone.
    const step = Math.min(stepBytes, Math.ceil(this.#sender.context.guestUploadBytes / 64))
    await this.add({ uploads: 0, bytes: Math.max(step, this.#bytes - this.#countedBytes) })
  }

  /** Says that all that was taken is kept. */
  keep(uploads: number): void {
    this.#kept = { uploads, bytes: this.#bytes }
  }

  /** Takes back what was counted and is not kept. */
  async giveBack(): Promise<void> {
    let { uploads, bytes } = this.#kept
    for (const { hour, amount } of this.#counted) {
      const left = { uploads: Math.min(uploads, amount.uploads), bytes: Math.min(bytes, amount.bytes) }
      uploads -= left.uploads
      bytes -= left.bytes
      const back = { uploads: amount.uploads - left.uploads, bytes: amount.bytes - left.bytes }
      if (back.uploads + back.bytes === 0) continue
      await releaseGuestUpload(this.#sender.context.database, { network: this.#network, amount: back }, hour)
    }
  }
}

/** Counts, unless it were too much. */
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
    throw refused(`${who} have uploaded ${limit.uploads} files within ${uploadHours} hours, the limit.`)
  if (amount.bytes > limit.bytes)
    throw refused(
      `${who} would have uploaded ${amount.bytes} bytes within ${uploadHours} hours; the limit is ${limit.bytes}.`,
    )
}

const refused = (message: string) => problem('upload/guests', message, { data: { retry_after: 3600 } })
