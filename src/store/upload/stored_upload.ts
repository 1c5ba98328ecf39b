import type { Queryable } from '../../database/database.ts'
import type { Blob } from '../../files/blob_store.ts'
import { listReferencingColumns } from '../foreign_key.ts'

/** An uploaded file that no resource references yet. */
export interface StoredUpload {
  /** 32 hexadecimal digits. */
  readonly id: string
  readonly digest: string
  readonly name: string | null
  readonly mimeType: string | null
  readonly sizeBytes: number
  readonly userId: number | null
}

/** Records uploads whose content is stored. Creates the rows of their blobs, or locks and renews them. */
export async function insertUploads(tx: Queryable, uploads: readonly StoredUpload[]): Promise<void> {
  await tx.query(
    `with content as (
       insert into blob (digest, size_bytes)
       select distinct u.digest, u."sizeBytes"
         from jsonb_to_recordset($1::jsonb) as u (digest text, "sizeBytes" bigint)
       on conflict (digest) do update set created_at = now() at time zone 'utc')
     insert into upload (id, digest, name, mime_type, size_bytes, user_id)
     select u.id, u.digest, u.name, u."mimeType", u."sizeBytes", u."userId"
       from jsonb_to_recordset($1::jsonb) as u (
         id text, digest text, name text, "mimeType" text, "sizeBytes" bigint, "userId" int)`,
    [JSON.stringify(uploads)],
  )
}

/** An upload, and the user who wants to use it. */
export interface UploadKey {
  readonly id: string
  readonly userId: number
}

/**
 * Condition on a parameter with a user: the upload is the user's own, or that of a guest. Guests have no other identity than
 * the random id of their upload, so the user who knows it may use it, also after signing in.
 */
export const usableBy = (parameter: string) =>
  `(user_id = ${parameter}::int or user_id = (select id from principal where system and keyname = 'guest'))`

/** Finds an upload that a user may use. */
export async function findUpload(
  database: Queryable,
  { id, userId }: UploadKey,
): Promise<StoredUpload | undefined> {
  const [row] = await database.query<StoredUpload>(
    `select id, digest, name, mime_type as "mimeType", size_bytes::float8 as "sizeBytes", user_id as "userId"
       from upload where id = $1 and ${usableBy('$2')}`,
    [id.replaceAll('-', ''), userId],
  )
  return row
}

/** Uploads to find, and the user who wants to use them. */
export interface UploadKeys {
  readonly ids: readonly string[]
  readonly userId: number
}

/** Finds uploads that a user may use, keyed by the id as given, and locks them until the end of the transaction. */
export async function lockUploads(
  tx: Queryable,
  { ids, userId }: UploadKeys,
): Promise<Map<string, StoredUpload>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<StoredUpload>(
    `select id, digest, name, mime_type as "mimeType", size_bytes::float8 as "sizeBytes", user_id as "userId"
       from upload where id = any($1::text[]) and ${usableBy('$2')} for share`,
    [ids.map((id) => id.replaceAll('-', '')), userId],
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return new Map(
    ids.flatMap((id) => {
      const row = found.get(id.replaceAll('-', ''))
      return row === undefined ? [] : [[id, row] as const]
    }),
  )
}

/** Deletes an upload that a user may use; returns whether it existed. */
export async function deleteUpload(database: Queryable, { id, userId }: UploadKey): Promise<boolean> {
  const rows = await database.query(`delete from upload where id = $1 and ${usableBy('$2')} returning id`, [
    id.replaceAll('-', ''),
    userId,
  ])
  return rows.length > 0
}

/** Deletes uploads older than a number of hours. Returns their number. */
export async function deleteOldUploads(database: Queryable, hours: number): Promise<number> {
  const rows = await database.query(
    `delete from upload where created_at < now() at time zone 'utc' - make_interval(hours => $1::int)
     returning id`,
    [hours],
  )
  return rows.length
}

/**
 * Deletes blobs without a referring row that are older than a grace period, which must be longer than any transaction.
 * The caller has to delete their files after the commit.
 */
export async function deleteUnusedBlobs(tx: Queryable, graceHours: number): Promise<string[]> {
  const columns = await listReferencingColumns(tx, 'blob')
  const unused = columns.map(
    ({ table, column }) => `and not exists (select from ${table} t where t.${column} = b.digest)`,
  )
  const rows = await tx.query<Pick<Blob, 'digest'>>(
    `delete from blob b
      where created_at < now() at time zone 'utc' - make_interval(hours => $1::int) ${unused.join('\n')}
     returning digest`,
    [graceHours],
  )
  return rows.map(({ digest }) => digest)
}

/** Returns the digests that have a row in `blob`. */
export async function findExistingBlobs(tx: Queryable, digests: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<Pick<Blob, 'digest'>>(
    'select digest from blob where digest = any($1::text[])',
    [digests],
  )
  return new Set(rows.map(({ digest }) => digest))
}
