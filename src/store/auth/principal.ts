import { isResourceId } from '../../contract/limits.ts'
import type { Queryable } from '../../database/database.ts'
import type { PermissionSubject } from '../access/permission_subject.ts'

/** A user with the data needed to authenticate and authorize requests. */
export interface User {
  readonly id: number
  readonly keyname: string
  readonly displayName: string
  readonly system: boolean
  readonly superuser: boolean
  readonly disabled: boolean
  readonly language: string
  /** Null for users who cannot sign in. */
  readonly passwordHash: string | null
  /** Groups of the user. */
  readonly groupIds: readonly number[]
  readonly isAdministrator: boolean
  /** Every principal whose rules apply to the user: itself, its groups, everyone and, except for guest, authenticated. */
  readonly principalIds: readonly number[]
}

/** Finds a user by keyname, ignoring case. */
export async function findUser(database: Queryable, keyname: string): Promise<User | undefined> {
  const [user] = await database.query<User>(`${userSql} and lower(u.keyname) = lower($1)`, [keyname])
  return user
}

/** Finds a user by id. */
export async function findUserById(database: Queryable, id: number): Promise<User | undefined> {
  if (!isResourceId(id)) return undefined
  const [user] = await database.query<User>(`${userSql} and u.id = $1`, [id])
  return user
}

/** Groups of user `u`. */
const groupIdsSql = 'array(select group_id from membership where user_id = u.id order by group_id)'
/** System users whose rules apply to user `u`. */
const systemIdsSql = `array(
  select id from principal where kind = 'user' and system
     and (keyname = 'everyone' or keyname = 'authenticated' and u.keyname <> 'guest') order by id)`

const userSql = `
  select u.id, u.keyname, u.display_name as "displayName", u.system, u.superuser, u.disabled, u.language,
         u.password_hash as "passwordHash", g.ids as "groupIds",
         exists (select from membership m join principal a on a.id = m.group_id
                  where m.user_id = u.id and a.system and a.keyname = 'administrators') as "isAdministrator",
         array[u.id] || g.ids || ${systemIdsSql} as "principalIds"
    from principal u
    cross join lateral (select ${groupIdsSql} as ids) g
   where u.kind = 'user'`

/** Summary of a user or group. */
export interface PrincipalBrief {
  readonly id: number
  readonly kind: 'user' | 'group'
  readonly system: boolean
  readonly keyname: string
  readonly displayName: string
}

/** Lists users and groups, ordered by id. */
export async function listPrincipals(
  database: Queryable,
  filter: { readonly kind?: 'user' | 'group'; readonly systemOnly?: boolean } = {},
): Promise<PrincipalBrief[]> {
  return database.query<PrincipalBrief>(
    `select id, kind, system, keyname, display_name as "displayName" from principal
      where ($1::text is null or kind = $1) and (system or not $2::boolean) order by id`,
    [filter.kind ?? null, filter.systemOnly ?? false],
  )
}

/** Kind and keyname of a principal, for checks of requests. */
export interface PrincipalKind {
  readonly id: number
  readonly kind: 'user' | 'group'
  readonly keyname: string
  readonly system: boolean
}

/** Finds principals by id. */
export async function findPrincipals(
  tx: Queryable,
  ids: readonly number[],
): Promise<Map<number, PrincipalKind>> {
  const known = ids.filter(isResourceId)
  if (known.length === 0) return new Map()
  const rows = await tx.query<PrincipalKind>(
    'select id, kind, keyname, system from principal where id = any($1::int[])',
    [known],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The administrators who can sign in, and the principal of rules for owners. */
export interface Administration {
  readonly administrators: readonly PermissionSubject[]
  readonly ownerPrincipal: number
}

/** Reads the enabled administrators and superusers with a password. */
export async function readAdministration(tx: Queryable): Promise<Administration> {
  const [row] = await tx.query<Administration>(
    `select (select id from principal where kind = 'user' and system and keyname = 'owner') as "ownerPrincipal",
            coalesce(json_agg(json_build_object(
              'id', u.id, 'superuser', u.superuser, 'principalIds', array[u.id] || ${groupIdsSql} || ${systemIdsSql})
              order by u.id), '[]') as administrators
       from principal u
      where u.kind = 'user' and not u.disabled and u.password_hash is not null
        and (u.superuser or exists (
          select from membership m join principal g on g.id = m.group_id
           where m.user_id = u.id and g.kind = 'group' and g.system and g.keyname = 'administrators'))`,
  )
  return row ?? { administrators: [], ownerPrincipal: -1 }
}
