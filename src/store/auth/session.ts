import type { Queryable } from '../../database/database.ts'

/** Lifetime of a session. */
export const sessionLifetime = {
  /** Days after the last use. */
  idleDays: 7,
  /** Days after sign-in, regardless of use. */
  maxDays: 30,
} as const

/** Maximum number of sessions of a user; the least recently used are deleted first. */
const maxSessions = 100

const nowSql = "now() at time zone 'utc'"
const expiresSql = (start: string) =>
  `least(${start} + interval '${sessionLifetime.maxDays} days', ${nowSql} + interval '${sessionLifetime.idleDays} days')`

/** Starts a session. Returns the seconds until it expires unused. */
export async function insertSession(tx: Queryable, digest: string, userId: number): Promise<number> {
  const [row] = await tx.query<{ seconds: number }>(
    `insert into session (digest, user_id, expires_at) values ($1, $2, ${expiresSql(nowSql)})
     returning ${secondsSql}`,
    [digest, userId],
  )
  await tx.query(
    `delete from session where digest in (
       select digest from session where user_id = $1 order by used_at desc, digest offset $2)`,
    [userId, maxSessions],
  )
  return row?.seconds ?? 0
}

const secondsSql = `extract(epoch from expires_at - ${nowSql})::int as seconds`

/** An active session. */
export interface Session {
  readonly userId: number
  /** Whether its last recorded use is over an hour old, so that it should be extended. */
  readonly isOld: boolean
}

/** Finds an active session by digest. */
export async function findSession(database: Queryable, digest: string): Promise<Session | undefined> {
  const [row] = await database.query<Session>(
    `select user_id as "userId", used_at < ${nowSql} - interval '1 hour' as "isOld"
       from session where digest = $1 and expires_at > ${nowSql}`,
    [digest],
  )
  return row
}

/** Records the use of a session and extends it. Returns the seconds until it expires; undefined if it has expired. */
export async function extendSession(database: Queryable, digest: string): Promise<number | undefined> {
  const [row] = await database.query<{ seconds: number }>(
    `update session set used_at = ${nowSql}, expires_at = ${expiresSql('created_at')}
      where digest = $1 and expires_at > ${nowSql} returning ${secondsSql}`,
    [digest],
  )
  return row?.seconds
}

/** Deletes a session; returns whether it existed. */
export async function deleteSession(tx: Queryable, digest: string): Promise<boolean> {
  const rows = await tx.query('delete from session where digest = $1 returning digest', [digest])
  return rows.length > 0
}

/** Deletes the sessions of a user, except one if given. Returns how many were active. */
export async function deleteUserSessions(
  tx: Queryable,
  userId: number,
  exceptDigest?: string,
): Promise<number> {
  const rows = await tx.query<{ isActive: boolean }>(
    `delete from session where user_id = $1 and digest is distinct from $2 returning expires_at > ${nowSql} as "isActive"`,
    [userId, exceptDigest ?? null],
  )
  return rows.filter(({ isActive }) => isActive).length
}

/** Deletes expired sessions. */
export async function deleteExpiredSessions(database: Queryable): Promise<void> {
  await database.query(`delete from session where expires_at <= ${nowSql}`)
}
