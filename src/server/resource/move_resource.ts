import type { PermissionMask } from '../../access/permission_mask.ts'
import { isResourceId } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { isAllowedParent } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import type { LockedResource } from '../../store/resource/resource_row.ts'
import { findMoveFacts, type MoveFacts, moveResources } from '../../store/resource/resource_tree.ts'
import type { Caller } from '../auth/caller.ts'
import { checkMask, notFound } from './require_permission.ts'
import { checkDepth, wrongParent } from './write_resources.ts'

/** A move of a resource to another parent. */
export interface Move {
  readonly current: LockedResource
  readonly newParentId: number
}

type Masks = ReadonlyMap<number, PermissionMask>

/**
 * Checks that resources can be moved: the new parent accepts their class, no cycle arises, and the caller can manage the
 * children of both parents.
 *
 * @throws {Problem} resource/hierarchy, resource/not-found, access/denied
 */
export async function checkMoves(tx: Queryable, moves: readonly Move[], masks: Masks): Promise<void> {
  if (moves.length === 0) return
  for (const { current, newParentId } of moves) {
    if (current.parentId === null) throw hierarchy(current.id, 'The root cannot be moved.')
    if (!isResourceId(newParentId)) throw notFound(newParentId)
  }
  const facts = await findMoveFacts(tx, moves.map(placeOf))
  for (const [at, one] of moves.entries()) {
    const moveFacts = facts[at]
    if (moveFacts === undefined) throw new Error('a move without facts')
    checkMove(one, moveFacts, masks)
  }
}

function checkMove({ current, newParentId }: Move, facts: MoveFacts, masks: Masks): void {
  const { id, cls, parentId } = current
  if (facts.parentCls === null) throw notFound(newParentId)
  checkMask(masks.get(newParentId), newParentId, 'resource.read')
  if (!isAllowedParent(cls, facts.parentCls)) throw wrongParent(cls, newParentId, facts.parentCls)
  if (facts.isWithin)
    throw hierarchy(id, `Resource id = ${id} cannot be moved under itself, to resource id = ${newParentId}.`)
  checkDepth(newParentId, facts.depth)
  for (const parent of [parentId, newParentId])
    if (parent !== null) checkMask(masks.get(parent), parent, 'resource.manage_children')
}

/**
 * Moves resources, and rejects moves to places where the caller could not have created them. No resource may be a
 * descendant of another, nor get a parent that is one.
 *
 * @throws {Problem} access/denied
 */
export async function moveAll(tx: Queryable, caller: Caller, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  const ids = moves.map(({ current }) => current.id)
  await moveResources(tx, moves.map(placeOf))
  const masks = await findPermissionMasks(tx, caller, ids)
  for (const id of ids) checkMask(masks.get(id), id, 'resource.create')
}

const placeOf = ({ current, newParentId }: Move) => ({ id: current.id, parentId: newParentId })

function hierarchy(id: number, message: string) {
  return problem('resource/hierarchy', message, { resource: id, data: { resource: { id } } })
}
