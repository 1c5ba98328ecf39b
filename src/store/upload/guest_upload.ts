import type { Queryable } from '../../database/database.ts'

/** Number and size of uploads. */
export interface UploadAmount {
  readonly uploads: number
  readonly bytes: number
}

/** Uploads of guests within a number of hours. */
export interface GuestUploads {
  /** Hour in which the upload was counted, needed to release it. */
  readonly hour: string
  readonly ofNetwork: UploadAmount
  readonly ofAll: UploadAmount
}

interface SumRow {
  readonly network: string
  readonly uploads: number
  readonly bytes: number
}

/** Key of the sum over all networks. */
const all = ''
const none: UploadAmount = { uploads: 0, bytes: 0 }

const hourSql = "date_trunc('hour', now() at time zone 'utc')"

/** Uploads from a network. */
export interface NetworkAmount {
  readonly network: string
  readonly amount: UploadAmount
}

/**
 * Counts an upload of a guest, and returns the sums within a number of hours. Call it in a transaction: concurrent calls
 * wait for its end, so that each sees all earlier uploads.
 */
export async function countGuestUpload(
  tx: Queryable,
  { network, amount }: NetworkAmount,
  hours: number,
): Promise<GuestUploads> {
  const [counted] = await tx.query<{ hour: string }>(`select ${hourSql} as hour`)
  const hour = counted?.hour ?? ''
  await addAmount(tx, { network, amount }, hour)
  const rows = await tx.query<SumRow>(
    `select network, sum(uploads)::float8 as uploads, sum(bytes)::float8 as bytes from guest_upload
      where network = any($1::text[]) and hour > ${hourSql} - make_interval(hours => $2::int) group by network`,
    [[all, network], hours],
  )
  const sums = new Map(rows.map(({ network: of, ...sum }) => [of, sum]))
  return { hour, ofNetwork: sums.get(network) ?? none, ofAll: sums.get(all) ?? none }
}

/** Subtracts an upload that was not stored from the hour in which it was counted. */
export async function releaseGuestUpload(
  database: Queryable,
  { network, amount: { uploads, bytes } }: NetworkAmount,
  hour: string,
): Promise<void> {
  await addAmount(database, { network, amount: { uploads: -uploads, bytes: -bytes } }, hour)
}

// Always in the same order, which avoids a deadlock.
async function addAmount(
  tx: Queryable,
  { network, amount: { uploads, bytes } }: NetworkAmount,
  hour: string,
): Promise<void> {
  await tx.query(
    `insert into guest_upload (network, hour, uploads, bytes)
     select network, $2::timestamp, $3::bigint, $4::bigint from unnest($1::text[]) as n (network)
     on conflict (network, hour)
     do update set uploads = guest_upload.uploads + excluded.uploads, bytes = guest_upload.bytes + excluded.bytes`,
    [[all, network], hour, uploads, bytes],
  )
}

/** Deletes counts older than a number of hours. */
export async function deleteOldGuestUploads(database: Queryable, hours: number): Promise<void> {
  await database.query(
    `delete from guest_upload where hour <= ${hourSql} - make_interval(hours => $1::int)`,
    [hours],
  )
}
