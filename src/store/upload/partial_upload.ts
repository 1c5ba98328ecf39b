import type { Queryable } from '../../database/database.ts'
import type { Blob } from '../../files/blob_store.ts'
import { type UploadKey, usableBy } from './stored_upload.ts'

/** An incomplete upload. */
export interface PartialUpload {
  /** 32 hexadecimal digits: the id of the upload once it is complete. */
  readonly id: string
  readonly name: string | null
  readonly mimeType: string | null
  /** The client's metadata, unchanged. */
  readonly metadata: string | null
  readonly lengthBytes: number
  /** Number of received bytes. */
  readonly offsetBytes: number
  readonly userId: number | null
  /** Time of creation in milliseconds since 1970. */
  readonly createdMs: number
}

/** An upload to create. */
export type NewPartialUpload = Omit<PartialUpload, 'offsetBytes' | 'createdMs'> & {
  /** Network of the guest who creates it; null for users. */
  readonly network: string | null
}

/** Creates an upload, unless its user, or guests from its network, have reached a limit; returns whether it did. */
export async function insertPartialUpload(
  tx: Queryable,
  upload: NewPartialUpload,
  limit: number,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into partial_upload (id, name, mime_type, metadata, length_bytes, user_id, network)
     select $1, $2, $3, $4, $5::bigint, $6::int, $8
      where (select count(*) from partial_upload
              where user_id is not distinct from $6::int and network is not distinct from $8::text) < $7::int
     returning id`,
    [
      upload.id,
      upload.name,
      upload.mimeType,
      upload.metadata,
      upload.lengthBytes,
      upload.userId,
      limit,
      upload.network,
    ],
  )
  return rows.length > 0
}

/** Finds an incomplete upload that a user may continue, unless it is older than a number of hours. */
export async function findPartialUpload(
  tx: Queryable,
  { id, userId }: UploadKey,
  hours: number,
): Promise<PartialUpload | undefined> {
  const [row] = await tx.query<PartialUpload>(
    `select id, name, mime_type as "mimeType", metadata, length_bytes::float8 as "lengthBytes",
            offset_bytes::float8 as "offsetBytes", user_id as "userId",
            trunc(extract(epoch from created_at) * 1000)::float8 as "createdMs"
       from partial_upload
      where id = $1 and ${usableBy('$3')}
        and created_at > now() at time zone 'utc' - make_interval(hours => $2::int)`,
    [id.replaceAll('-', ''), hours, userId],
  )
  return row
}

/** Stored parts to append at an offset. */
export interface AppendedParts {
  readonly offsetBytes: number
  readonly parts: readonly Blob[]
}

/** Appends parts; returns false without a change if the offset of the upload differs. */
export async function appendParts(
  tx: Queryable,
  id: string,
  { offsetBytes, parts }: AppendedParts,
): Promise<boolean> {
  const size = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const moved = await tx.query(
    `update partial_upload set offset_bytes = offset_bytes + $3::bigint
      where id = $1 and offset_bytes = $2::bigint and offset_bytes + $3::bigint <= length_bytes returning id`,
    [id, offsetBytes, size],
  )
  if (moved.length === 0) return false
  await tx.query(
    `with content as (
       insert into blob (digest, size_bytes)
       select distinct d, s from unnest($3::text[], $4::bigint[]) as p (d, s) order by d
       on conflict (digest) do update set created_at = now() at time zone 'utc')
     insert into upload_part (upload_id, offset_bytes, digest)
     select $1, $2::bigint + sum(s) over (order by place) - s, d
       from unnest($3::text[], $4::bigint[]) with ordinality as p (d, s, place)`,
    [id, offsetBytes, parts.map(({ digest }) => digest), parts.map(({ sizeBytes }) => sizeBytes)],
  )
  return true
}

/** Lists the digests of the parts of an upload, in order. */
export async function listParts(tx: Queryable, id: string): Promise<string[]> {
  const rows = await tx.query<{ digest: string }>(
    'select digest from upload_part where upload_id = $1 order by offset_bytes',
    [id],
  )
  return rows.map(({ digest }) => digest)
}

/** Deletes an incomplete upload that a user may continue; returns whether it existed. */
export async function deletePartialUpload(tx: Queryable, { id, userId }: UploadKey): Promise<boolean> {
  const rows = await tx.query(`delete from partial_upload where id = $1 and ${usableBy('$2')} returning id`, [
    id.replaceAll('-', ''),
    userId,
  ])
  return rows.length > 0
}

/** Deletes incomplete uploads older than a number of hours. Returns their number. */
export async function deleteOldPartialUploads(database: Queryable, hours: number): Promise<number> {
  const rows = await database.query(
    `delete from partial_upload where created_at <= now() at time zone 'utc' - make_interval(hours => $1::int)
     returning id`,
    [hours],
  )
  return rows.length
}
