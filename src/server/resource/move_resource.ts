import type { PermissionMask } from '../../access/permission_mask.ts'
import { problem } from '../../contract/problems.ts'
import { isAllowedParent } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import { findResourcePlace } from '../../store/resource/resource_class.ts'
import type { LockedResource } from '../../store/resource/resource_row.ts'
import { findDepthUnder, isWithin, moveResource } from '../../store/resource/resource_tree.ts'
import type { Caller } from '../auth/caller.ts'
import { checkMask, notFound } from './require_permission.ts'
import { checkDepth, wrongParent } from './write_resources.ts'

/** A resource that is to stand under another parent. */
export interface Move {
  readonly standing: LockedResource
  readonly newParentId: number
}

/**
 * Checks that a resource may be put under another parent: there it is allowed, it makes no circle, and children of
 * both parents are the caller's to manage.
 *
 * @throws {Problem} resource/hierarchy, resource/not-found, access/denied
 */
export async function checkMove(
  tx: Queryable,
  { standing, newParentId, masks }: Move & { readonly masks: ReadonlyMap<number, PermissionMask> },
): Promise<void> {
  const { id, cls, parentId } = standing
  if (parentId === null) throw hierarchy(id, 'The root cannot be moved.')
  const parent = await findResourcePlace(tx, newParentId)
  if (parent === undefined) throw notFound(newParentId)
  checkMask(masks.get(newParentId), newParentId, 'resource.read')
  if (!isAllowedParent(cls, parent.cls)) throw wrongParent(cls, newParentId, parent.cls)
  if (await isWithin(tx, newParentId, id))
    throw hierarchy(id, `Resource id = ${id} cannot be moved under itself, to resource id = ${newParentId}.`)
  checkDepth(newParentId, await findDepthUnder(tx, id, newParentId))
  checkMask(masks.get(parentId), parentId, 'resource.manage_children')
  checkMask(masks.get(newParentId), newParentId, 'resource.manage_children')
}

/**
 * Moves a resource, and refuses it where the caller could not have created it at its new place.
 *
 * @throws {Problem} access/denied
 */
export async function move(tx: Queryable, caller: Caller, { standing, newParentId }: Move): Promise<void> {
  const { id } = standing
  await moveResource(tx, id, newParentId)
  checkMask((await findPermissionMasks(tx, caller, [id])).get(id), id, 'resource.create')
}

function hierarchy(id: number, message: string) {
  return problem('resource/hierarchy', message, { resource: id, data: { resource: { id } } })
}
