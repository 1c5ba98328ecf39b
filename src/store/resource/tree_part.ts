import { fieldMarkKey } from '../../contract/field_marks.ts'
import { maxResourceId } from '../../contract/limits.ts'
import { formatManager, markerKeys } from '../../contract/markers.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import type { BodyOf } from '../../contract/route.ts'
import type { resourceRoutes } from '../../contract/routes/resource.ts'
import type { Queryable } from '../../database/database.ts'
import { allReferenceColumns } from './reference.ts'

/** What a plan of a manifest depends on. */
export type TreePart = BodyOf<(typeof resourceRoutes)['resource.tree_part']>

/** A resource of a part of the tree, and what the caller must be able to read to learn that it is one. */
export interface PartItem {
  readonly id: number
  /** Resource whose attribute makes the other one a part of the tree; often the same one. */
  readonly holderId: number
  /** Permission on the holder that reading the attribute needs. */
  readonly read: PermissionName
}

/** Lists the resources of a part of the tree, once for each reason. */
export async function listTreePart(tx: Queryable, part: TreePart): Promise<PartItem[]> {
  const { manifest, managers = [], keynames = [], ids = [], names = [], below = [], referrers = [] } = part
  const placed = names.filter(({ parent }) => isResourceId(parent))
  return tx.query<PartItem>(wantedSql, [
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
  ])
}

/** Returns the number of all resources. */
export async function countResources(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ count: number }>('select count(*)::int as count from resource')
  return row?.count ?? 0
}

/** Start of the markers of a manifest: the rest is the id of the resource. */
const managedBy = (manifest: string) => formatManager({ manifest, id: 0 }).slice(0, -1)

/** Tells whether a resource can have an id: manifests may name any number. */
const isResourceId = (id: number) => id <= maxResourceId

/** References to resources `$9` and to their descendants. */
const referrersSql = allReferenceColumns
  .map(
    ({ table, column, referrer, read }) =>
      `select ${referrer}, ${referrer}, '${read}' from ${table} where ${column} in (table targets)`,
  )
  .join(' union ')

/** Permission to read which connection a layer uses. */
const readConnection = allReferenceColumns.find(({ table }) => table === 'resource_connection')?.read

// The permissions on data depend on those on their connection.
const wantedSql = `
  with inside as materialized (
    select descendant_id as id from resource_path where ancestor_id = any($8::int[])),
  scope as materialized (
    select id, id as holder, 'resource.read' as read from inside
    union
    select p.descendant_id, c.resource_id, '${readConnection}'
      from resource_connection c join resource_path p on p.ancestor_id = c.resource_id
     where c.connection_id in (table inside)),
  targets as materialized (
    select descendant_id as id from resource_path where ancestor_id = any($9::int[])),
  wanted as (
    select resource_id as id, resource_id as holder, 'metadata.read' as read from resmeta
     where key = $1 or (key = $2 and starts_with(value #>> '{}', $3))
    union select m.resource_id, m.resource_id, 'metadata.read' from unnest($10::text[]) as marker
            join resmeta m on m.key = $2 and starts_with(m.value #>> '{}', marker)
    union select id, id, 'resource.read' from resource where keyname = any($4::text[]) or id = any($5::int[])
    union select r.id, r.id, 'resource.read' from unnest($6::int[], $7::text[]) as n (parent_id, display_name)
            join resource r using (parent_id, display_name)
    union table scope
    union select connection_id, resource_id, '${readConnection}' from resource_connection
           where resource_id in (select id from scope)
    union ${referrersSql})
  select id, holder as "holderId", read from wanted`
