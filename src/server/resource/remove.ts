import { hasPermission, type PermissionMask } from '../../access/mask.ts'
import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/permission.ts'
import { listReferrers } from '../../store/reference.ts'
import { lockResource } from '../../store/resource.ts'
import { deleteResources, listSubtree, lockTree, type SubtreeNode } from '../../store/resource_tree.ts'
import { findBehaviour } from '../behaviours/table.ts'
import type { Caller } from '../caller.ts'
import { checkMask, notFound } from '../permit.ts'
import { checkVersion } from './match.ts'
import { type Writer, writeAtOnce } from './write.ts'

/**
 * Deletes a resource and all below it, or nothing. Takes `delete` on each of them and `manage_children` on the parent
 * of each.
 *
 * @throws {Problem} resource/not-found, resource/hierarchy, resource/stale, resource/protected, resource/referenced,
 *   access/denied
 */
export async function removeResource(writer: Writer, id: number): Promise<void> {
  const ifMatch = writer.headers['if-match']
  await writeAtOnce(writer, undefined, async (tx) => {
    await lockTree(tx)
    await writeRemoval(tx, writer, { id, ifMatch })
  })
}

/** A deletion on its way. */
export interface RemovalStep {
  readonly id: number
  /** Entity tags, one of which the resource must have. */
  readonly ifMatch: string | undefined
}

/** Deletes a resource and all below it; the tree has to be locked. Throws like `removeResource`. */
export async function writeRemoval(
  tx: Queryable,
  { caller }: Pick<Writer, 'caller'>,
  { id, ifMatch }: RemovalStep,
): Promise<void> {
  const standing = await lockResource(tx, id)
  if (standing === undefined) throw notFound(id)
  checkVersion(ifMatch, standing)
  if (standing.parentId === null)
    throw problem('resource/hierarchy', 'The root cannot be deleted.', { resource: id })
  const nodes = await listSubtree(tx, id)
  const ids = nodes.map((node) => node.id)
  checkPermissions(nodes, await findPermissionMasks(tx, caller, [...ids, standing.parentId]))
  checkProtection(nodes)
  await checkReferrers(tx, caller, ids)
  for (const [cls, group] of Map.groupBy(nodes, (node) => node.cls)) {
    await findBehaviour(cls)?.remove?.(
      tx,
      group.map((node) => node.id),
    )
  }
  await deleteResources(tx, ids)
}

function checkPermissions(nodes: readonly SubtreeNode[], masks: ReadonlyMap<number, PermissionMask>): void {
  for (const { id, parentId } of nodes) {
    checkMask(masks.get(id), id, 'resource.delete')
    if (parentId !== null) checkMask(masks.get(parentId), parentId, 'resource.manage_children')
  }
}

function checkProtection(nodes: readonly SubtreeNode[]): void {
  const kept = nodes.filter(({ isProtected }) => isProtected)
  if (kept.length === 0) return
  const names = kept.slice(0, 10).map(({ id, displayName }) => `"${displayName}" (id = ${id})`)
  throw problem('resource/protected', `Protected from deletion: ${names.join(', ')}.`, {
    data: { resources: kept.map(({ id }) => ({ id })) },
  })
}

/** Names the referrers that the caller may see, and counts the others. */
async function checkReferrers(tx: Queryable, caller: Caller, ids: readonly number[]): Promise<void> {
  const referrers = await listReferrers(tx, ids)
  if (referrers.length === 0) return
  const masks = await findPermissionMasks(
    tx,
    caller,
    referrers.map(({ id }) => id),
  )
  const shown = referrers.filter(({ id }) => hasPermission(masks.get(id) ?? 0, 'resource.read'))
  const names = shown.slice(0, 10).map(({ id, displayName }) => `"${displayName}" (id = ${id})`)
  const hidden = referrers.length - Math.min(shown.length, 10)
  if (hidden > 0) names.push(`${hidden} more`)
  throw problem('resource/referenced', `Used by ${names.join(', ')}.`, {
    data: {
      referrers: shown.map(({ id, targetId }) => ({ id, target: { id: targetId } })),
      count: referrers.length,
    },
  })
}
