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

/** Whose permissions on what are asked about. */
export interface Asked {
  readonly asker: PermissionSubject
  readonly cls: Cls
}

/**
 * Finds whose permissions a request asks about, and checks that they may be told: one's own to who may read the
 * resource, those of others to who may change its rules.
 *
 * @throws {Problem} resource/not-found, access/denied, request/invalid
 */
export async function findAsked({ context, caller, params: { id }, query }: Request): Promise<Asked> {
  const place = await findResourcePlace(context.database, id)
  if (place === undefined) throw notFound(id)
  const { user: userId = caller.id } = query
  const permission = userId === caller.id ? 'resource.read' : 'resource.change_permissions'
  await requirePermission(context, caller, { ids: [id], permission })
  const asker = userId === caller.id ? caller : await findUserById(context.database, userId)
  if (asker !== undefined) return { asker, cls: place.cls }
  throw problem('request/invalid', `Parameter "user": there is no user with id ${userId}.`, {
    data: { location: ['query', 'user'] },
  })
}

/** Reads the effective permissions that a request asks about. */
export async function readPermissions(request: Request): Promise<Record<string, Record<string, boolean>>> {
  const { asker, cls } = await findAsked(request)
  const { id } = request.params
  const mask = (await findPermissionMasks(request.context.database, asker, [id])).get(id) ?? 0
  return describePermissions(cls, mask)
}

/** Writes a mask as clients read it: scopes of the class, each with all its permissions. */
export function describePermissions(cls: Cls, mask: PermissionMask): Record<string, Record<string, boolean>> {
  return Object.fromEntries(
    descriptorOf(cls).scopes.map((scope) => {
      const names = Object.keys(scopes[scope].permissions)
      const held = names.map((name) => [name, hasPermission(mask, `${scope}.${name}` as PermissionName)])
      return [scope, Object.fromEntries(held)]
    }),
  )
}
