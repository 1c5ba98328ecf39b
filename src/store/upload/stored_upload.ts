import type { Queryable } from '../../database/database.ts'
import type { Blob } from '../../files/blob_store.ts'
import { listReferencingColumns } from '../foreign_key.ts'

/** A file that was sent, before something refers to it. */
export interface StoredUpload {
  /** 32 hexadecimal digits. */
  readonly id: string
  readonly digest: string
  readonly name: string | null
  readonly mimeType: string | null
  readonly sizeBytes: number
  readonly userId: number | null
}

/** Records uploads whose content is stored; the blobs' rows are made, or locked and made young again. */
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

/** Finds an upload by its id. */
export async function findUpload(database: Queryable, id: string): Promise<StoredUpload | undefined> {
  const [row] = await database.query<StoredUpload>(
    `select id, digest, name, mime_type as "mimeType", size_bytes::float8 as "sizeBytes", user_id as "userId"
       from upload where id = $1`,
    [id.replaceAll('-', '')],
  )
  return row
}

/** Gets uploads by their ids as they are written, and keeps them until the transaction ends. */
export async function lockUploads(tx: Queryable, ids: readonly string[]): Promise<Map<string, StoredUpload>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<StoredUpload>(
    `select id, digest, name, mime_type as "mimeType", size_bytes::float8 as "sizeBytes", user_id as "userId"
       from upload where id = any($1::text[]) for share`,
    [ids.map((id) => id.replaceAll('-', ''))],
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return new Map(
    ids.flatMap((id) => {
      const row = found.get(id.replaceAll('-', ''))
      return row === undefined ? [] : [[id, row] as const]
    }),
  )
}

/** Forgets an upload; tells whether there was one. */
export async function deleteUpload(database: Queryable, id: string): Promise<boolean> {
  const rows = await database.query('delete from upload where id = $1 returning id', [id.replaceAll('-', '')])
  return rows.length > 0
}

/** Forgets uploads older than a number of hours. Gives how many there were. */
export async function deleteOldUploads(database: Queryable, hours: number): Promise<number> {
  const rows = await database.query(
    `delete from upload where created_at < now() at time zone 'utc' - make_interval(hours => $1::int)
     returning id`,
    [hours],
  )
  return rows.length
}

/**
 * Forgets blobs that no foreign key refers to and that are older than a grace longer than any transaction. Their files are
 * the caller's to delete, once the transaction stands.
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

/** Of some digests, gives those that have a row. */
export async function findKnownBlobs(tx: Queryable, digests: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<Pick<Blob, 'digest'>>(
    'select digest from blob where digest = any($1::text[])',
    [digests],
  )
  return new Set(rows.map(({ digest }) => digest))
}
