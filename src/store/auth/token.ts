import { isResourceId } from '../../contract/limits.ts'
import type { Queryable } from '../../database/database.ts'

/** An access token without its secret. Timestamps are ISO 8601 in UTC. */
export interface Token {
  readonly id: number
  readonly name: string
  readonly userId: number
  readonly userKeyname: string
  readonly created: string
  readonly expires: string | null
  readonly lastUsed: string | null
}

const nowSql = "now() at time zone 'utc'"
const isoSql = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')`

const tokenSql = `
  select t.id, t.name, t.user_id as "userId", u.keyname as "userKeyname", ${isoSql('t.created_at')} as created,
         ${isoSql('t.expires_at')} as expires, ${isoSql('t.last_used_at')} as "lastUsed"
    from token t join principal u on u.id = t.user_id`

/** Lists the tokens of a user, expired ones included. */
export function listTokens(database: Queryable, userId: number): Promise<Token[]> {
  return database.query<Token>(`${tokenSql} where t.user_id = $1 order by t.id`, [userId])
}

/** Finds a token by id. */
export async function findToken(database: Queryable, id: number): Promise<Token | undefined> {
  if (!isResourceId(id)) return undefined
  const [found] = await database.query<Token>(`${tokenSql} where t.id = $1`, [id])
  return found
}

/** A token to create. */
export interface NewToken {
  readonly userId: number
  readonly name: string
  readonly digest: string
  /** Undefined for a token that never expires. */
  readonly expires: Date | undefined
}

/** Creates a token; returns undefined if the user has another one with that name. */
export async function insertToken(
  tx: Queryable,
  { userId, name, digest, expires }: NewToken,
): Promise<Token | undefined> {
  const [row] = await tx.query<{ id: number }>(
    `insert into token (user_id, name, digest, expires_at) values ($1, $2, $3, $4::timestamptz at time zone 'utc')
     on conflict (user_id, name) do nothing returning id`,
    [userId, name, digest, expires?.toISOString() ?? null],
  )
  return row === undefined ? undefined : findToken(tx, row.id)
}

/** Finds the user of a valid token by digest, and records its use, at most once an hour. */
export async function useToken(database: Queryable, digest: string): Promise<number | undefined> {
  const [row] = await database.query<{ userId: number }>(
    `with used as (
       update token set last_used_at = date_trunc('hour', ${nowSql})
        where digest = $1 and (expires_at is null or expires_at > ${nowSql})
          and last_used_at is distinct from date_trunc('hour', ${nowSql}))
     select user_id as "userId" from token
      where digest = $1 and (expires_at is null or expires_at > ${nowSql})`,
    [digest],
  )
  return row?.userId
}

/** Revokes all tokens of a user. Returns how many were valid. */
export async function deleteUserTokens(tx: Queryable, userId: number): Promise<number> {
  const rows = await tx.query<{ isValid: boolean }>(
    `delete from token where user_id = $1
     returning expires_at is null or expires_at > ${nowSql} as "isValid"`,
    [userId],
  )
  return rows.filter(({ isValid }) => isValid).length
}

/** Revokes a token. */
export async function deleteToken(tx: Queryable, id: number): Promise<void> {
  await tx.query('delete from token where id = $1', [id])
}
