import { randomBytes } from 'node:crypto'
import type { RasterFacts } from '../../contract/raster.ts'
import type { Queryable } from '../../database/database.ts'
import type { Blob } from '../../files/blob_store.ts'

/** A picture that waits for a layer to take it over. While it waits, nobody deletes its files. */
export interface PreparedRaster {
  /** 32 hexadecimal digits. */
  readonly id: string
  /** Who prepared it, and nobody else, may use it. */
  readonly userId: number
  /** The layer whose picture it is to replace; null where it is for a new one. */
  readonly layerId: number | null
}

/** A picture whose content is stored. */
export interface StoredRaster extends Omit<PreparedRaster, 'id'> {
  /** GeoTIFF, laid out for reading in parts. */
  readonly blob: Blob
  /** Digest of the file as it was sent. */
  readonly sourceDigest: string
  readonly sourceName: string | null
  readonly facts: RasterFacts
}

/**
 * Keeps a picture until a layer takes it over, whatever becomes of this process; the blob's row is made, or locked and
 * made young again. Gives its id; undefined where the file it was made of is gone.
 */
export async function keepRaster(database: Queryable, raster: StoredRaster): Promise<string | undefined> {
  const { userId, layerId, blob, sourceDigest, sourceName, facts } = raster
  const id = randomBytes(16).toString('hex')
  const rows = await database.query(
    `with content as (
       insert into blob (digest, size_bytes) values ($4, $5::bigint)
       on conflict (digest) do update set created_at = now() at time zone 'utc')
     insert into prepared_raster (id, user_id, layer_id, digest, source_digest, source_name, facts)
     select $1, $2::int, $3::int, $4, s.digest, $7, $8::text::json
       from blob s where s.digest = $6 for key share
     returning id`,
    [id, userId, layerId, blob.digest, blob.sizeBytes, sourceDigest, sourceName, JSON.stringify(facts)],
  )
  return rows.length > 0 ? id : undefined
}

/** Finds what somebody has prepared. */
export async function findPreparedRaster(
  database: Queryable,
  { id, userId }: Pick<PreparedRaster, 'id' | 'userId'>,
): Promise<PreparedRaster | undefined> {
  const [row] = await database.query<PreparedRaster>(
    `select id, user_id as "userId", layer_id as "layerId"
       from prepared_raster where id = $1 and user_id = $2::int`,
    [id, userId],
  )
  return row
}

/** Forgets a picture that no layer took; its files go when nothing else refers to them. */
export async function dropPreparedRaster(database: Queryable, id: string): Promise<void> {
  await database.query('delete from prepared_raster where id = $1', [id])
}

/** Forgets what was prepared too many hours ago, by this process or by one that is dead. */
export async function deleteOldRasters(database: Queryable, hours: number): Promise<void> {
  await database.query(
    `delete from prepared_raster where created_at < now() at time zone 'utc' - make_interval(hours => $1::int)`,
    [hours],
  )
}
