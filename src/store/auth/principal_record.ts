import type { Queryable } from '../../database/database.ts'

/** A user or a group with all that is kept of it, but for the password. */
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

/** Lists users or groups, by id. */
export function listPrincipalRecords(
  database: Queryable,
  kind: PrincipalRecord['kind'],
): Promise<PrincipalRecord[]> {
  return database.query<PrincipalRecord>(`${recordSql} where p.kind = $1 order by p.id`, [kind])
}

/** Finds a user or a group by its id. */
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

/** Columns that requests write; what is absent stays, or takes its default. */
export interface PrincipalFields {
  readonly keyname?: string
  readonly displayName?: string
  readonly description?: string | null
  readonly language?: string
  readonly disabled?: boolean
  /** Null takes the password away. */
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

function listWritten(fields: PrincipalFields): { readonly names: string[]; readonly values: unknown[] } {
  const written = Object.entries(columns).flatMap(([field, column]) => {
    const value = fields[field as keyof PrincipalFields]
    return value === undefined ? [] : [[column, value] as const]
  })
  return { names: written.map(([name]) => name), values: written.map(([, value]) => value) }
}

/** Makes a user or a group. Gives its id. */
export async function insertPrincipal(
  tx: Queryable,
  kind: PrincipalRecord['kind'],
  fields: PrincipalFields & { readonly keyname: string; readonly displayName: string },
): Promise<number> {
  const { names, values } = listWritten(fields)
  const places = names.map((_, at) => `$${at + 2}`)
  const [row] = await tx.query<{ id: number }>(
    `insert into principal (kind, ${names.join(', ')}) values ($1, ${places.join(', ')}) returning id`,
    [kind, ...values],
  )
  if (row === undefined) throw new Error('an insert gave no id')
  return row.id
}

/**
 * Reads the hash of a user's password, null where there is none, and keeps others from changing the user until the
 * transaction ends; undefined where there is no such user or it is disabled.
 */
export async function holdPasswordHash(tx: Queryable, id: number): Promise<string | null | undefined> {
  const [row] = await tx.query<{ hash: string | null }>(
    `select password_hash as hash from principal where id = $1 and kind = 'user' and not disabled for share`,
    [id],
  )
  return row?.hash
}

/** Writes fields of a user or a group. */
export async function updatePrincipal(tx: Queryable, id: number, fields: PrincipalFields): Promise<void> {
  const { names, values } = listWritten(fields)
  if (names.length === 0) return
  const sets = names.map((name, at) => `${name} = $${at + 2}`)
  await tx.query(`update principal set ${sets.join(', ')} where id = $1`, [id, ...values])
}

/** Deletes a user or a group that nothing refers to, with its memberships, sessions and tokens. */
export async function deletePrincipal(tx: Queryable, id: number): Promise<void> {
  await tx.query('delete from principal where id = $1', [id])
}

/** Who has a name already. */
export interface NameHolder {
  readonly id: number
  readonly kind: PrincipalRecord['kind']
}

/** Who has a keyname or a display name already. */
export interface PrincipalNameHolders {
  readonly keynameHolder: NameHolder | null
  readonly displayNameHolder: NameHolder | null
}

/** Names that look alike give the same: case, width, white space and invisible characters do not count. */
const looksSql = (name: string) => `lower(btrim(regexp_replace(regexp_replace(normalize(${name}, NFKC),
  '[\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufeff]', '', 'g'), '\\s+', ' ', 'g')))`

/** Finds who has the name of a parameter: one of the kind, in the same column, or one of the other kind, in any. */
const holderSql = (name: string, column: string) => `
  (select json_build_object('id', p.id, 'kind', p.kind) from principal p
    where p.id <> $2 and ${looksSql(`${name}::text`)} = any(case when p.kind = $1
            then array[${looksSql(`p.${column}`)}]
            else array[${looksSql('p.keyname')}, ${looksSql('p.display_name')}] end)
    order by p.kind = $1 desc, p.id limit 1)`

/**
 * Finds the others who have a keyname or a display name: rules and people call a user or a group by either, so that
 * the names of the other kind are not free either.
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

/** Notes that a user is at work; at most once an hour. */
export async function touchActivity(database: Queryable, userId: number): Promise<void> {
  await database.query(
    `update principal set last_activity = date_trunc('hour', now() at time zone 'utc')
      where id = $1 and last_activity is distinct from date_trunc('hour', now() at time zone 'utc')`,
    [userId],
  )
}
