import type { PermissionMask } from '../../access/permission_mask.ts'
import { problem } from '../../contract/problems.ts'
import { isAllowedParent } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import { isResourceId } from '../../store/resource/resource_id.ts'
import type { LockedResource } from '../../store/resource/resource_row.ts'
import { findMoveFacts, type MoveFacts, moveResources } from '../../store/resource/resource_tree.ts'
import type { Caller } from '../auth/caller.ts'
import { checkMask, notFound } from './require_permission.ts'
import { checkDepth, wrongParent } from './write_resources.ts'

/** A resource that is to stand under another parent. */
export interface Move {
  readonly standing: LockedResource
  readonly newParentId: number
}

type Masks = ReadonlyMap<number, PermissionMask>

/**
 * Checks that resources may be put under other parents: there they are allowed, they make no circle, and children of
 * both parents are the caller's to manage.
 *
 * @throws {Problem} resource/hierarchy, resource/not-found, access/denied
 */
export async function checkMoves(tx: Queryable, moves: readonly Move[], masks: Masks): Promise<void> {
  if (moves.length === 0) return
  for (const { standing, newParentId } of moves) {
    if (standing.parentId === null) throw hierarchy(standing.id, 'The root cannot be moved.')
    if (!isResourceId(newParentId)) throw notFound(newParentId)
  }
  const facts = await findMoveFacts(tx, moves.map(placeOf))
  for (const [at, one] of moves.entries()) {
    const found = facts[at]
    if (found === undefined) throw new Error('a move without facts')
    checkMove(one, found, masks)
  }
}

function checkMove({ standing, newParentId }: Move, facts: MoveFacts, masks: Masks): void {
  const { id, cls, parentId } = standing
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
 * Moves resources, none of which stands below another or gets a parent below one, and refuses it where the caller could
 * not have created them at their new places.
 *
 * @throws {Problem} access/denied
 */
export async function moveAll(tx: Queryable, caller: Caller, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  const ids = moves.map(({ standing }) => standing.id)
  await moveResources(tx, moves.map(placeOf))
  const masks = await findPermissionMasks(tx, caller, ids)
  for (const id of ids) checkMask(masks.get(id), id, 'resource.create')
}

const placeOf = ({ standing, newParentId }: Move) => ({ id: standing.id, parentId: newParentId })

function hierarchy(id: number, message: string) {
  return problem('resource/hierarchy', message, { resource: id, data: { resource: { id } } })
}
