import { isResourceId } from '../../contract/limits.ts'
import { markerKeys } from '../../contract/markers.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { neededSql } from '../access/effective_permission.ts'
import { deleteReferences } from './reference.ts'
import { treeLock } from './resource_row.ts'

/** Locks the tree against other creations, moves and deletions until the end of the transaction. */
export async function lockTree(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${treeLock})`)
}

/** A move of a resource to another parent. */
export interface Move {
  readonly id: number
  readonly parentId: number
}

/**
 * Moves resources with their descendants to other parents. None of the resources and parents may be a descendant of
 * another moved resource. The tree must be locked.
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

/** Facts that a move is checked against. */
export interface MoveFacts {
  /** Class of the new parent; null if it does not exist. */
  readonly parentCls: Cls | null
  /** Whether the new parent is the resource itself or a descendant. */
  readonly isWithin: boolean
  /** Resulting depth of the deepest resource of the subtree. */
  readonly depth: number
}

/** Reads the facts of each move, in the order of the list. */
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

/** Facts that determine the order of changes: position and names of a resource. */
export interface TreeFacts {
  readonly id: number
  readonly parentId: number | null
  readonly connectionId: number | null
  readonly displayName: string
  readonly keyname: string | null
}

/** Reads resources, their ancestors, the connections of any of these and their ancestors. */
export async function findTreeFacts(tx: Queryable, ids: readonly number[]): Promise<TreeFacts[]> {
  const known = ids.filter(isResourceId)
  if (known.length === 0) return []
  return tx.query<TreeFacts>(
    `with ${neededSql}
     select r.id, r.parent_id as "parentId", c.connection_id as "connectionId",
            r.display_name as "displayName", r.keyname
       from needed n join resource r on r.id = n.id
       left join resource_connection c on c.resource_id = n.id`,
    [known],
  )
}

/** Lists the resources of subtrees with their keynames. A descendant of two roots is listed twice. */
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
