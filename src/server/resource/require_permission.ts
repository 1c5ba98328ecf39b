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
import { remembered } from '../hot/hot_reads.ts'

/**
 * Checks that the caller has a permission on each resource, and returns the masks. For reads only, since it uses the
 * cache. Writes check in their transaction, with `checkMask` or `permittedIds`.
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

/**
 * Checks that the caller can read each resource that exists.
 *
 * @throws {Problem} access/denied
 */
export async function requireReadable(
  { permissions }: Pick<ServerContext, 'permissions'>,
  caller: PermissionSubject,
  ids: readonly number[],
): Promise<void> {
  for (const [id, mask] of await permissions.findMasks(caller, [...new Set(ids)]))
    checkMask(mask, id, 'resource.read')
}

/** Tells whether the caller is remembered to have a permission on each resource, so that nothing has to be read. */
export function isRemembered(
  context: Pick<ServerContext, 'hot'>,
  caller: PermissionSubject,
  { ids, permission }: { readonly ids: readonly number[]; readonly permission: PermissionName },
): boolean {
  const masks = remembered.masks(context, caller, ids)
  return masks !== undefined && ids.every((id) => hasPermission(masks.get(id) ?? 0, permission))
}

/** Throws if the class of a resource does not have the scope of a permission, so that no caller can have it. */
async function requireScope(database: Queryable, id: number, permission: PermissionName): Promise<void> {
  const cls = (await findResourceClasses(database, [id])).get(id)
  if (cls === undefined) return
  const [scope] = permission.split('.')
  if (!permissionsOf(descriptorOf(cls).scopes).includes(permission)) throw lacks(id, cls, `"${scope}"`)
}

function lacks(id: number, cls: Cls, what: string): Problem {
  const { label } = descriptorOf(cls)
  return problem('resource/not-found', `Resource with id = ${id} is a "${label}", which has no ${what}.`, {
    hint: 'Use a resource of a class that has it.',
    resource: id,
    data: { resource_id: id },
  })
}

/** Returns the problem of a resource that has no part such as features, or does not exist. */
export async function lacksPart(queryable: Queryable, id: number, part: string): Promise<Problem> {
  const cls = (await findResourceClasses(queryable, [id])).get(id)
  return cls === undefined ? notFound(id) : lacks(id, cls, part)
}

/** Finds the resources on which the caller has a permission. Uses one statement and no cache. */
export function permittedIds(
  queryable: Queryable,
  caller: PermissionSubject,
  target: { readonly ids: readonly number[]; readonly permission: PermissionName },
): Promise<Set<number>> {
  return findPermittedIds(queryable, caller, target)
}

/**
 * Checks the mask of a resource; undefined means that it does not exist.
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

/** Returns the problem of a missing resource. `written` is the id as sent, since numbers beyond 2^53 are rounded. */
export function notFound(id: number, written?: string): Problem {
  const resource = Number.isSafeInteger(id) ? id : written
  const shown = resource === undefined ? 'that id' : `id = ${resource}`
  return problem('resource/not-found', `Resource with ${shown} was not found.`, {
    resource,
    data: resource === undefined ? {} : { resource_id: resource },
  })
}

/** Returns the problem of a missing permission. */
export function denied(id: number, name: PermissionName): Problem {
  const [scope = '', permission = ''] = name.split('.')
  return problem(
    'access/denied',
    `Insufficient '${permission}' permission in scope '${scope}' on resource id = ${id}.`,
    { resource: id, data: { resource: { id }, permission, scope } },
  )
}
