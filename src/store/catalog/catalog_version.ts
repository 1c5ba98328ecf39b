import type { Queryable } from '../../database/database.ts'

/** Returns the number of changes to the geoservices in lists. It grows with every change, also of a status. */
export async function readCatalogVersion(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ version: string }>('select version::text from catalog_version')
  return Number(row?.version ?? 0)
}
