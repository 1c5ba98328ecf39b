import { LRUCache } from 'lru-cache'
import { hasPermission, maskOf, type PermissionMask } from '../../access/permission_mask.ts'
import { membersOf } from '../../contract/bodies.ts'
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
  /** Only the server writes it: in a request it is ignored. */
  readonly readOnly: boolean
}

/** All attributes of each class, with the permissions that the contract asks for. */
const attributes = new Map<Cls, readonly Attribute[]>(
  clsNames.map((cls) => [
    cls,
    Object.entries(membersOf(cls)).flatMap(([member, { properties }]) =>
      Object.entries(properties).map(([name, schema]) => {
        const words = annotationsOf(schema)
        return {
          member,
          name,
          read: words['x-read'] ?? 'resource.read',
          write: words['x-write'] ?? 'resource.update',
          readOnly: words.readOnly === true,
        }
      }),
    ),
  ]),
)

/** Everything that is needed to see all attributes of a class. */
const readMasks = new Map<Cls, PermissionMask>(
  clsNames.map((cls) => [cls, maskOf((attributes.get(cls) ?? []).map(({ read }) => read))]),
)

/** Members of a resource, by name; each an object of attributes. */
export type MemberValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Tells whether a mask shows every attribute of a class. */
export function seesEverything(cls: Cls, mask: PermissionMask): boolean {
  const needed = readMasks.get(cls) ?? 0
  return (mask & needed) === needed
}

/** Names of the attributes that a mask hides, by the member they belong to. */
type Hidden = ReadonlyMap<string, ReadonlySet<string>>

// Masks are few: what a user may see of ten thousands of resources is one of a handful.
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

/** Leaves out the attributes that a mask does not show; a member stays, though nothing of it may. */
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

// A loop: lists do this for every resource, and lists of entries took three times as long.
function without(values: MemberValues[string], names: ReadonlySet<string>): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(values)) if (!names.has(name)) kept[name] = values[name]
  return kept
}

/** Gives the attributes of a request that the class has and that are not the server's alone to write. */
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

/** Gives the test of whether a mask lets an attribute of a class be written. */
export function isWritable(cls: Cls, mask: PermissionMask): (member: string, name: string) => boolean {
  const denied = new Set<string>()
  for (const { member, name, write } of attributes.get(cls) ?? [])
    if (!hasPermission(mask, write)) denied.add(`${member}.${name}`)
  return (member, name) => !denied.has(`${member}.${name}`)
}

/** Picks attributes; members of which none is left are left out too. */
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
 * Checks that a mask lets all given attributes be written.
 *
 * @throws {Problem} access/attribute, naming the first that it does not
 */
export function checkWritable(cls: Cls, mask: PermissionMask, written: MemberValues): void {
  const isAllowed = isWritable(cls, mask)
  refuseUnwritable(
    cls,
    pickAttributes(written, (member, name) => !isAllowed(member, name)),
  )
}

/**
 * Refuses attributes that may not be written.
 *
 * @throws {Problem} access/attribute, naming the first; none where none is given
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
