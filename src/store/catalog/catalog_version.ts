import type { Queryable } from '../../database/database.ts'

/** Returns the number of changes to the geoservices in lists. It grows with every change, also of a status. */
export async function readCatalogVersion(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ version: string }>(
    'select coalesce(sum(changes), 0)::text as version from catalog_change',
  )
  return Number(row?.version ?? 0)
}

/** Replaces the records of changes by their sum. */
export async function compactCatalogChanges(tx: Queryable): Promise<void> {
  await tx.query(
    `with gone as (delete from catalog_change returning changes)
     insert into catalog_change select sum(changes) from gone having count(*) > 0`,
  )
}
