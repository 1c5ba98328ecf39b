import { hasPermission, type PermissionMask } from '../../access/permission_mask.ts'
import { type PermissionName, permissionsOf } from '../../contract/permissions.ts'
import { problem } from '../../contract/problems.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'
import type { Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermittedIds } from '../../store/access/effective_permission.ts'
import type { PermissionSubject } from '../../store/access/permission_subject.ts'
import { findResourceClasses } from '../../store/resource/resource_class.ts'
import type { ServerContext } from '../context.ts'

/**
 * Checks that the caller has a permission on each of some resources. For reading: it answers from the cache. A write
 * checks in its own transaction, with `checkMask` or `permittedIds`. Gives all that the caller may do with them.
 *
 * @throws {Problem} resource/not-found, access/denied
 */
export async function requirePermission(
  { permissions, database }: Pick<ServerContext, 'permissions' | 'database'>,
  caller: PermissionSubject,
  { ids, permission }: { readonly ids: readonly number[]; readonly permission: PermissionName },
): Promise<ReadonlyMap<number, PermissionMask>> {
  const masks = await permissions.findMasks(caller, ids)
  for (const id of ids) {
    const mask = masks.get(id)
    if (mask !== undefined && !hasPermission(mask, permission) && hasPermission(mask, 'resource.read'))
      await requireScope(database, id, permission)
    checkMask(mask, id, permission)
  }
  return masks
}

/** Tells apart what nobody may do with a resource, since its class has no such thing, from what the caller may not. */
async function requireScope(database: Queryable, id: number, permission: PermissionName): Promise<void> {
  const cls = (await findResourceClasses(database, [id])).get(id)
  if (cls === undefined) return
  const [scope] = permission.split('.')
  if (!permissionsOf(descriptorOf(cls).scopes).includes(permission)) throw lacks(id, cls, `"${scope}"`)
}

function lacks(id: number, cls: Cls, what: string): Problem {
  const { label } = descriptorOf(cls)
  return problem('resource/not-found', `Resource with id = ${id} is a "${label}", which has no ${what}.`, {
    hint: 'Name a resource of a class that has it.',
    resource: id,
    data: { resource_id: id },
  })
}

/** Gives the problem of a resource that lacks a part, such as features, or does not exist. */
export async function lacksPart(queryable: Queryable, id: number, part: string): Promise<Problem> {
  const cls = (await findResourceClasses(queryable, [id])).get(id)
  return cls === undefined ? notFound(id) : lacks(id, cls, part)
}

/** Of some resources, gives those on which the caller has a permission. Computed afresh, in one statement. */
export function permittedIds(
  queryable: Queryable,
  caller: PermissionSubject,
  wanted: { readonly ids: readonly number[]; readonly permission: PermissionName },
): Promise<Set<number>> {
  return findPermittedIds(queryable, caller, wanted)
}

/**
 * Checks one resource's mask; undefined means that there is no such resource.
 *
 * @throws {Problem} resource/not-found, access/denied
 */
export function checkMask(
  mask: PermissionMask | undefined,
  id: number,
  permission: PermissionName,
): asserts mask is PermissionMask {
  if (mask === undefined) throw notFound(id)
  if (!hasPermission(mask, permission)) throw denied(id, permission)
}

/** A resource that does not exist. `written` is the id as sent: a number beyond 2^53 is rounded. */
export function notFound(id: number, written?: string): Problem {
  const resource = Number.isSafeInteger(id) ? id : written
  const shown = resource === undefined ? 'that id' : `id = ${resource}`
  return problem('resource/not-found', `Resource with ${shown} was not found.`, {
    resource,
    data: resource === undefined ? {} : { resource_id: resource },
  })
}

/** A permission that is lacking. */
export function denied(id: number, name: PermissionName): Problem {
  const [scope = '', permission = ''] = name.split('.')
  return problem(
    'access/denied',
    `Insufficient '${permission}' permission in scope '${scope}' on resource id = ${id}.`,
    { resource: id, data: { resource: { id }, permission, scope } },
  )
}
