import {
  findPermission,
  type PermissionName,
  permissionNames,
  permissionsOf,
  scopes,
} from '../contract/permissions.ts'
import { type Cls, clsNames, descriptorOf } from '../contract/registry.ts'

/** A set of permissions as bits, in the order of the contract's table. */
export type PermissionMask = number

const bits: ReadonlyMap<string, PermissionMask> = new Map(permissionNames.map((name, at) => [name, 1 << at]))

/** Gives the bit of a permission. */
export function permissionBit(name: PermissionName): PermissionMask {
  return bits.get(name) ?? 0
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

/** Everything that each class can have. */
const classMasks = new Map<Cls, PermissionMask>(
  clsNames.map((cls) => [cls, maskOf(permissionsOf(descriptorOf(cls).scopes))]),
)

/** Gives all permissions of a class. */
export function classMask(cls: Cls): PermissionMask {
  return classMasks.get(cls) ?? 0
}

/** What each pair of words in a rule speaks of. */
const ruleMasks: ReadonlyMap<string, PermissionMask> = new Map([
  ['.', everyPermission],
  ...Object.entries(scopes).flatMap(([scope, { permissions }]) => {
    const names = Object.keys(permissions).map((permission) => `${scope}.${permission}` as PermissionName)
    const single = names.map((name) => [name, permissionBit(name)] as const)
    return [[`${scope}.`, maskOf(names)] as const, ...single]
  }),
])

/**
 * Gives the permissions that a rule speaks of: an empty permission means all of the scope; an empty scope means
 * everything, but only with an empty permission. Words that are none speak of nothing.
 */
export function ruleMask(scope: string, permission: string): PermissionMask {
  return ruleMasks.get(`${scope}.${permission}`) ?? 0
}

/** Takes away what counts only while something else of the same resource does, where that is lacking. */
export function withoutUnmet(mask: PermissionMask): PermissionMask {
  let left = mask
  for (const { bit, requires } of requirements) if ((left & requires) === 0) left &= ~bit
  return left
}

interface Requirement {
  readonly bit: PermissionMask
  readonly requires: PermissionMask
}

/** Requirements of a resource on itself; what is required stands before what requires it, so that one pass is enough. */
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
