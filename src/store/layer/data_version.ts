import type { Queryable } from '../../database/database.ts'

/** Locks the data of layers and rasters against writers until the end of the transaction; returns their versions by resource id. */
export async function lockDataVersions(tx: Queryable, ids: readonly number[]): Promise<Map<number, number>> {
  const versions = new Map<number, number>()
  if (ids.length === 0) return versions
  for (const table of ['layer', 'raster_layer']) {
    const rows = await tx.query<{ id: number; version: number }>(
      `select resource_id as id, data_version as version from ${table}
        where resource_id = any($1::int[]) order by resource_id for update`,
      [ids],
    )
    for (const { id, version } of rows) versions.set(id, version)
  }
  return versions
}
