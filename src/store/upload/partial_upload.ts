import type { Queryable } from '../../database/database.ts'
import type { Blob } from '../../files/blob_store.ts'

/** An upload of which parts are missing. */
export interface PartialUpload {
  /** 32 hexadecimal digits: the id of the upload once it is complete. */
  readonly id: string
  readonly name: string | null
  readonly mimeType: string | null
  /** What the client said of it, as it said it. */
  readonly metadata: string | null
  readonly lengthBytes: number
  /** How much of it is here. */
  readonly offsetBytes: number
  readonly userId: number | null
  /** When it was begun, in milliseconds since 1970. */
  readonly createdMs: number
}

/** An upload that begins. */
export type NewPartialUpload = Omit<PartialUpload, 'offsetBytes' | 'createdMs'> & {
  /** Where the guest comes from who begins it; null for users. */
  readonly network: string | null
}

/** Begins an upload, unless its user, or guests from its network, have so many already; tells whether it did. */
export async function insertPartialUpload(
  tx: Queryable,
  upload: NewPartialUpload,
  most: number,
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
      most,
      upload.network,
    ],
  )
  return rows.length > 0
}

/** Finds an upload of which parts are missing, by its id; not one that is older than a number of hours. */
export async function findPartialUpload(
  tx: Queryable,
  id: string,
  hours: number,
): Promise<PartialUpload | undefined> {
  const [row] = await tx.query<PartialUpload>(
    `select id, name, mime_type as "mimeType", metadata, length_bytes::float8 as "lengthBytes",
            offset_bytes::float8 as "offsetBytes", user_id as "userId",
            trunc(extract(epoch from created_at) * 1000)::float8 as "createdMs"
       from partial_upload
      where id = $1 and created_at > now() at time zone 'utc' - make_interval(hours => $2::int)`,
    [id.replaceAll('-', ''), hours],
  )
  return row
}

/** Stored parts that go on where an upload stands. */
export interface AppendedParts {
  readonly offsetBytes: number
  readonly parts: readonly Blob[]
}

/** Puts parts behind those there are; false, and nothing done, where the upload does not stand there any more. */
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

/** Forgets an upload of which parts are missing; tells whether there was one. */
export async function deletePartialUpload(tx: Queryable, id: string): Promise<boolean> {
  const rows = await tx.query('delete from partial_upload where id = $1 returning id', [
    id.replaceAll('-', ''),
  ])
  return rows.length > 0
}

/** Forgets those that were begun longer ago than a number of hours. Gives how many there were. */
export async function deleteOldPartialUploads(database: Queryable, hours: number): Promise<number> {
  const rows = await database.query(
    `delete from partial_upload where created_at <= now() at time zone 'utc' - make_interval(hours => $1::int)
     returning id`,
    [hours],
  )
  return rows.length
}
