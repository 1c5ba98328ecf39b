import type { Queryable } from '../../database/database.ts'

/** Replaces the members of a group. */
export async function replaceMembers(
  tx: Queryable,
  groupId: number,
  userIds: readonly number[],
): Promise<void> {
  await tx.query('delete from membership where group_id = $1 and user_id <> all($2::int[])', [
    groupId,
    userIds,
  ])
  await addMembers(tx, groupId, userIds)
}

/** Adds users to a group. */
export async function addMembers(tx: Queryable, groupId: number, userIds: readonly number[]): Promise<void> {
  await tx.query(
    'insert into membership (group_id, user_id) select $1, unnest($2::int[]) on conflict do nothing',
    [groupId, userIds],
  )
}

/** Removes users from a group. */
export async function removeMembers(
  tx: Queryable,
  groupId: number,
  userIds: readonly number[],
): Promise<void> {
  await tx.query('delete from membership where group_id = $1 and user_id = any($2::int[])', [
    groupId,
    userIds,
  ])
}

/** Replaces the groups of a user. */
export async function replaceGroups(
  tx: Queryable,
  userId: number,
  groupIds: readonly number[],
): Promise<void> {
  await tx.query('delete from membership where user_id = $1 and group_id <> all($2::int[])', [
    userId,
    groupIds,
  ])
  await tx.query(
    'insert into membership (group_id, user_id) select unnest($2::int[]), $1 on conflict do nothing',
    [userId, groupIds],
  )
}

/** Returns whether a user is an administrator, read from the database because sessions may hold outdated groups. */
export async function isAdministrator(tx: Queryable, userId: number): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(
    `select exists (
       select from principal u
        where u.id = $1 and not u.disabled and (u.superuser or exists (
          select from membership m
            join principal g on g.id = m.group_id and g.kind = 'group' and g.system and g.keyname = 'administrators'
           where m.user_id = u.id))) as found`,
    [userId],
  )
  return row?.found ?? false
}

/** Tells whether a user is a member of the group with a keyname. */
export async function isMember(tx: Queryable, userId: number, group: string): Promise<boolean> {
  const rows = await tx.query(
    `select from membership m join principal g on g.id = m.group_id
      where m.user_id = $1 and g.kind = 'group' and lower(g.keyname) = lower($2)`,
    [userId, group],
  )
  return rows.length > 0
}
