import type { Queryable } from '../../database/database.ts'

/** A key that a user sent with a request. */
export interface UserKey {
  readonly userId: number
  readonly key: string
}

/** One attempt to do the request of a key. */
export interface Claim extends UserKey {
  readonly claim: string
}

/** What is known of a request that was sent before. */
export interface KeyRecord {
  readonly request: string
  /** Null while somebody is at work on it. */
  readonly answer: string | null
}

/** An attempt that wants to begin. */
export interface NewClaim extends Claim {
  /** Names the process. */
  readonly instance: string
  readonly request: string
  /**
   * An attempt that did not say for so long that it is at work is dead; undefined where no other process can be alive,
   * so that those of others are.
   */
  readonly silentSeconds: number | undefined
  readonly keptHours: number
}

const nowSql = "now() at time zone 'utc'"

/**
 * Begins the request of a key, unless it is done, or somebody else is at work on it. What a dead process began is taken
 * over: it can finish nothing any more.
 */
export async function claimKey(database: Queryable, wanted: NewClaim): Promise<boolean> {
  const { userId, key, claim, instance, request, silentSeconds, keptHours } = wanted
  const rows = await database.query(
    `insert into idempotency_key as k (user_id, key, claim, instance, request) values ($1, $2, $3, $4, $5)
     on conflict (user_id, key) do update
        set claim = excluded.claim, instance = excluded.instance, request = excluded.request,
            answer = null, touched_at = ${nowSql}, created_at = ${nowSql}
      where k.created_at < ${nowSql} - make_interval(hours => $7::int)
         or (k.answer is null and case when $6::float8 is null then k.instance <> excluded.instance
             else k.touched_at < ${nowSql} - make_interval(secs => $6) end)
     returning claim`,
    [userId, key, claim, instance, request, silentSeconds ?? null, keptHours],
  )
  return rows.length > 0
}

/** Finds what is known of a key. */
export async function findKey(database: Queryable, { userId, key }: UserKey): Promise<KeyRecord | undefined> {
  const [row] = await database.query<KeyRecord>(
    'select request, answer from idempotency_key where user_id = $1 and key = $2',
    [userId, key],
  )
  return row
}

/** Keeps what is answered, in the transaction that does the work. Tells whether the attempt still was the one. */
export async function keepAnswer(
  tx: Queryable,
  { userId, key, claim }: Claim,
  answer: string,
): Promise<boolean> {
  const rows = await tx.query(
    `update idempotency_key set answer = $4
      where user_id = $1 and key = $2 and claim = $3 and answer is null returning key`,
    [userId, key, claim, answer],
  )
  return rows.length > 0
}

/** Says that an attempt is still at work. */
export async function touchClaim(database: Queryable, { userId, key, claim }: Claim): Promise<void> {
  await database.query(
    `update idempotency_key set touched_at = ${nowSql}
      where user_id = $1 and key = $2 and claim = $3 and answer is null`,
    [userId, key, claim],
  )
}

/** Forgets an attempt that failed: nothing was done, and the same key may be sent again. */
export async function releaseClaim(database: Queryable, { userId, key, claim }: Claim): Promise<void> {
  await database.query(
    'delete from idempotency_key where user_id = $1 and key = $2 and claim = $3 and answer is null',
    [userId, key, claim],
  )
}

/** What is kept at most. */
export interface KeyLimits {
  readonly hours: number
  /** Of one user; the oldest go first. */
  readonly keys: number
  readonly bytes: number
}

/** Forgets keys that are too old, and the oldest of users who have too many. */
export async function deleteOldKeys(database: Queryable, { hours, keys, bytes }: KeyLimits): Promise<void> {
  await database.query(
    `delete from idempotency_key k using (
       select user_id, key, created_at, row_number() over recent as count,
              sum(length(request) + coalesce(length(answer), 0)) over recent as bytes
         from idempotency_key
       window recent as (partition by user_id order by created_at desc, key)) o
      where k.user_id = o.user_id and k.key = o.key
        and (o.created_at < ${nowSql} - make_interval(hours => $1::int) or o.count > $2::int or o.bytes > $3::bigint)`,
    [hours, keys, bytes],
  )
}
