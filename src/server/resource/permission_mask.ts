import { hasPermission, type PermissionMask } from '../../access/permission_mask.ts'
import { type PermissionName, scopes } from '../../contract/permissions.ts'
import { problem } from '../../contract/problems.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import type { PermissionSubject } from '../../store/access/permission_subject.ts'
import { findUserById } from '../../store/auth/principal.ts'
import { findResourcePlace } from '../../store/resource/resource_class.ts'
import type { ApiRequest } from '../http/handler.ts'
import { notFound, requirePermission } from './require_permission.ts'

type Request = Pick<ApiRequest<'resource.permission'>, 'context' | 'caller' | 'params' | 'query'>

/** The user whose permissions a request reads, and the class of the resource. */
export interface PermissionTarget {
  readonly subject: PermissionSubject
  readonly cls: Cls
}

/**
 * Finds the user whose permissions a request reads, and checks the caller: own permissions require read access to the
 * resource, those of other users the permission to change its rules.
 *
 * @throws {Problem} resource/not-found, access/denied, request/invalid
 */
export async function findPermissionTarget({
  context,
  caller,
  params: { id },
  query,
}: Request): Promise<PermissionTarget> {
  const place = await findResourcePlace(context.database, id)
  if (place === undefined) throw notFound(id)
  const { user: userId = caller.id } = query
  const permission = userId === caller.id ? 'resource.read' : 'resource.change_permissions'
  await requirePermission(context, caller, { ids: [id], permission })
  const subject = userId === caller.id ? caller : await findUserById(context.database, userId)
  if (subject !== undefined) return { subject, cls: place.cls }
  throw problem('request/invalid', `Parameter "user": user id = ${userId} does not exist.`, {
    data: { location: ['query', 'user'] },
  })
}

/** Reads the effective permissions of a user on a resource. */
export async function readPermissions(request: Request): Promise<Record<string, Record<string, boolean>>> {
  const { subject, cls } = await findPermissionTarget(request)
  const { id } = request.params
  const mask = (await findPermissionMasks(request.context.database, subject, [id])).get(id) ?? 0
  return describePermissions(cls, mask)
}

/** Encodes a mask for clients: the scopes of the class, each with all its permissions. */
export function describePermissions(cls: Cls, mask: PermissionMask): Record<string, Record<string, boolean>> {
  return Object.fromEntries(
    descriptorOf(cls).scopes.map((scope) => {
      const names = Object.keys(scopes[scope].permissions)
      const held = names.map((name) => [name, hasPermission(mask, `${scope}.${name}` as PermissionName)])
      return [scope, Object.fromEntries(held)]
    }),
  )
}
