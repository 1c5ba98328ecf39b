import { randomBytes } from 'node:crypto'
import type { RasterFacts } from '../../contract/bodies/raster.ts'
import type { Queryable } from '../../database/database.ts'
import type { Blob } from '../../files/blob_store.ts'

/** A raster prepared for a layer to adopt. Its files are not deleted before it expires. */
export interface PreparedRaster {
  /** 32 hexadecimal digits. */
  readonly id: string
  /** The user who prepared it, and the only one who may use it. */
  readonly userId: number
  /** The layer whose raster it replaces; null for a new layer. */
  readonly layerId: number | null
}

/** A raster whose content is stored. */
export interface StoredRaster extends Omit<PreparedRaster, 'id'> {
  /** GeoTIFF, tiled for partial reads. */
  readonly blob: Blob
  /** Digest of the uploaded file. */
  readonly sourceDigest: string
  readonly sourceName: string | null
  readonly facts: RasterFacts
}

/**
 * Stores a prepared raster, independent of this process, until a layer adopts it. Creates the row of its blob, or locks
 * and renews it. Returns the id; undefined if the uploaded file has been deleted.
 */
export async function insertPreparedRaster(
  database: Queryable,
  raster: StoredRaster,
): Promise<string | undefined> {
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

/** Finds a raster that a user prepared. */
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

/** Deletes a prepared raster; its files are deleted once unreferenced. */
export async function deletePreparedRaster(database: Queryable, id: string): Promise<void> {
  await database.query('delete from prepared_raster where id = $1', [id])
}

/** Deletes prepared rasters older than a number of hours, from any process. */
export async function deleteOldPreparedRasters(database: Queryable, hours: number): Promise<void> {
  await database.query(
    `delete from prepared_raster where created_at < now() at time zone 'utc' - make_interval(hours => $1::int)`,
    [hours],
  )
}
