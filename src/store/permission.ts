import type { PermissionName } from '../contract/permissions.ts'
import type { Cls } from '../contract/registry.ts'
import type { Queryable } from '../database/database.ts'
import type { Asker } from './asker.ts'
import { classMask, hasPermission, type PermissionMask } from './permission_mask.ts'
import { permissionSql, placedPermissionSql } from './permission_sql.ts'
import { isResourceId } from './resource_id.ts'

/** A resource that does not exist yet, where it is going to stand. Who asks is its owner. */
export interface Placed {
  readonly id: number
  readonly cls: Cls
  readonly parentId: number
}

/**
 * Computes the effective permissions of one asker on many resources, in one statement. Ids that are no resource are
 * left out.
 */
export async function findPermissionMasks(
  tx: Queryable,
  asker: Asker,
  ids: readonly number[],
): Promise<Map<number, PermissionMask>> {
  const known = ids.filter(isResourceId)
  if (known.length === 0) return new Map()
  if (asker.superuser) return findSuperuserMasks(tx, known)
  const rows = await tx.query<MaskRow>(permissionSql, [known, asker.principalIds, asker.id])
  return new Map(rows.map(({ id, mask }) => [id, mask]))
}

/** The same for a resource that is about to be created, and for its parent; empty where there is no such parent. */
export async function findPlacedMasks(
  tx: Queryable,
  asker: Asker,
  { id, cls, parentId }: Placed,
): Promise<Map<number, PermissionMask>> {
  if (asker.superuser) return (await findSuperuserMasks(tx, [parentId])).set(id, classMask(cls))
  const values = [[id, parentId], asker.principalIds, asker.id, id, cls, parentId]
  const rows = await tx.query<MaskRow>(placedPermissionSql, values)
  return new Map(rows.map(({ id: found, mask }) => [found, mask]))
}

/** Of some resources, gives those on which the asker has a permission. */
export async function findPermittedIds(
  tx: Queryable,
  asker: Asker,
  { ids, permission }: { readonly ids: readonly number[]; readonly permission: PermissionName },
): Promise<Set<number>> {
  const masks = await findPermissionMasks(tx, asker, ids)
  return new Set([...masks].filter(([, mask]) => hasPermission(mask, permission)).map(([id]) => id))
}

/** Tells all processes that permissions of standing resources have changed. Call it in the changing transaction. */
export async function touchPermissionEpoch(tx: Queryable): Promise<void> {
  await tx.query('update permission_epoch set value = value + 1')
}

interface MaskRow {
  readonly id: number
  readonly mask: PermissionMask
}

async function findSuperuserMasks(
  tx: Queryable,
  ids: readonly number[],
): Promise<Map<number, PermissionMask>> {
  const rows = await tx.query<{ id: number; cls: Cls }>(
    'select id, cls from resource where id = any($1::int[])',
    [ids],
  )
  return new Map(rows.map(({ id, cls }) => [id, classMask(cls)]))
}
