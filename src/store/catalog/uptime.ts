import type { Queryable } from '../../database/database.ts'

/** Number of checks of a day by result. */
export interface DayChecks {
  /** Day in UTC: `2024-05-31`. */
  readonly day: string
  readonly works: number
  readonly problematic: number
  readonly failed: number
}

/** Counts the checks of a geoservice by day and result, for the days with checks since a day, in order. */
export async function countChecksByDay(
  tx: Queryable,
  geoservice: number,
  since: string,
): Promise<DayChecks[]> {
  const countOf = (status: string) =>
    `count(*) filter (where c.cumulative_status = '${status}')::integer as ${status}`
  return tx.query<DayChecks & Record<string, unknown>>(
    `select to_char(c.check_at, 'YYYY-MM-DD') as day, ${countOf('works')}, ${countOf('problematic')},
            ${countOf('failed')}
       from geoservice_status c
      where c.geoservice_id = $1::bigint and c.check_at >= $2::timestamp
      group by 1 order by 1`,
    [geoservice, since],
  )
}
