import type { GeoserviceType } from '../../contract/catalog/catalog.ts'
import type { Queryable } from '../../database/database.ts'

/** A geoservice to check. */
export interface CheckTarget {
  readonly id: number
  readonly type: GeoserviceType
  /** As it was written: of tiles, a template. */
  readonly url: string
  readonly epsg: number | null
  readonly params: string | null
  readonly layers: string | null
  readonly layer: string | null
  readonly z_min: number | null
  readonly z_max: number | null
  readonly y_origin_top: boolean
  /** Position in degrees inside the largest part of the boundary. The center of the extent may lie outside of it. */
  readonly position: readonly [lon: number, lat: number] | null
}

/** Which geoservices a run of checks claims. */
export interface ClaimFilter {
  /** Services without a check since then. */
  readonly uncheckedSince: Date
  /** Only these services; all if absent. */
  readonly ids?: readonly number[] | undefined
  /** Whether nothing is claimed while another run has claims. */
  readonly isExclusive?: boolean
}

/** A run of checks. */
export interface CheckRun {
  /** Identifies the run among those of all processes. */
  readonly run: string
  /** Time after which services that the run claimed can be claimed by others, unless it renews its claims. */
  readonly claimSeconds: number
}

const nowSql = "now() at time zone 'utc'"
/** A timestamp of JavaScript as a parameter. */
const timestamp = (time: Date) => time.toISOString().replace('Z', '')

/** A part of the services that a filter selects, in the order of their ids. */
export interface ClaimPage {
  /** Id of the last service before it. */
  readonly after: number
  readonly limit: number
}

/**
 * Claims the next services in a transaction, so that no other run checks them meanwhile, and returns them. Leaves out
 * services that other runs have claimed.
 */
export async function claimTargets(
  tx: Queryable,
  { run, claimSeconds }: CheckRun,
  { uncheckedSince, ids, isExclusive = false, after, limit }: ClaimFilter & ClaimPage,
): Promise<CheckTarget[]> {
  // Runs claim one after another, each in view of the claims and results of the others.
  await tx.query("select pg_advisory_xact_lock(hashtext(current_schema() || '.geoservice_claim'))")
  return await tx.query<CheckTarget>(
    `with due as (
       select s.id from geoservice s
         left join geoservice_status c on c.id = s.last_status_id
         left join geoservice_claim k on k.geoservice_id = s.id
        where s.id > $3::integer and (c.check_at is null or c.check_at < $4::timestamp)
          and ($5::integer[] is null or s.id = any($5::integer[]))
          and (k.run is null or k.claimed_until <= ${nowSql})
          and not ($6 and exists (
            select from geoservice_claim o where o.run <> $1::text and o.claimed_until > ${nowSql}))
        order by s.id limit $7::integer),
     claimed as (
       insert into geoservice_claim (geoservice_id, run, claimed_until)
       select id, $1::text, ${nowSql} + make_interval(secs => $2::float8) from due
       on conflict (geoservice_id) do update set run = excluded.run, claimed_until = excluded.claimed_until
       returning geoservice_id)
     select s.id, s.type, s.url, s.epsg, s.params, s.layers, s.layer, s.z_min, s.z_max, s.y_origin_top,
            (select array[ST_X(inside), ST_Y(inside)]
               from (select geom from ST_Dump(s.boundary) order by ST_Area(geom) desc, path limit 1) largest,
                    ST_PointOnSurface(largest.geom) inside
              where s.type = 'tms') as position
       from geoservice s join claimed on claimed.geoservice_id = s.id order by s.id`,
    [run, claimSeconds, after, timestamp(uncheckedSince), ids ?? null, isExclusive, limit],
  )
}

/** Ends the claims of a run on services that it has checked, and renews its others. */
export async function finishClaims(
  tx: Queryable,
  { run, claimSeconds }: CheckRun,
  ids: readonly number[],
): Promise<void> {
  await tx.query('delete from geoservice_claim where run = $1 and geoservice_id = any($2::integer[])', [
    run,
    ids,
  ])
  await tx.query(
    `update geoservice_claim set claimed_until = ${nowSql} + make_interval(secs => $2::float8) where run = $1`,
    [run, claimSeconds],
  )
}

/** Ends all claims of a run, so that other runs can check its services. */
export async function releaseClaims(tx: Queryable, run: string): Promise<void> {
  await tx.query('delete from geoservice_claim where run = $1', [run])
}
