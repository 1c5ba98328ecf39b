import { markerKeys } from '../../contract/markers.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { dropReferences } from './reference.ts'
import { isResourceId } from './resource_id.ts'
import { treeLock } from './resource_row.ts'

/** Keeps everybody else from creating, moving and deleting until the transaction ends. */
export async function lockTree(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${treeLock})`)
}

/** A resource that gets another parent. */
export interface Move {
  readonly id: number
  readonly parentId: number
}

/**
 * Puts resources, with all below them, under other parents. None of them, nor of the parents, stands below another of
 * them; the tree has to be locked.
 */
export async function moveResources(tx: Queryable, moves: readonly Move[]): Promise<void> {
  const values = [moves.map(({ id }) => id), moves.map(({ parentId }) => parentId)]
  await tx.query(
    `update resource r set parent_id = m.parent_id
       from unnest($1::int[], $2::int[]) as m (id, parent_id) where r.id = m.id`,
    values,
  )
  await tx.query(
    `delete from resource_path p using resource_path below, resource_path above
      where below.ancestor_id = any($1::int[]) and above.descendant_id = below.ancestor_id and above.depth > 0
        and p.descendant_id = below.descendant_id and p.ancestor_id = above.ancestor_id`,
    [values[0]],
  )
  await tx.query(
    `insert into resource_path (ancestor_id, descendant_id, depth)
     select above.ancestor_id, below.descendant_id, above.depth + below.depth + 1
       from unnest($1::int[], $2::int[]) as m (id, parent_id)
       join resource_path above on above.descendant_id = m.parent_id
       join resource_path below on below.ancestor_id = m.id`,
    values,
  )
}

/** What is known of a move before it is done. */
export interface MoveFacts {
  /** Class of the new parent; null where there is no such resource. */
  readonly parentCls: Cls | null
  /** Whether the new parent is the resource, or stands below it. */
  readonly isWithin: boolean
  /** Level that the lowest resource of the subtree would stand on. */
  readonly depth: number
}

/** Finds out what moves would do; in the order of the list. */
export async function findMoveFacts(tx: Queryable, moves: readonly Move[]): Promise<MoveFacts[]> {
  return tx.query<MoveFacts>(
    `select (select cls from resource where id = m.parent_id) as "parentCls",
            exists (select from resource_path where descendant_id = m.parent_id and ancestor_id = m.id)
              as "isWithin",
            coalesce((select max(depth) from resource_path where descendant_id = m.parent_id)
                   + (select max(depth) from resource_path where ancestor_id = m.id) + 1, 0) as depth
       from unnest($1::int[], $2::int[]) with ordinality as m (id, parent_id, nth)
      order by m.nth`,
    [moves.map(({ id }) => id), moves.map(({ parentId }) => parentId)],
  )
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
    `with top as materialized (select distinct unnest($1::int[]) as id),
          below as materialized (
            select distinct p.descendant_id as id from top join resource_path p on p.ancestor_id = top.id),
          ruled as materialized (
            select distinct resource_id as id from rule where principal_id = any($2::int[]))
     select min(r.id) as id
       from below join resource r using (id) left join top using (id) left join ruled using (id)
      group by r.parent_id, r.cls, r.owner_id, coalesce(top.id, ruled.id)`,
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

/** What the order of changes depends on: where a resource stands, and its names. */
export interface TreeFacts {
  readonly id: number
  readonly parentId: number | null
  readonly connectionId: number | null
  readonly displayName: string
  readonly keyname: string | null
}

/** Reads resources, all above them, the connections of any of these and all above those. */
export async function findTreeFacts(tx: Queryable, ids: readonly number[]): Promise<TreeFacts[]> {
  const known = ids.filter(isResourceId)
  if (known.length === 0) return []
  return tx.query<TreeFacts>(
    `with chain as materialized (
       select distinct ancestor_id as id from resource_path where descendant_id = any($1::int[])),
     needed as materialized (
       table chain
       union
       select p.ancestor_id
         from chain n join resource_connection c on c.resource_id = n.id
         join resource_path p on p.descendant_id = c.connection_id)
     select r.id, r.parent_id as "parentId", c.connection_id as "connectionId",
            r.display_name as "displayName", r.keyname
       from needed n join resource r on r.id = n.id
       left join resource_connection c on c.resource_id = n.id`,
    [known],
  )
}

/** Lists the resources of some subtrees with their keynames; what stands below two of the tops comes twice. */
export async function listSubtreeKeynames(
  tx: Queryable,
  rootIds: readonly number[],
): Promise<{ readonly rootId: number; readonly id: number; readonly keyname: string | null }[]> {
  return tx.query(
    `select p.ancestor_id as "rootId", r.id, r.keyname
       from resource_path p join resource r on r.id = p.descendant_id where p.ancestor_id = any($1::int[])`,
    [rootIds.filter(isResourceId)],
  )
}
