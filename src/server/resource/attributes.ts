import { LRUCache } from 'lru-cache'
import { hasPermission, maskOf, type PermissionMask } from '../../access/permission_mask.ts'
import { membersOf } from '../../contract/bodies/bodies.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import { problem } from '../../contract/problems.ts'
import { type Cls, clsNames } from '../../contract/registry.ts'

/** One attribute of a class: a field of one of its members. */
interface Attribute {
  readonly member: string
  readonly name: string
  readonly read: PermissionName
  readonly write: PermissionName
  /** Whether only the server writes it; requests ignore it. */
  readonly readOnly: boolean
}

/** All attributes of each class, with the permissions that the contract requires. */
const attributes = new Map<Cls, readonly Attribute[]>(
  clsNames.map((cls) => [
    cls,
    Object.entries(membersOf(cls)).flatMap(([member, { properties }]) =>
      Object.entries(properties).map(([name, schema]) => {
        const annotations = annotationsOf(schema)
        return {
          member,
          name,
          read: annotations['x-read'] ?? 'resource.read',
          write: annotations['x-write'] ?? 'resource.update',
          readOnly: annotations.readOnly === true,
        }
      }),
    ),
  ]),
)

/** Permissions needed to read all attributes of each class. */
const readMasks = new Map<Cls, PermissionMask>(
  clsNames.map((cls) => [cls, maskOf((attributes.get(cls) ?? []).map(({ read }) => read))]),
)

/** Members of a resource by name, each an object of attributes. */
export type MemberValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Tells whether a mask permits reading every attribute of a class. */
export function seesEverything(cls: Cls, mask: PermissionMask): boolean {
  const needed = readMasks.get(cls) ?? 0
  return (mask & needed) === needed
}

/** Names of the attributes that a mask hides, by member. */
type Hidden = ReadonlyMap<string, ReadonlySet<string>>

// Distinct masks are few: the resources that a user can read share a handful of them.
const hiddenByMask = new LRUCache<string, Hidden>({ max: 1000 })

function hiddenOf(cls: Cls, mask: PermissionMask): Hidden {
  const key = `${cls} ${mask}`
  const known = hiddenByMask.get(key)
  if (known !== undefined) return known
  const hidden = new Map<string, Set<string>>()
  for (const { member, name, read } of attributes.get(cls) ?? []) {
    if (hasPermission(mask, read)) continue
    const names = hidden.get(member)
    if (names === undefined) hidden.set(member, new Set([name]))
    else names.add(name)
  }
  hiddenByMask.set(key, hidden)
  return hidden
}

/** Removes the attributes that a mask hides; keeps members that become empty. */
export function visibleMembers(cls: Cls, mask: PermissionMask, members: MemberValues): MemberValues {
  if (seesEverything(cls, mask)) return members
  const hidden = hiddenOf(cls, mask)
  const visible: Record<string, Record<string, unknown>> = { ...members }
  for (const [member, names] of hidden) {
    const values = members[member]
    if (values === undefined) continue
    visible[member] = without(values, names)
  }
  return visible
}

// A loop, since lists call this for every resource and Object.entries took three times as long.
function without(values: MemberValues[string], names: ReadonlySet<string>): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(values)) if (!names.has(name)) kept[name] = values[name]
  return kept
}

/** Returns the attributes of a request that the class has, except the read-only ones. */
export function writtenMembers(cls: Cls, body: Readonly<Record<string, unknown>>): MemberValues {
  const written: Record<string, Record<string, unknown>> = {}
  for (const { member, name, readOnly } of attributes.get(cls) ?? []) {
    const values = body[member]
    if (readOnly || typeof values !== 'object' || values === null || !Object.hasOwn(values, name)) continue
    written[member] ??= {}
    written[member][name] = (values as Record<string, unknown>)[name]
  }
  return written
}

/** Returns a predicate for the attributes of a class that a mask permits writing. */
export function isWritable(cls: Cls, mask: PermissionMask): (member: string, name: string) => boolean {
  const denied = new Set<string>()
  for (const { member, name, write } of attributes.get(cls) ?? [])
    if (!hasPermission(mask, write)) denied.add(`${member}.${name}`)
  return (member, name) => !denied.has(`${member}.${name}`)
}

/** Picks attributes, and removes members that become empty. */
export function pickAttributes(
  members: MemberValues,
  isPicked: (member: string, name: string) => boolean,
): MemberValues {
  const picked = Object.entries(members).map(([member, values]) => {
    const kept = Object.entries(values).filter(([name]) => isPicked(member, name))
    return [member, Object.fromEntries(kept)] as const
  })
  return Object.fromEntries(picked.filter(([, values]) => Object.keys(values).length > 0))
}

/**
 * Checks that a mask permits writing all attributes of a request.
 *
 * @throws {Problem} access/attribute, with the first attribute that it denies
 */
export function checkWritable(cls: Cls, mask: PermissionMask, written: MemberValues): void {
  const isAllowed = isWritable(cls, mask)
  refuseUnwritable(
    cls,
    pickAttributes(written, (member, name) => !isAllowed(member, name)),
  )
}

/**
 * Rejects attributes that the caller cannot write; accepts an empty set.
 *
 * @throws {Problem} access/attribute, with the first of them
 */
export function refuseUnwritable(cls: Cls, refused: MemberValues): void {
  for (const { member, name, write } of attributes.get(cls) ?? []) {
    if (refused[member] === undefined || !Object.hasOwn(refused[member], name)) continue
    const [scope, permission] = write.split('.')
    throw problem(
      'access/attribute',
      `Attribute "${member}.${name}" cannot be written without the permission ${write}.`,
      { data: { scope, permission, attribute: name, serializer: member } },
    )
  }
}
