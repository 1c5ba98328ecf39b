import type { Queryable } from '../../database/database.ts'

/** How long a session lasts. */
export const sessionSpan = {
  /** Days after its last use. */
  idleDays: 7,
  /** Days after the login, however it is used. */
  longestDays: 30,
} as const

/** Most sessions of one user; the oldest end first. */
const mostSessions = 100

const nowSql = "now() at time zone 'utc'"
const expiresSql = (start: string) =>
  `least(${start} + interval '${sessionSpan.longestDays} days', ${nowSql} + interval '${sessionSpan.idleDays} days')`

/** Starts a session. Gives the seconds it lasts unless it is used. */
export async function insertSession(tx: Queryable, digest: string, userId: number): Promise<number> {
  const [row] = await tx.query<{ seconds: number }>(
    `insert into session (digest, user_id, expires_at) values ($1, $2, ${expiresSql(nowSql)})
     returning ${secondsSql}`,
    [digest, userId],
  )
  await tx.query(
    `delete from session where digest in (
       select digest from session where user_id = $1 order by used_at desc, digest offset $2)`,
    [userId, mostSessions],
  )
  return row?.seconds ?? 0
}

const secondsSql = `extract(epoch from expires_at - ${nowSql})::int as seconds`

/** A session that runs. */
export interface Session {
  readonly userId: number
  /** Whether its last noted use is an hour ago: time to prolong it. */
  readonly isOld: boolean
}

/** Finds the session of a digest; undefined where there is none, or where it has ended. */
export async function findSession(database: Queryable, digest: string): Promise<Session | undefined> {
  const [row] = await database.query<Session>(
    `select user_id as "userId", used_at < ${nowSql} - interval '1 hour' as "isOld"
       from session where digest = $1 and expires_at > ${nowSql}`,
    [digest],
  )
  return row
}

/** Notes that a session is used. Gives the seconds it lasts from now on; undefined where it has just ended. */
export async function prolongSession(database: Queryable, digest: string): Promise<number | undefined> {
  const [row] = await database.query<{ seconds: number }>(
    `update session set used_at = ${nowSql}, expires_at = ${expiresSql('created_at')}
      where digest = $1 and expires_at > ${nowSql} returning ${secondsSql}`,
    [digest],
  )
  return row?.seconds
}

/** Ends a session; tells whether there was one. */
export async function deleteSession(tx: Queryable, digest: string): Promise<boolean> {
  const rows = await tx.query('delete from session where digest = $1 returning digest', [digest])
  return rows.length > 0
}

/** Ends all sessions of a user but one, where one is named. Gives how many still ran. */
export async function deleteSessionsOf(tx: Queryable, userId: number, keptDigest?: string): Promise<number> {
  const rows = await tx.query<{ runs: boolean }>(
    `delete from session where user_id = $1 and digest is distinct from $2 returning expires_at > ${nowSql} as runs`,
    [userId, keptDigest ?? null],
  )
  return rows.filter(({ runs }) => runs).length
}

/** Forgets sessions that have ended. */
export async function deleteEndedSessions(database: Queryable): Promise<void> {
  await database.query(`delete from session where expires_at <= ${nowSql}`)
}
