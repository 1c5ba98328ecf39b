import type { Queryable } from '../../database/database.ts'

/** All stored data of a user or group, except the password. */
export interface PrincipalRecord {
  readonly id: number
  readonly kind: 'user' | 'group'
  readonly system: boolean
  readonly keyname: string
  readonly displayName: string
  readonly description: string | null
  readonly superuser: boolean
  readonly disabled: boolean
  readonly hasPassword: boolean
  readonly language: string
  /** ISO 8601 in UTC, to the hour. */
  readonly lastActivity: string | null
  readonly isAdministrator: boolean
  /** Groups of a user, by id. */
  readonly groupIds: readonly number[]
  /** Users of a group, by id. */
  readonly memberIds: readonly number[]
}

const recordSql = `
  select p.id, p.kind, p.system, p.keyname, p.display_name as "displayName", p.description, p.superuser, p.disabled,
         p.password_hash is not null as "hasPassword", p.language,
         to_char(p.last_activity, 'YYYY-MM-DD"T"HH24:MI:SS') as "lastActivity",
         array(select group_id from membership where user_id = p.id order by group_id) as "groupIds",
         array(select user_id from membership where group_id = p.id order by user_id) as "memberIds",
         exists (select from membership m join principal a on a.id = m.group_id
                  where m.user_id = p.id and a.system and a.keyname = 'administrators') as "isAdministrator"
    from principal p`

/** Lists users or groups, ordered by id. */
export function listPrincipalRecords(
  database: Queryable,
  kind: PrincipalRecord['kind'],
): Promise<PrincipalRecord[]> {
  return database.query<PrincipalRecord>(`${recordSql} where p.kind = $1 order by p.id`, [kind])
}

/** Finds a user or group by id. */
export async function findPrincipalRecord(
  database: Queryable,
  kind: PrincipalRecord['kind'],
  id: number,
): Promise<PrincipalRecord | undefined> {
  const [found] = await database.query<PrincipalRecord>(`${recordSql} where p.kind = $1 and p.id = $2`, [
    kind,
    id,
  ])
  return found
}

/** Columns that requests write; absent columns keep their value or get the default. */
export interface PrincipalFields {
  readonly keyname?: string
  readonly displayName?: string
  readonly description?: string | null
  readonly language?: string
  readonly disabled?: boolean
  /** Null removes the password. */
  readonly passwordHash?: string | null
}

const columns: Readonly<Record<keyof PrincipalFields, string>> = {
  keyname: 'keyname',
  displayName: 'display_name',
  description: 'description',
  language: 'language',
  disabled: 'disabled',
  passwordHash: 'password_hash',
}

function listAssignments(fields: PrincipalFields): { readonly names: string[]; readonly values: unknown[] } {
  const assignments = Object.entries(columns).flatMap(([field, column]) => {
    const value = fields[field as keyof PrincipalFields]
    return value === undefined ? [] : [[column, value] as const]
  })
  return { names: assignments.map(([name]) => name), values: assignments.map(([, value]) => value) }
}

/** Creates a user or group. Returns its id. */
export async function insertPrincipal(
  tx: Queryable,
  kind: PrincipalRecord['kind'],
  fields: PrincipalFields & { readonly keyname: string; readonly displayName: string },
): Promise<number> {
  const { names, values } = listAssignments(fields)
  const places = names.map((_, at) => `$${at + 2}`)
  const [row] = await tx.query<{ id: number }>(
    `insert into principal (kind, ${names.join(', ')}) values ($1, ${places.join(', ')}) returning id`,
    [kind, ...values],
  )
  if (row === undefined) throw new Error('the insert returned no id')
  return row.id
}

/**
 * Locks a user against changes until the end of the transaction, and reads the hash of its password: null without a
 * password, undefined if the user does not exist or is disabled.
 */
export async function lockPasswordHash(tx: Queryable, id: number): Promise<string | null | undefined> {
  const [row] = await tx.query<{ hash: string | null }>(
    `select password_hash as hash from principal where id = $1 and kind = 'user' and not disabled for share`,
    [id],
  )
  return row?.hash
}

/** Updates fields of a user or group. */
export async function updatePrincipal(tx: Queryable, id: number, fields: PrincipalFields): Promise<void> {
  const { names, values } = listAssignments(fields)
  if (names.length === 0) return
  const sets = names.map((name, at) => `${name} = $${at + 2}`)
  await tx.query(`update principal set ${sets.join(', ')} where id = $1`, [id, ...values])
}

/** Deletes an unreferenced user or group with its memberships, sessions and tokens. */
export async function deletePrincipal(tx: Queryable, id: number): Promise<void> {
  await tx.query('delete from principal where id = $1', [id])
}

/** The principal that already has a name. */
export interface NameHolder {
  readonly id: number
  readonly kind: PrincipalRecord['kind']
}

/** The principals that already have a keyname or display name. */
export interface PrincipalNameHolders {
  readonly keynameHolder: NameHolder | null
  readonly displayNameHolder: NameHolder | null
}

/** Normalizes a name: names that differ only in case, width, white space and invisible characters become equal. */
const normalizeSql = (name: string) => `lower(btrim(regexp_replace(regexp_replace(normalize(${name}, NFKC),
  '[\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufeff]', '', 'g'), '\\s+', ' ', 'g')))`

/** Selects a holder of the name in a parameter: of the same kind in the same column, or of the other kind in either. */
const holderSql = (name: string, column: string) => `
  (select json_build_object('id', p.id, 'kind', p.kind) from principal p
    where p.id <> $2 and ${normalizeSql(`${name}::text`)} = any(case when p.kind = $1
            then array[${normalizeSql(`p.${column}`)}]
            else array[${normalizeSql('p.keyname')}, ${normalizeSql('p.display_name')}] end)
    order by p.kind = $1 desc, p.id limit 1)`

/**
 * Finds other principals that have a keyname or display name. Both names of the other kind are taken as well, because
 * rules and people refer to users and groups by either.
 */
export async function findPrincipalNameHolders(
  tx: Queryable,
  kind: PrincipalRecord['kind'],
  {
    id,
    keyname,
    displayName,
  }: { readonly id?: number; readonly keyname?: string; readonly displayName?: string },
): Promise<PrincipalNameHolders> {
  const [row] = await tx.query<PrincipalNameHolders>(
    `select ${holderSql('$3', 'keyname')} as "keynameHolder", ${holderSql('$4', 'display_name')} as "displayNameHolder"`,
    [kind, id ?? -1, keyname ?? null, displayName ?? null],
  )
  return row ?? { keynameHolder: null, displayNameHolder: null }
}

/** Records the activity of a user, at most once an hour. */
export async function touchActivity(database: Queryable, userId: number): Promise<void> {
  await database.query(
    `update principal set last_activity = date_trunc('hour', now() at time zone 'utc')
      where id = $1 and last_activity is distinct from date_trunc('hour', now() at time zone 'utc')`,
    [userId],
  )
}
