import { markerKeys } from '../../contract/markers.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { dropReferences } from './reference.ts'
import { treeLock } from './resource_row.ts'

/** Keeps everybody else from creating, moving and deleting until the transaction ends. */
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

/** Tells whether a resource is, or stands below, another one. */
export async function isWithin(tx: Queryable, id: number, ancestorId: number): Promise<boolean> {
  const rows = await tx.query('select from resource_path where descendant_id = $1 and ancestor_id = $2', [
    id,
    ancestorId,
  ])
  return rows.length > 0
}

/** Gives the level that the lowest resource of a subtree would stand on under another parent. */
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
  /** Carries the marker that forbids its deletion. */
  readonly isProtected: boolean
}

/** A resource of one of some subtrees. */
export interface RootedNode extends SubtreeNode {
  /** The top of the subtree. */
  readonly rootId: number
}

/** Lists a resource and all below it, parents before children. */
export function listSubtree(tx: Queryable, id: number): Promise<SubtreeNode[]> {
  return listSubtrees(tx, [id])
}

/** Lists resources and all below them, parents before children; what stands below two of them comes twice. */
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
 * Lists resources of some subtrees that stand for all of them in the eyes of some principals: the tops, those with
 * rules for the principals, and of the others one of each parent, class and owner.
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

/** Deletes resources; whatever stands below them has to be among them. */
export async function deleteResources(tx: Queryable, ids: readonly number[]): Promise<void> {
  await dropReferences(tx, ids)
  await tx.query('delete from resource where id = any($1::int[])', [ids])
}

/** Lists the resources above each of some, the root first. */
export async function listPaths(tx: Queryable, ids: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await tx.query<{ id: number; above: number[] }>(
    `select descendant_id as id, json_agg(ancestor_id order by depth desc) as above
       from resource_path where descendant_id = any($1::int[]) and depth > 0 group by descendant_id`,
    [ids],
  )
  return new Map(rows.map(({ id, above }) => [id, above]))
}

/** Lists the resources above some, each once, the root first. */
export async function listAncestors(tx: Queryable, ids: readonly number[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    `select ancestor_id as id, max(depth) as depth from resource_path
      where descendant_id = any($1::int[]) and depth > 0
      group by ancestor_id order by depth desc, id`,
    [ids],
  )
  return rows.map(({ id }) => id)
}
