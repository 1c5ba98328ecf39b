import type { Queryable } from '../../database/database.ts'

/** Returns the EPSG codes that the database supports. */
export async function findKnownSrs(tx: Queryable, codes: readonly number[]): Promise<Set<number>> {
  const rows = await tx.query<{ srid: number }>(
    "select auth_srid as srid from spatial_ref_sys where auth_name = 'EPSG' and auth_srid = any($1::int[])",
    [codes.filter((code) => code > 0 && code < 2 ** 31)],
  )
  return new Set(rows.map(({ srid }) => srid))
}

/**
 * Returns the EPSG codes of the reference systems whose first axis points north, such as EPSG:4326 with latitude first.
 *
 * The database describes them in the WKT of GDAL: it omits the axes of geographic systems, and of projected systems
 * whose axes are not easting and northing.
 *
 * @see OGC 05-103; https://gdal.org/tutorials/osr_api_tut.html CRS and axis order
 */
export async function findNorthFirstSrs(tx: Queryable): Promise<Set<number>> {
  const rows = await tx.query<{ srid: number }>(
    `select auth_srid as srid from spatial_ref_sys
      where auth_name = 'EPSG' and srid = auth_srid
        and (srtext like 'GEOG%' or srtext like 'PROJ%' and coalesce(substring(srtext from 'AXIS\\[[^]]*'), 'NORTH') ~ 'NORTH$')`,
  )
  return new Set(rows.map(({ srid }) => srid))
}
