import type { Queryable } from '../database/database.ts'

/** What uploads of a user there are, which is for a day. */
export interface UploadSum {
  /** Uploads, those included of which parts are missing. */
  readonly count: number
  readonly sizeBytes: number
}

/** Adds up the uploads of a user, as far as they are here. */
export async function sumUploads(tx: Queryable, userId: number): Promise<UploadSum> {
  const [sum] = await tx.query<UploadSum>(
    `select count(*)::int as count, coalesce(sum(size_bytes), 0)::float8 as "sizeBytes"
       from (select size_bytes from upload where user_id = $1::int
             union all select offset_bytes from partial_upload where user_id = $1::int) u`,
    [userId],
  )
  return sum ?? { count: 0, sizeBytes: 0 }
}
