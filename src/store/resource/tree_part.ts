import { fieldMarkKey } from '../../contract/field_marks.ts'
import { maxResourceId } from '../../contract/limits.ts'
import { formatManager, markerKeys } from '../../contract/markers.ts'
import type { BodyOf } from '../../contract/route.ts'
import type { resourceRoutes } from '../../contract/routes/resource.ts'
import type { Queryable } from '../../database/database.ts'
import { allReferenceColumns } from './reference.ts'

/** What a plan of a manifest depends on. */
export type TreePart = BodyOf<(typeof resourceRoutes)['resource.tree_part']>

/** Lists the resources of a part of the tree; undefined if they are at least half of all resources. */
export async function listTreePart(tx: Queryable, part: TreePart): Promise<number[] | undefined> {
  const { manifest, managers = [], keynames = [], ids = [], names = [], below = [], referrers = [] } = part
  const placed = names.filter(({ parent }) => isResourceId(parent))
  const rows = await tx.query<{ id: number | null; isPart: boolean }>(
    `with wanted as materialized (${wantedSql}),
       counts as (select (select count(*) from wanted) * 2 < (select count(*) from resource) as "isPart")
     select w.id, c."isPart" from counts c left join wanted w on c."isPart"`,
    [
      manifest === undefined ? null : fieldMarkKey(manifest),
      markerKeys.manager,
      manifest === undefined ? null : managedBy(manifest),
      keynames,
      ids.filter(isResourceId),
      placed.map(({ parent }) => parent),
      placed.map(({ display_name }) => display_name),
      below.filter(isResourceId),
      referrers.filter(isResourceId),
      managers.map(managedBy),
    ],
  )
  return rows[0]?.isPart ? rows.flatMap(({ id }) => id ?? []) : undefined
}

/** Start of the markers of a manifest: the rest is the id of the resource. */
const managedBy = (manifest: string) => formatManager({ manifest, id: 0 }).slice(0, -1)

/** Tells whether a resource can have an id: manifests may name any number. */
const isResourceId = (id: number) => id <= maxResourceId

/** References to resource \`$9\` and to their descendants. */
const referrersSql = allReferenceColumns
  .map(({ table, column, referrer }) => `select ${referrer} from ${table} where ${column} in (table targets)`)
  .join(' union ')

// The permissions on data depend on those on their connection.
const wantedSql = `
  with inside as materialized (
    select descendant_id as id from resource_path where ancestor_id = any($8::int[])),
  scope as materialized (
    table inside
    union
    select p.descendant_id from resource_connection c join resource_path p on p.ancestor_id = c.resource_id
     where c.connection_id in (table inside)),
  targets as materialized (
    select descendant_id as id from resource_path where ancestor_id = any($9::int[]))
  select resource_id as id from resmeta
   where key = $1 or (key = $2 and starts_with(value #>> '{}', $3))
  union select m.resource_id from unnest($10::text[]) as marker
          join resmeta m on m.key = $2 and starts_with(m.value #>> '{}', marker)
  union select id from resource where keyname = any($4::text[])
  union select id from resource where id = any($5::int[])
  union select r.id from unnest($6::int[], $7::text[]) as n (parent_id, display_name)
          join resource r using (parent_id, display_name)
  union table scope
  union select connection_id from resource_connection where resource_id in (table scope)
  union ${referrersSql}`
