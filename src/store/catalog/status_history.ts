import type { Queryable } from '../../database/database.ts'

/** Which status records are old. */
export interface StatusRetention {
  readonly days: number
  /** Maximum number of records deleted at once. */
  readonly limit: number
}

/** Deletes old status records, but never the last one of a service. Returns how many; fewer than the limit at the end. */
export async function deleteOldStatuses(tx: Queryable, { days, limit }: StatusRetention): Promise<number> {
  const deleted = await tx.query(
    `delete from geoservice_status d using (
       select c.id from geoservice_status c join geoservice s on s.id = c.geoservice_id
        where c.check_at < now() at time zone 'utc' - make_interval(days => $1::integer)
          and c.id is distinct from s.last_status_id
          and exists (select from geoservice_status n where n.geoservice_id = c.geoservice_id
                         and (n.check_at, n.id) > (c.check_at, c.id))
        order by c.check_at, c.id limit $2::integer) old
      where d.id = old.id returning d.id`,
    [days, limit],
  )
  return deleted.length
}
