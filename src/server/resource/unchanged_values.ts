import { isDeepStrictEqual } from 'node:util'
import type { PermissionMask } from '../../access/permission_mask.ts'
import type { Rule } from '../../contract/bodies/resource.ts'
import { withOwnId } from '../../contract/field_marks.ts'
import { problem } from '../../contract/problems.ts'
import type { Cls } from '../../contract/registry.ts'
import { toDocumentForm, translateMembers } from '../../contract/schema/translate.ts'
import type { Queryable } from '../../database/database.ts'
import { findEmptyLayers } from '../../store/feature/write_features.ts'
import type { Metadata } from '../../store/resource/resmeta.ts'
import type { LockedResource } from '../../store/resource/resource_row.ts'
import {
  isWritable,
  type MemberValues,
  pickAttributes,
  refuseUnwritable,
  visibleMembers,
} from './attributes.ts'
import { readStored, represent } from './representation.ts'
import type { StoredResource } from './stored_resource.ts'
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

/**
 * Returns the attributes of each target, in order; none where all of them equal what the caller reads, so that writing them again is
 * not a change. Attributes that are not read, such as secrets and sources, count as changes. Metadata that a request leaves out
 * are removed if it `replaces` them.
 */
export async function dropStored<T extends Target>(
  tx: Queryable,
  targets: readonly T[],
  replaces: boolean,
): Promise<T[]> {
  const isOpen = ({ written }: Target) => Object.keys(written).length > 0 && written.resource === undefined
  const open = targets.filter(isOpen)
  const rows = await readStored(tx, {
    ids: open.filter(({ written }) => written.resmeta !== undefined).map(({ id }) => id),
    fullness: 'resource',
  })
  const left = open.filter(({ id, cls, mask, written }) => {
    if (written.resmeta === undefined) return true
    const shown = visibleMembers(cls, mask, { resmeta: { items: rows.get(id)?.row.metadata } })
    return isSameMetadata(id, { written, shown, replaces })
  })
  const ids = left.filter(hasClassMembers).map(({ id }) => id)
  const stored = await readStored(tx, { ids })
  const emptying = left.filter(emptiesLayer).map(({ id }) => id)
  const empty = await findEmptyLayers(tx, emptying)
  const same = new Set(
    left.filter((target) => {
      if (!hasClassMembers(target)) return true
      const asked = empty.has(target.id) ? withoutEmptying(target) : target
      return isSameClassMembers(asked, stored.get(target.id))
    }),
  )
  return targets.map((target) => (same.has(target) ? { ...target, written: {} } : target))
}

/** Tells whether a target deletes all features, which the caller may do: others must not learn whether there are any. */
const emptiesLayer = ({ cls, mask, written }: Target) =>
  written.vector_layer?.delete_all_features === true &&
  isWritable(cls, mask)('vector_layer', 'delete_all_features')

/** Deleting all features of an empty layer changes nothing. */
function withoutEmptying<T extends Target>(target: T): T {
  const written = pickAttributes(target.written, (_, name) => name !== 'delete_all_features')
  return { ...target, written }
}

const hasClassMembers = ({ written }: Target) => Object.keys(written).some((member) => member !== 'resmeta')

function isSameClassMembers({ cls, mask, written }: Target, stored: StoredResource | undefined): boolean {
  if (stored === undefined) return false
  const { resmeta: _, ...own } = written
  const isSame = compareMembers(cls, own, represent(stored, mask) as unknown as MemberValues)
  return Object.entries(own).every(([member, values]) =>
    Object.keys(values).every((name) => isSame(member, name)),
  )
}

interface MetadataComparison {
  readonly written: MemberValues
  readonly shown: MemberValues
  readonly replaces: boolean
}

function isSameMetadata(id: number, { written, shown, replaces }: MetadataComparison): boolean {
  const stored = shown.resmeta?.items as Metadata | undefined
  if (stored === undefined) return false
  const items = Object.entries(withOwnId(written.resmeta?.items as Metadata, id))
  const isSame = items.every(([key, value]) => isDeepStrictEqual(stored[key] ?? null, value))
  return isSame && (!replaces || items.length === Object.keys(stored).length)
}
