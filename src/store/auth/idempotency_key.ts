import type { Queryable } from '../../database/database.ts'

/** An idempotency key of a user. */
export interface UserKey {
  readonly userId: number
  readonly key: string
}

/** An attempt to execute the request of a key. */
export interface Claim extends UserKey {
  readonly claim: string
}

/** The stored request of a key, and its response. */
export interface KeyRecord {
  readonly request: string
  /** Null while the request is being executed. */
  readonly answer: string | null
}

/** An attempt that asks for the key. */
export interface NewClaim extends Claim {
  /** Identifies the process. */
  readonly instance: string
  readonly request: string
  /**
   * Time without `touchClaim` after which an attempt counts as failed. Undefined if no other process can be running:
   * attempts of other processes have failed then.
   */
  readonly timeoutSeconds: number | undefined
  readonly retentionHours: number
}

const nowSql = "now() at time zone 'utc'"

/**
 * Claims a key for an attempt, unless its request is complete or another attempt is executing it. Claims of failed
 * processes are taken over.
 */
export async function claimKey(database: Queryable, attempt: NewClaim): Promise<boolean> {
  const { userId, key, claim, instance, request, timeoutSeconds, retentionHours } = attempt
  const rows = await database.query(
    `insert into idempotency_key as k (user_id, key, claim, instance, request) values ($1, $2, $3, $4, $5)
     on conflict (user_id, key) do update
        set claim = excluded.claim, instance = excluded.instance, request = excluded.request,
            answer = null, touched_at = ${nowSql}, created_at = ${nowSql}
      where k.created_at < ${nowSql} - make_interval(hours => $7::int)
         or (k.answer is null and case when $6::float8 is null then k.instance <> excluded.instance
             else k.touched_at < ${nowSql} - make_interval(secs => $6) end)
     returning claim`,
    [userId, key, claim, instance, request, timeoutSeconds ?? null, retentionHours],
  )
  return rows.length > 0
}

/** Finds the stored request and response of a key. */
export async function findKey(database: Queryable, { userId, key }: UserKey): Promise<KeyRecord | undefined> {
  const [row] = await database.query<KeyRecord>(
    'select request, answer from idempotency_key where user_id = $1 and key = $2',
    [userId, key],
  )
  return row
}

/** Stores the response, in the transaction of the request. Returns whether the attempt still held the key. */
export async function storeAnswer(
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

/** Records that an attempt is still running. */
export async function touchClaim(database: Queryable, { userId, key, claim }: Claim): Promise<void> {
  await database.query(
    `update idempotency_key set touched_at = ${nowSql}
      where user_id = $1 and key = $2 and claim = $3 and answer is null`,
    [userId, key, claim],
  )
}

/** Releases the key of a failed attempt, whose changes were rolled back, so that the request can be sent again. */
export async function releaseClaim(database: Queryable, { userId, key, claim }: Claim): Promise<void> {
  await database.query(
    'delete from idempotency_key where user_id = $1 and key = $2 and claim = $3 and answer is null',
    [userId, key, claim],
  )
}

/** Limits of stored keys. */
export interface KeyLimits {
  readonly hours: number
  /** Maximum number of keys of a user; the oldest are deleted first. */
  readonly keys: number
  readonly bytes: number
}

/** Deletes expired keys, and the oldest keys of users over the limits. */
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
