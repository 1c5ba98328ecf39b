import { isDeepStrictEqual } from 'node:util'
import type { PermissionMask } from '../../access/permission_mask.ts'
import { problem } from '../../contract/problems.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Rule } from '../../contract/resource.ts'
import { toDocumentForm, translateMembers } from '../../contract/translate.ts'
import type { Queryable } from '../../database/database.ts'
import type { LockedResource } from '../../store/resource/resource_row.ts'
import {
  isWritable,
  type MemberValues,
  pickAttributes,
  refuseUnwritable,
  visibleMembers,
} from './attributes.ts'
import { readStored, represent } from './representation.ts'
import { isSameRules } from './write_rules.ts'

/** What a request writes to a resource, and what the caller may do with it. */
export interface Target {
  readonly id: number
  readonly cls: Cls
  readonly mask: PermissionMask
  readonly written: MemberValues
}

/**
 * Leaves out the attributes that the caller may not write and that have the value the caller reads: a client may send
 * back all that it has read. An attribute that the caller may not read is refused whatever its value, since otherwise
 * guessing would reveal it. Gives what is left of each target, in their order.
 *
 * @throws {Problem} access/attribute
 */
export async function dropUnwritable(tx: Queryable, targets: readonly Target[]): Promise<MemberValues[]> {
  const checked = targets.map((target) => ({ ...target, isAllowed: isWritable(target.cls, target.mask) }))
  const refused = checked.map(({ written, isAllowed }) =>
    pickAttributes(written, (member, name) => !isAllowed(member, name)),
  )
  const ids = targets.flatMap(({ id }, at) => (Object.keys(refused[at] ?? {}).length === 0 ? [] : [id]))
  const stored = await readStored(tx, { ids })
  return checked.map(({ id, cls, mask, written, isAllowed }, at) => {
    const others = refused[at] ?? {}
    if (Object.keys(others).length === 0) return written
    const standing = stored.get(id)
    const shown = standing === undefined ? {} : (represent(standing, mask) as unknown as MemberValues)
    const isSame = compareMembers(cls, others, shown)
    refuseUnwritable(
      cls,
      pickAttributes(others, (member, name) => !isSame(member, name)),
    )
    return pickAttributes(written, isAllowed)
  })
}

/** Compares attributes in the form of the documents, in which dialects do not differ. */
function compareMembers(cls: Cls, sent: MemberValues, shown: MemberValues) {
  const [one, other] = [sent, shown].map(
    (values) => translateMembers(cls, values, toDocumentForm) as MemberValues,
  )
  return (member: string, name: string) => {
    const standing = other?.[member] ?? {}
    return Object.hasOwn(standing, name) && isDeepStrictEqual(one?.[member]?.[name], standing[name])
  }
}

/** What a change of a resource is held against. */
export interface Comparison {
  readonly written: MemberValues
  readonly standing: LockedResource
  readonly mask: PermissionMask
  /** Rules that it has. */
  readonly rules: readonly Rule[]
  /** Whether it gets another parent. */
  readonly isMoved: boolean
}

/**
 * Leaves out the attributes common to all classes that have the given value already and that the caller may read: a
 * client that sends back all that it has read changes only what is new.
 *
 * @throws {Problem} resource/hierarchy
 */
export function dropUnchanged(comparison: Comparison): MemberValues {
  const { written, standing, mask, isMoved } = comparison
  const { resource = {} } = written
  const { id, cls, parentId } = standing
  if (resource.parent === null && parentId !== null)
    throw problem('resource/hierarchy', 'Only the root has no parent.', { resource: id })
  const columns = {
    display_name: standing.displayName,
    keyname: standing.keyname,
    description: standing.description,
  }
  const { resource: shown = {} } = visibleMembers(cls, mask, { resource: columns })
  const same = new Set(Object.keys(shown).filter((name) => resource[name] === shown[name])).add('cls')
  if (!isMoved) same.add('parent')
  if ((resource.owner_user as { id?: number } | undefined)?.id === standing.ownerId) same.add('owner_user')
  const rules = resource.permissions as Rule[] | undefined
  if (rules !== undefined && isSameRules(rules, comparison.rules)) same.add('permissions')
  return pickAttributes(written, (member, name) => member !== 'resource' || !same.has(name))
}
