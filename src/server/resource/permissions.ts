import { hasPermission, type PermissionMask } from '../../access/mask.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import { scopes } from '../../contract/permissions.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'

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
