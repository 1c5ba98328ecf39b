import type { Queryable } from '../../database/database.ts'

/** Returns the EPSG codes that the database supports. */
export async function findKnownSrs(tx: Queryable, codes: readonly number[]): Promise<Set<number>> {
  const rows = await tx.query<{ srid: number }>(
    "select auth_srid as srid from spatial_ref_sys where auth_name = 'EPSG' and auth_srid = any($1::int[])",
    [codes.filter((code) => code > 0 && code < 2 ** 31)],
  )
  return new Set(rows.map(({ srid }) => srid))
}
