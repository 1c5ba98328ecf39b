import { maxMetadata, type Rule } from '../../contract/bodies/resource.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks, touchPermissionEpoch } from '../../store/access/effective_permission.ts'
import { findRules } from '../../store/access/permission_rule.ts'
import {
  countMostMetadata,
  type Metadata,
  mergeMetadata,
  replaceMetadata,
} from '../../store/resource/resmeta.ts'
import {
  findNameHolders,
  type LockedResource,
  lockResources,
  type ResourceChange,
  updateResources,
} from '../../store/resource/resource_row.ts'
import type { Prepared } from '../classes/behaviour.ts'
import { behaviourOf } from '../classes/behaviours.ts'
import { invalidAt } from '../http/invalid_request.ts'
import type { MemberValues } from './attributes.ts'
import { guardManaged } from './lockout.ts'
import { checkMoves, moveAll } from './move_resource.ts'
import type { ReadBody } from './read_members.ts'
import { checkVersion } from './representation.ts'
import { checkMask, notFound } from './require_permission.ts'
import { dropStored, dropUnchanged, dropUnwritable } from './unchanged_values.ts'
import { checkNames, checkOwners, classMembers, type Writer } from './write_resources.ts'
import { writeRules } from './write_rules.ts'

/** An update of a resource. */
export interface ResourceUpdate extends ReadBody {
  readonly id: number
  readonly cls: Cls
  /** The parent in the request. */
  readonly parentId: number | undefined
}

/** An update in a transaction. */
export interface UpdateStep {
  readonly change: ResourceUpdate
  readonly prepared?: Prepared | undefined
  /** Entity tags, one of which the resource must have. */
  readonly ifMatch: string | undefined
}

/** A checked update, with the attributes that it changes. */
interface Update extends UpdateStep {
  readonly current: LockedResource
  /** Current rules of the resource, if the update changes them. */
  readonly rules: readonly Rule[]
  readonly newParentId: number | undefined
  readonly changed: MemberValues
}

/**
 * Updates resources, and returns their new versions. The number of statements does not depend on the number of
 * resources. The tree must be locked if one of them is moved. Updates must not depend on each other: each is checked
 * against the state before all of them.
 *
 * @throws {Problem} resource/not-found, resource/stale, resource/hierarchy, access/*, request/invalid; the transaction
 *   must be rolled back then
 */
export async function writeUpdates(
  tx: Queryable,
  writer: Pick<Writer, 'context' | 'caller'>,
  steps: readonly UpdateStep[],
): Promise<number[]> {
  const updates = await checkUpdates(tx, writer, steps)
  const changed = updates.filter((one) => Object.keys(one.changed).length > 0)
  if (changed.length > 0) {
    await writeShared(tx, writer, changed)
    await writeMembers(tx, writer, changed)
  }
  return updates.map(({ current, changed }) => current.version + (Object.keys(changed).length > 0 ? 1 : 0))
}

async function checkUpdates(
  tx: Queryable,
  { context, caller }: Pick<Writer, 'context' | 'caller'>,
  steps: readonly UpdateStep[],
): Promise<Update[]> {
  const locked = await lockResources(
    tx,
    steps.map(({ change }) => change.id),
  )
  const found = steps.map((step) => {
    const { id, parentId } = step.change
    const current = locked.get(id)
    if (current === undefined) throw notFound(id)
    return { ...step, current, newParentId: parentId === current.parentId ? undefined : parentId }
  })
  const maskIds = found.flatMap(({ current, newParentId }) => [current.id, current.parentId, newParentId])
  const masks = await findPermissionMasks(tx, caller, [
    ...new Set(maskIds.filter((id) => typeof id === 'number')),
  ])
  const rules = await findRules(
    tx,
    steps.filter(({ change }) => rulesOf(change.written) !== undefined).map(({ change }) => change.id),
  )
  const targets = found.map(({ change, current, newParentId, ifMatch }) => {
    const { id, cls, fault, written } = change
    const mask = masks.get(id)
    checkMask(mask, id, 'resource.read')
    checkVersion(ifMatch, current)
    const comparison = {
      written,
      current,
      mask,
      rules: rules.get(id) ?? [],
      isMoved: newParentId !== undefined,
    }
    return { id, cls, mask, written: fault === undefined ? dropUnchanged(comparison) : written }
  })
  const writable = await dropUnwritable(tx, await dropStored(tx, targets, context.plain))
  const updates = found.map((one, at) => ({
    ...one,
    rules: rules.get(one.current.id) ?? [],
    changed: writable[at] ?? {},
  }))
  await checkMoves(tx, updates.filter(isMove), masks)
  for (const { change } of updates) if (change.fault !== undefined) throw change.fault
  return updates
}

