import { hasPermission, type PermissionMask } from '../../access/permission_mask.ts'
import { isResourceId } from '../../contract/limits.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import { problem } from '../../contract/problems.ts'
import { catchProblem, type Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import { rememberDeleted } from '../../store/resource/deleted_resource.ts'
import { listReferrers, type Referrer } from '../../store/resource/reference.ts'
import {
  deleteResources,
  listSubtrees,
  type RootedNode,
  type SubtreeNode,
} from '../../store/resource/resource_tree.ts'
import type { Caller } from '../auth/caller.ts'
import { findBehaviour } from '../classes/behaviours.ts'
import { keepRuleFor } from '../classes/keep_rule.ts'
import type { ServerContext } from '../context.ts'
import { checkMask, notFound } from './require_permission.ts'

/** Effects of deleting resources. */
export interface RemovalPlan {
  /** Resources that would be deleted: the listed ones and their descendants, distinct, parents first. */
  readonly affected: readonly SubtreeNode[]
  /** Resources and descendants that cannot be deleted. */
  readonly unaffected: readonly SubtreeNode[]
  /** Why a listed resource cannot be deleted, by id. */
  readonly faults: ReadonlyMap<number, Problem>
  /** Permissions of the caller on all these resources, by id. */
  readonly masks: Masks
}

/** Resources to delete. */
export interface RemovalRequest {
  readonly ids: readonly number[]
  /** Whether all are deleted at once; if false, each is checked on its own. @default true */
  readonly together?: boolean
}

/**
 * Finds out which resources can be deleted with their descendants. A resource that only other deleted resources use can
 * be deleted with them. The number of statements does not depend on the number of resources.
 */
export async function planRemoval(
  tx: Queryable,
  caller: Caller,
  { ids: rootIds, together = true }: RemovalRequest,
): Promise<RemovalPlan> {
  const nodes = await listSubtrees(tx, rootIds.filter(isResourceId))
  const trees = Map.groupBy(nodes, ({ rootId }) => rootId)
  const faults = new Map<number, Problem>()
  for (const id of rootIds) if (!trees.has(id)) faults.set(id, notFound(id))
  const referrers = await listReferrers(tx, [...new Set(nodes.map(({ id }) => id))])
  const maskIds = [...nodes.flatMap(idsOf), ...referrers.map(({ id }) => id)]
  const masks = await findPermissionMasks(tx, caller, [...new Set(maskIds)])
  for (const [id, tree] of trees) {
    const fault = catchProblem(() => checkTree(id, tree, masks))
    if (fault !== undefined) faults.set(id, fault)
  }
  addReferred({ trees, faults, referrers, masks, together })
  const deletableIds = new Set(nodes.filter(({ rootId }) => !faults.has(rootId)).map(({ id }) => id))
  const each = [...new Map(nodes.map((node) => [node.id, node])).values()]
  return {
    affected: each.filter(({ id }) => deletableIds.has(id)),
    unaffected: each.filter(({ id }) => !deletableIds.has(id)),
    faults,
    masks,
  }
}

/** Who deletes resources. */
export interface Remover {
  readonly context: Pick<ServerContext, 'keptDataDays' | 'keptDataBytes'>
  readonly caller: Caller
}

/** Deletes the affected resources of a plan. The tree lock must be held since before the plan. */
export async function removeNodes(
  tx: Queryable,
  { affected: nodes, masks }: Pick<RemovalPlan, 'affected' | 'masks'>,
  { context, caller }: Remover,
): Promise<void> {
  if (nodes.length === 0) return
  const ids = nodes.map(({ id }) => id)
  // With the versions of data, which the classes delete.
  await rememberDeleted(tx, ids, caller.id)
  const rule = keepRuleFor(context, (id) => (mayRestore(masks.get(id)) ? caller.id : null))
  for (const [cls, group] of Map.groupBy(nodes, (node) => node.cls)) {
    await findBehaviour(cls)?.remove?.(
      tx,
      group.map(({ id }) => id),
      rule,
    )
  }
  await deleteResources(tx, ids)
}

/** Who could read and write the data before may restore them. */
const mayRestore = (mask: PermissionMask = 0) =>
  hasPermission(mask, 'data.read') && hasPermission(mask, 'data.write')

const idsOf = ({ id, parentId }: SubtreeNode) => (parentId === null ? [id] : [id, parentId])

type Masks = ReadonlyMap<number, PermissionMask>

function checkTree(id: number, tree: readonly RootedNode[], masks: Masks): void {
  if (tree.some(({ parentId }) => parentId === null))
    throw problem('resource/hierarchy', 'The root cannot be deleted.', { resource: id })
  for (const node of tree) {
    checkMask(masks.get(node.id), node.id, 'resource.delete')
    if (node.parentId !== null) checkMask(masks.get(node.parentId), node.parentId, 'resource.manage_children')
  }
  const kept = tree.filter(({ isProtected }) => isProtected)
  if (kept.length === 0) return
  throw problem('resource/protected', `Protected from deletion: ${namesOf(kept).join(', ')}.`, {
    data: { resources: kept.map((node) => ({ id: node.id })) },
  })
}

const shownNames = 10

function namesOf(nodes: readonly { readonly id: number; readonly displayName: string }[]): string[] {
  return nodes.slice(0, shownNames).map(({ id, displayName }) => `"${displayName}" (id = ${id})`)
}

interface ReferrerCheck {
  readonly trees: ReadonlyMap<number, readonly RootedNode[]>
  readonly faults: Map<number, Problem>
  readonly referrers: readonly Referrer[]
  readonly masks: Masks
  readonly together: boolean
}

/** Adds faults for resources in use by resources that are not deleted, until no more are found. */
function addReferred({ trees, faults, referrers, masks, together }: ReferrerCheck): void {
  const byTarget = Map.groupBy(referrers, ({ targetId }) => targetId)
  for (let before = -1; before < faults.size; ) {
    before = faults.size
    const remaining = [...trees].filter(([rootId]) => !faults.has(rootId))
    const all = together ? new Set(remaining.flatMap(([, tree]) => tree.map(({ id }) => id))) : undefined
    for (const [rootId, tree] of remaining) {
      const deleted = all ?? new Set(tree.map(({ id }) => id))
      const users = tree.flatMap(({ id }) => byTarget.get(id) ?? []).filter(({ id }) => !deleted.has(id))
      if (users.length > 0) faults.set(rootId, referred(users, masks))
    }
  }
}

const isReadable = (mask: PermissionMask = 0, read: PermissionName) =>
  hasPermission(mask, 'resource.read') && hasPermission(mask, read)

/** Lists the referrers whose references the caller can read, and counts the others. */
function referred(referrers: readonly Referrer[], masks: Masks): Problem {
  const shown = referrers.filter(({ id, read }) => isReadable(masks.get(id), read))
  const names = namesOf(shown)
  const hidden = referrers.length - names.length
  if (hidden > 0) names.push(`${hidden} more`)
  return problem('resource/referenced', `Used by ${names.join(', ')}.`, {
    data: {
      referrers: shown.map(({ id, targetId }) => ({ id, target: { id: targetId } })),
      count: referrers.length,
    },
  })
}
