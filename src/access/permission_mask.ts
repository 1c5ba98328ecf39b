import {
  findPermission,
  type PermissionName,
  permissionNames,
  permissionsOf,
  scopes,
} from '../contract/permissions.ts'
import { type Cls, clsNames, descriptorOf } from '../contract/registry.ts'

/** A set of permissions as bits, in the order of the contract. */
export type PermissionMask = number

const bits: ReadonlyMap<string, PermissionMask> = new Map(permissionNames.map((name, at) => [name, 1 << at]))

/** Returns the bit of a permission. */
export function permissionBit(name: PermissionName): PermissionMask {
  return bits.get(name) ?? 0
}

/** Mask of all permissions. */
export const allPermissions: PermissionMask = (1 << permissionNames.length) - 1

/** Reports whether a mask contains a permission. */
export function hasPermission(mask: PermissionMask, name: PermissionName): boolean {
  return (mask & permissionBit(name)) !== 0
}

/** Returns the mask of some permissions. */
export function maskOf(names: Iterable<PermissionName>): PermissionMask {
  let mask = 0
  for (const name of names) mask |= permissionBit(name)
  return mask
}

/** Returns the permissions of a mask, in the order of the contract. */
export function namesOf(mask: PermissionMask): PermissionName[] {
  return permissionNames.filter((name) => hasPermission(mask, name))
}

/** All permissions of each class. */
const classMasks = new Map<Cls, PermissionMask>(
  clsNames.map((cls) => [cls, maskOf(permissionsOf(descriptorOf(cls).scopes))]),
)

/** Returns all permissions of a class. */
export function classMask(cls: Cls): PermissionMask {
  return classMasks.get(cls) ?? 0
}

/** Permissions of a rule, by its scope and permission. */
const ruleMasks: ReadonlyMap<string, PermissionMask> = new Map([
  ['.', allPermissions],
  ...Object.entries(scopes).flatMap(([scope, { permissions }]) => {
    const names = Object.keys(permissions).map((permission) => `${scope}.${permission}` as PermissionName)
    const single = names.map((name) => [name, permissionBit(name)] as const)
    return [[`${scope}.`, maskOf(names)] as const, ...single]
  }),
])

/**
 * Returns the permissions that a rule applies to: an empty permission means all of the scope; an empty scope means all
 * permissions, but only with an empty permission. Unknown names match nothing.
 */
export function ruleMask(scope: string, permission: string): PermissionMask {
  return ruleMasks.get(`${scope}.${permission}`) ?? 0
}

/** Clears permissions that require another one on the same resource that is not held. */
export function clearUnmet(mask: PermissionMask): PermissionMask {
  let result = mask
  for (const { bit, requires } of requirements) if ((result & requires) === 0) result &= ~bit
  return result
}

interface Requirement {
  readonly bit: PermissionMask
  readonly requires: PermissionMask
}

/** Requirements within a resource, sorted so that required permissions come first and one pass is enough. */
const requirements: readonly Requirement[] = permissionNames
  .flatMap((name) => {
    const requires = findSelfRequirement(name)
    return requires === undefined ? [] : [{ name, requires }]
  })
  .sort((a, b) => depthOf(a.name) - depthOf(b.name))
  .map(({ name, requires }) => ({ bit: permissionBit(name), requires: permissionBit(requires) }))

function depthOf(name: PermissionName): number {
  const requires = findSelfRequirement(name)
  return requires === undefined ? 0 : 1 + depthOf(requires)
}

function findSelfRequirement(name: PermissionName): PermissionName | undefined {
  const requires = findPermission(name)?.requires
  return requires?.on === 'self' ? (requires.permission as PermissionName) : undefined
}