const rulesOf = ({ resource }: MemberValues) => resource?.permissions as readonly Rule[] | undefined

function isMove<T extends Pick<Update, 'newParentId'>>(one: T): one is T & { readonly newParentId: number } {
  return one.newParentId !== undefined
}

/** Writes the members common to all classes. */
async function writeShared(
  tx: Queryable,
  writer: Pick<Writer, 'context' | 'caller'>,
  updates: readonly Update[],
): Promise<void> {
  const { caller } = writer
  const rows = updates.map((one) => ({ ...one, columns: columnsOf(one.changed.resource ?? {}) }))
  await checkNewNames(tx, rows)
  await checkOwners(
    tx,
    caller,
    rows.flatMap(({ columns }) => columns.ownerId ?? []),
  )
  const risks = rows.map(({ current, rules: before, changed, columns, newParentId }) => {
    const after = rulesOf(changed)
    return {
      id: current.id,
      rules: after === undefined ? undefined : { before, after },
      isMoved: newParentId !== undefined,
      hasNewOwner: columns.ownerId !== undefined,
    }
  })
  await guardManaged(tx, risks, async () => {
    await moveAll(tx, caller, rows.filter(isMove))
    await updateResources(
      tx,
      rows.map(({ current, columns }) => ({ ...current, ...columns })),
      caller.id,
    )
    await writeRules(
      tx,
      new Map(risks.flatMap(({ id, rules }) => (rules === undefined ? [] : [[id, rules.after] as const]))),
    )
  })
  await writeMetadata(tx, writer, updates)
  if (risks.some(({ rules, isMoved, hasNewOwner }) => isMoved || hasNewOwner || rules !== undefined))
    await touchPermissionEpoch(tx)
}

async function checkNewNames(
  tx: Queryable,
  rows: readonly (Update & { readonly columns: ResourceChange })[],
): Promise<void> {
  const named = rows
    .filter((one) => 'displayName' in one.columns || 'keyname' in one.columns || isMove(one))
    .map(({ current, columns, newParentId = current.parentId }) => {
      const { id, displayName, keyname } = { ...current, ...columns }
      return { id, displayName, keyname, parentId: newParentId }
    })
  if (named.length === 0) return
  const holders = await findNameHolders(tx, named)
  for (const [at, names] of named.entries())
    checkNames(holders[at] ?? { sibling: null, keynameHolder: null }, names)
}

async function writeMetadata(
  tx: Queryable,
  { context }: Pick<Writer, 'context'>,
  updates: readonly Update[],
): Promise<void> {
  const lists = new Map(
    updates.flatMap(({ current, changed }) => {
      const items = changed.resmeta?.items
      return items === undefined ? [] : [[current.id, items as Metadata] as const]
    }),
  )
  if (lists.size === 0) return
  await (context.plain ? replaceMetadata : mergeMetadata)(tx, lists)
  checkMetadataCount(await countMostMetadata(tx, [...lists.keys()]))
}

/** Checks the number of metadata keys, including those that the request does not mention. */
function checkMetadataCount(count: number): void {
  if (count > maxMetadata)
    throw invalidAt(
      '/resmeta/items',
      `the resource would have ${count} metadata keys; the limit is ${maxMetadata}`,
    )
}

/** Writes the members of each class. */
async function writeMembers(
  tx: Queryable,
  { context, caller }: Pick<Writer, 'context' | 'caller'>,
  updates: readonly Update[],
): Promise<void> {
  const changes = updates.flatMap(({ change: { id, cls }, prepared, current, newParentId, changed }) => {
    const members = classMembers(cls, changed)
    const parentId = newParentId ?? current.parentId ?? id
    if (Object.keys(members).length === 0) return []
    return [{ cls, change: { context, caller, id, parentId, members, prepared } }]
  })
  for (const [cls, group] of Map.groupBy(changes, (one) => one.cls))
    await behaviourOf(cls).update(
      tx,
      group.map(({ change }) => change),
    )
}

function columnsOf(resource: Readonly<Record<string, unknown>>): ResourceChange {
  const { display_name, keyname, description, owner_user } = resource
  return {
    ...(display_name === undefined ? {} : { displayName: display_name as string }),
    ...(keyname === undefined ? {} : { keyname: keyname as string | null }),
    ...(description === undefined ? {} : { description: description as string | null }),
    ...(owner_user === undefined ? {} : { ownerId: (owner_user as { id: number }).id }),
  }
}
