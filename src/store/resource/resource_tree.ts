import { markerKeys } from '../../contract/markers.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { deleteReferences } from './reference.ts'
import { treeLock } from './resource_row.ts'

/** Locks the tree against other creations, moves and deletions until the end of the transaction. */
export async function lockTree(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${treeLock})`)
}

/** Puts a resource, with all below it, under another parent. The tree has to be locked. */
export async function moveResource(tx: Queryable, id: number, parentId: number): Promise<void> {
  await tx.query('update resource set parent_id = $2 where id = $1', [id, parentId])
  await tx.query(
    `delete from resource_path
      where descendant_id in (select descendant_id from resource_path where ancestor_id = $1)
        and ancestor_id not in (select descendant_id from resource_path where ancestor_id = $1)`,
    [id],
  )
  await tx.query(
    `insert into resource_path (ancestor_id, descendant_id, depth)
     select above.ancestor_id, below.descendant_id, above.depth + below.depth + 1
       from resource_path above, resource_path below
      where above.descendant_id = $2 and below.ancestor_id = $1`,
    [id, parentId],
  )
}

/** Returns whether a resource is, or stands below, another one. */
export async function isWithin(tx: Queryable, id: number, ancestorId: number): Promise<boolean> {
  const rows = await tx.query('select from resource_path where descendant_id = $1 and ancestor_id = $2', [
    id,
    ancestorId,
  ])
  return rows.length > 0
}

/** Returns the level that the lowest resource of a subtree would stand on under another parent. */
export async function findDepthUnder(tx: Queryable, id: number, parentId: number): Promise<number> {
  const [row] = await tx.query<{ depth: number }>(
    `select (select max(depth) from resource_path where descendant_id = $2)
          + (select max(depth) from resource_path where ancestor_id = $1) + 1 as depth`,
    [id, parentId],
  )
  return row?.depth ?? 0
}

/** A resource of a subtree. */
export interface SubtreeNode {
  readonly id: number
  readonly cls: Cls
  readonly parentId: number | null
  readonly displayName: string
  /** Whether the marker that prevents deletion is set. */
  readonly isProtected: boolean
}

/** A resource of one of some subtrees. */
export interface RootedNode extends SubtreeNode {
  /** The root of the subtree. */
  readonly rootId: number
}

/** Lists a resource and its descendants, parents before children. */
export function listSubtree(tx: Queryable, id: number): Promise<SubtreeNode[]> {
  return listSubtrees(tx, [id])
}

/** Lists resources and their descendants, parents before children. A descendant of two of them is listed twice. */
export async function listSubtrees(tx: Queryable, rootIds: readonly number[]): Promise<RootedNode[]> {
  return tx.query<RootedNode>(
    `select p.ancestor_id as "rootId", r.id, r.cls, r.parent_id as "parentId", r.display_name as "displayName",
            exists (select from resmeta m where m.resource_id = r.id and m.key = $2 and m.value = 'true'::jsonb)
              as "isProtected"
       from resource_path p join resource r on r.id = p.descendant_id
      where p.ancestor_id = any($1::int[])
      order by p.depth, r.id`,
    [rootIds, markerKeys.protect],
  )
}

/**
 * Lists resources of subtrees whose permissions, for given principals, are those of all: the roots, resources with rules
 * for the principals, and one of each parent, class and owner of the others.
 */
export async function listRepresentatives(
  tx: Queryable,
  topIds: readonly number[],
  principalIds: readonly number[],
): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    `select min(r.id) as id from resource_path p join resource r on r.id = p.descendant_id
      where p.ancestor_id = any($1::int[])
      group by r.parent_id, r.cls, r.owner_id, case when r.id = any($1::int[]) or exists (
        select from rule u where u.resource_id = r.id and u.principal_id = any($2::int[])) then r.id end`,
    [topIds, principalIds],
  )
  return rows.map(({ id }) => id)
}

/** Deletes resources; their descendants must be included. */
export async function deleteResources(tx: Queryable, ids: readonly number[]): Promise<void> {
  await deleteReferences(tx, ids)
  await tx.query('delete from resource where id = any($1::int[])', [ids])
}

/** Lists the ancestors of each resource, the root first. */
export async function listPaths(tx: Queryable, ids: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await tx.query<{ id: number; above: number[] }>(
    `select descendant_id as id, json_agg(ancestor_id order by depth desc) as above
       from resource_path where descendant_id = any($1::int[]) and depth > 0 group by descendant_id`,
    [ids],
  )
  return new Map(rows.map(({ id, above }) => [id, above]))
}

/** Lists the ancestors of resources, each once, the root first. */
export async function listAncestors(tx: Queryable, ids: readonly number[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    `select ancestor_id as id, max(depth) as depth from resource_path
      where descendant_id = any($1::int[]) and depth > 0
      group by ancestor_id order by depth desc, id`,
    [ids],
  )
  return rows.map(({ id }) => id)
}
