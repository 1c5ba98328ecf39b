import { findPermission, type PermissionName, permissionNames, scopes } from '../contract/permissions.ts'
import { type Cls, clsNames, descriptorOf } from '../contract/registry.ts'

/** A set of permissions as bits, in the order of the contract's table. SQL computes with these. */
export type PermissionMask = number

/** Gives the bit of a permission. */
export function permissionBit(name: PermissionName): PermissionMask {
  return 1 << permissionNames.indexOf(name)
}

/** Every permission there is. */
export const everyPermission: PermissionMask = (1 << permissionNames.length) - 1

/** Tells whether a mask holds a permission. */
export function hasPermission(mask: PermissionMask, name: PermissionName): boolean {
  return (mask & permissionBit(name)) !== 0
}

/** Gives the mask of some permissions. */
export function maskOf(names: Iterable<PermissionName>): PermissionMask {
  let mask = 0
  for (const name of names) mask |= permissionBit(name)
  return mask
}

/** Gives the permissions of a mask, in the order of the contract. */
export function namesOf(mask: PermissionMask): PermissionName[] {
  return permissionNames.filter((name) => hasPermission(mask, name))
}

/** Gives all permissions of a class. */
export function classMask(cls: Cls): PermissionMask {
  return maskOf(
    permissionNames.filter((name) => descriptorOf(cls).scopes.some((scope) => name.startsWith(`${scope}.`))),
  )
}

/** Every class with the mask of its permissions. */
export const classMasks: readonly (readonly [cls: Cls, mask: PermissionMask])[] = clsNames.map((cls) => [
  cls,
  classMask(cls),
])

/** Every pair of words a rule may carry, with the permissions it speaks of. */
export const ruleMasks: readonly (readonly [scope: string, permission: string, mask: PermissionMask])[] = [
  ['', '', everyPermission],
  ...Object.entries(scopes).flatMap(([scope, { permissions }]) => {
    const names = Object.keys(permissions).map((permission) => `${scope}.${permission}` as PermissionName)
    const single = names.map((name) => [scope, name.slice(scope.length + 1), permissionBit(name)] as const)
    return [[scope, '', maskOf(names)] as const, ...single]
  }),
]

/** A permission that counts only while another one of the same resource does. */
export interface MaskRequirement {
  readonly bit: PermissionMask
  readonly requires: PermissionMask
}

/**
 * Requirements of a resource on itself, by level: those of one level depend on earlier levels only, so that applying
 * the levels in order is enough.
 */
export const requirementLevels: readonly (readonly MaskRequirement[])[] = levelsOf(permissionNames)

function levelsOf(names: readonly PermissionName[]): MaskRequirement[][] {
  const levels: MaskRequirement[][] = []
  for (const name of names) {
    const requires = findSelfRequirement(name)
    if (requires === undefined) continue
    const level = depthOf(name) - 1
    levels[level] ??= []
    levels[level].push({ bit: permissionBit(name), requires: permissionBit(requires) })
  }
  return levels
}

function depthOf(name: PermissionName): number {
  const requires = findSelfRequirement(name)
  return requires === undefined ? 0 : 1 + depthOf(requires)
}

function findSelfRequirement(name: PermissionName): PermissionName | undefined {
  const requires = findPermission(name)?.requires
  return requires?.on === 'self' ? (requires.permission as PermissionName) : undefined
}
