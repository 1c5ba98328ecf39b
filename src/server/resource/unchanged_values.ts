import { isDeepStrictEqual } from 'node:util'
import type { PermissionMask } from '../../access/permission_mask.ts'
import type { Rule } from '../../contract/bodies/resource.ts'
import { problem } from '../../contract/problems.ts'
import type { Cls } from '../../contract/registry.ts'
import { toDocumentForm, translateMembers } from '../../contract/schema/translate.ts'
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

/** Attributes that a request writes to a resource, and the caller's mask. */
export interface Target {
  readonly id: number
  readonly cls: Cls
  readonly mask: PermissionMask
  readonly written: MemberValues
}

/**
 * Removes the attributes that the caller cannot write and that equal what the caller reads, so that a client can send
 * back a representation. Rejects attributes that the caller cannot read whatever their value, since otherwise guessing
 * would reveal it. Returns the remaining attributes of each target, in order.
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
    const current = stored.get(id)
    const shown = current === undefined ? {} : (represent(current, mask) as unknown as MemberValues)
    const isSame = compareMembers(cls, others, shown)
    refuseUnwritable(
      cls,
      pickAttributes(others, (member, name) => !isSame(member, name)),
    )
    return pickAttributes(written, isAllowed)
  })
}

/** Compares attributes in document form, which is the same for all dialects. */
function compareMembers(cls: Cls, sent: MemberValues, shown: MemberValues) {
  const [one, other] = [sent, shown].map(
    (values) => translateMembers(cls, values, toDocumentForm) as MemberValues,
  )
  return (member: string, name: string) => {
    const values = other?.[member] ?? {}
    return Object.hasOwn(values, name) && isDeepStrictEqual(one?.[member]?.[name], values[name])
  }
}

/** An update of a resource, and the state that it is compared with. */
export interface Comparison {
  readonly written: MemberValues
  readonly current: LockedResource
  readonly mask: PermissionMask
  /** Current rules of the resource. */
  readonly rules: readonly Rule[]
  /** Whether the parent changes. */
  readonly isMoved: boolean
}

/**
 * Removes the attributes of member `resource` that the caller can read and that do not change, so that a client can send
 * back a representation with a few edits.
 *
 * @throws {Problem} resource/hierarchy
 */
export function dropUnchanged(comparison: Comparison): MemberValues {
  const { written, current, mask, isMoved } = comparison
  const { resource = {} } = written
  const { id, cls, parentId } = current
  if (resource.parent === null && parentId !== null)
    throw problem('resource/hierarchy', 'Only the root can have parent null.', { resource: id })
  const columns = {
    display_name: current.displayName,
    keyname: current.keyname,
    description: current.description,
  }
  const { resource: shown = {} } = visibleMembers(cls, mask, { resource: columns })
  const same = new Set(Object.keys(shown).filter((name) => resource[name] === shown[name])).add('cls')
  if (!isMoved) same.add('parent')
  if ((resource.owner_user as { id?: number } | undefined)?.id === current.ownerId) same.add('owner_user')
  const rules = resource.permissions as Rule[] | undefined
  if (rules !== undefined && isSameRules(rules, comparison.rules)) same.add('permissions')
  return pickAttributes(written, (member, name) => member !== 'resource' || !same.has(name))
}
