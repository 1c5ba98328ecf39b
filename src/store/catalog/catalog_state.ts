import type { Queryable } from '../../database/database.ts'

/**
 * Returns a text that differs between any two states of the geoservices in lists. A new geoservice has a higher id than all
 * before, a change a higher version or status record, and a deletion leaves fewer; icons and submitters that are deleted
 * are set to null.
 */
export async function readCatalogState(tx: Queryable): Promise<string> {
  const [row] = await tx.query<{ state: string }>(
    `select concat_ws(' ', count(*), max(id), sum(version), sum(last_status_id), sum(icon_id), count(submitter)) as state
       from geoservice`,
  )
  return row?.state ?? ''
}
