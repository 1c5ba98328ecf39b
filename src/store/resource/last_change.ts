import type { Queryable } from '../../database/database.ts'

/** The end of a statement that records changes, which replace earlier ones. */
export const replaceChange = `on conflict (resource_id, part)
  do update set changed_at = now() at time zone 'utc', user_id = excluded.user_id`

/** Records who changes the data of layers, which must be locked; only if their data have this version or a later one. */
export async function recordDataChange(
  tx: Queryable,
  { ids, version = 0 }: { readonly ids: readonly number[]; readonly version?: number | undefined },
  userId: number,
): Promise<void> {
  await tx.query(
    `insert into last_change (resource_id, part, user_id)
     select resource_id, 'data', $2::int from layer
      where resource_id = any($1::int[]) and data_version >= $3::int order by resource_id ${replaceChange}`,
    [ids, userId, version],
  )
}

/** Records who writes descriptions and attachments of features with an update of their layer, which must be locked. */
export async function recordExtensionsChange(tx: Queryable, id: number, userId: number): Promise<void> {
  await tx.query(
    `insert into last_change (resource_id, part, user_id) values ($1::int, 'extensions', $2::int) ${replaceChange}`,
    [id, userId],
  )
}

/** The last change of a resource or of its data. */
export interface LastChange {
  readonly id: number
  /** UTC, ISO 8601 without time zone. */
  readonly at: string
  /** Keyname of the user; null if the user was deleted. */
  readonly user: string | null
  /** Last change of the data, UTC; null if there was none. */
  readonly dataAt: string | null
  readonly dataUser: string | null
}

const timeFormat = `'YYYY-MM-DD"T"HH24:MI:SS'`

/** Finds the last changes of resources; of those that were never changed, their creation. */
export async function findLastChanges(database: Queryable, ids: readonly number[]): Promise<LastChange[]> {
  return database.query<LastChange>(
    `select r.id, to_char(coalesce(c.changed_at, r.creation_date), ${timeFormat}) as at, p.keyname as user,
            to_char(d.changed_at, ${timeFormat}) as "dataAt", o.keyname as "dataUser"
       from resource r
       left join lateral (
         select changed_at, user_id from last_change where resource_id = r.id order by changed_at desc limit 1
       ) c on true
       left join principal p on p.id = case when c.changed_at is null then r.owner_id else c.user_id end
       left join last_change d on d.resource_id = r.id and d.part = 'data'
       left join principal o on o.id = d.user_id
      where r.id = any($1::int[]) order by r.id`,
    [ids],
  )
}
