import type { Queryable } from '../../database/database.ts'

/** Who wants to restore deleted resources: administrators may restore what others deleted. */
export interface Restorer {
  readonly id: number
  readonly isAdministrator: boolean
  readonly superuser: boolean
}

/** Remembers the ids and versions of resources that a user is about to delete. */
export async function rememberDeleted(tx: Queryable, ids: readonly number[], userId: number): Promise<void> {
  await tx.query(
    `insert into deleted_resource (id, version, data_version, user_id)
     select r.id, r.version, l.data_version, (select id from principal where id = $2::int)
       from resource r left join layer l on l.resource_id = r.id where r.id = any($1::int[])`,
    [ids, userId],
  )
}

/** Finds the ids that a user may give to new resources: those of deleted resources. */
export async function findRestorable(
  tx: Queryable,
  ids: readonly number[],
  { id, isAdministrator, superuser }: Restorer,
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await tx.query<{ id: number }>(
    'select id from deleted_resource where id = any($1::int[]) and ($3::boolean or user_id = $2::int)',
    [ids, id, isAdministrator || superuser],
  )
  return new Set(rows.map((row) => row.id))
}

/**
 * Continues the versions of new resources that have the ids of deleted ones, and of their data; forgets that those were
 * deleted. Returns the versions of the resources, by id.
 */
export async function continueVersions(tx: Queryable, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<{ id: number; version: number }>(
    `with former as (delete from deleted_resource where id = any($1::int[]) returning id, version, data_version),
          data as (
            update layer l set data_version = f.data_version + 1 from former f
             where l.resource_id = f.id and f.data_version is not null)
     update resource r set version = f.version + 1 from former f where r.id = f.id returning r.id, r.version`,
    [ids],
  )
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/** Forgets resources that were deleted more days ago than given. */
export async function forgetDeleted(database: Queryable, days: number): Promise<void> {
  await database.query(
    `delete from deleted_resource where deleted_at < now() at time zone 'utc' - make_interval(days => $1::int)`,
    [days],
  )
}
