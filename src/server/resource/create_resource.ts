import { type PermissionMask, permissionBit } from '../../access/permission_mask.ts'
import type { Rule } from '../../contract/bodies/resource.ts'
import { isResourceId } from '../../contract/limits.ts'
import { type Cls, isAllowedParent } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { findPlannedMasks } from '../../store/access/effective_permission.ts'
import type { Metadata } from '../../store/resource/resmeta.ts'
import { type CreationFacts, insertResources, lockForCreation } from '../../store/resource/resource_row.ts'
import type { Caller } from '../auth/caller.ts'
import type { MemberChange, Prepared } from '../classes/behaviour.ts'
import { behaviourOf } from '../classes/behaviours.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { checkWritable } from './attributes.ts'
import { checkManaged } from './lockout.ts'
import { type JsonObject, parseCls, type ReadBody, readMembers, resourceOf } from './read_members.ts'
import { checkMask, denied, notFound } from './require_permission.ts'
import {
  checkDepth,
  checkNames,
  checkOwners,
  classMembers,
  nameTaken,
  type Writer,
  wrongParent,
} from './write_resources.ts'
import { writeRules } from './write_rules.ts'

/** Body and query of a request that creates a resource. */
export interface CreationRequest {
  readonly body: JsonObject
  readonly query?: { readonly parent?: number; readonly cls?: string }
}

/** A resource to create. */
export interface Creation extends ReadBody {
  readonly cls: Cls
  readonly parentId: number
  readonly members: Record<string, unknown>
}

/** A creation in a transaction. */
export interface CreationStep {
  readonly creation: Creation
  /** Reserved id; a new id if absent. */
  readonly id?: number
  readonly prepared?: Prepared | undefined
}

/**
 * Reads a creation from a request.
 *
 * @throws {Problem} request/invalid, resource/class-disabled, resource/not-found
 */
export function readCreation({ body, query = {} }: CreationRequest): Creation {
  const resource = resourceOf(body)
  const cls = parseCls(resource.cls ?? query.cls)
  if (query.cls !== undefined && parseCls(query.cls) !== cls)
    throw invalidAt('/resource/cls', `the query has "${query.cls}", the body has "${cls}"`)
  behaviourOf(cls)
  const parentId = readParent(resource.parent, query.parent)
  const full = { ...body, resource: { ...resource, cls } }
  const read = readMembers(cls, 'create', full)
  return { ...read, cls, parentId, members: classMembers(cls, read.written) }
}

function readParent(parent: unknown, inQuery: number | undefined): number {
  const inBody =
    typeof parent === 'object' && parent !== null ? (parent as { readonly id?: unknown }).id : undefined
  const parentId = inBody ?? inQuery
  if (parentId === undefined) throw invalidAt('/resource/parent', 'missing field "parent"')
  if (typeof parentId !== 'number') throw invalidAt('/resource/parent/id', 'expected an integer')
  if (inQuery !== undefined && inQuery !== parentId)
    throw invalidAt('/resource/parent', `the query has ${inQuery}, the body has ${parentId}`)
  if (!isResourceId(parentId)) throw notFound(parentId)
  return parentId
}

/** Runs the long work of a creation. All checks run before it, and again in the transaction. */
export async function prepareCreation(writer: Writer, creation: Creation): Promise<Prepared | undefined> {
  const { context, caller, signal } = writer
  const { cls, members } = creation
  const behaviour = behaviourOf(cls)
  if (behaviour.prepare === undefined) return undefined
  await checkCreations(context.database, caller, [{ creation }])
  return behaviour.prepare({ context, caller, id: undefined, members, signal })
}

/**
 * Creates resources that do not refer to each other, and returns their ids. The number of statements does not depend on
 * the number of resources.
 *
 * @throws {Problem} of the first that cannot be created; the transaction must be rolled back then
 */
export async function writeCreations(
  tx: Queryable,
  { context, caller }: Pick<Writer, 'context' | 'caller'>,
  steps: readonly CreationStep[],
): Promise<number[]> {
  const facts = await checkCreations(tx, caller, steps)
  const ids = facts.map(({ id }) => id)
  await checkOwners(
    tx,
    caller,
    steps.map(({ creation }) => ownerOf(caller, creation)).filter((id) => id !== caller.id),
  )
  await insertResources(
    tx,
    steps.map(({ creation }, at) => ({ ...rowOf(caller, creation), id: ids[at] ?? 0 })),
  )
  const created = steps.map(({ creation }, at) => ({
    id: ids[at] ?? 0,
    parentId: creation.parentId,
    rules: rulesOf(creation),
    isDenied: facts[at]?.isDenied ?? false,
  }))
  const ruled = created.filter(({ rules }) => rules.length > 0)
  await writeRules(tx, new Map(ruled.map(({ id, rules }) => [id, rules])))
  await checkManaged(tx, created)
  const changes = steps.map(({ creation, prepared }, at) => {
    const { cls, parentId, members } = creation
    return { cls, change: { context, caller, id: ids[at] ?? 0, parentId, members, prepared } }
  })
  for (const [cls, group] of Map.groupBy(changes, (one) => one.cls))
    await behaviourOf(cls).create(
      tx,
      group.map(({ change }): MemberChange<Cls> => change),
    )
  return ids
}

function rowOf(caller: Caller, creation: Creation) {
  const { cls, parentId, written } = creation
  return {
    cls,
    parentId,
    ownerId: ownerOf(caller, creation),
    ...namesOf(creation),
    description: (written.resource?.description ?? null) as string | null,
    metadata: (written.resmeta?.items ?? {}) as Metadata,
  }
}

function rulesOf({ written }: Creation): readonly Rule[] {
  return (written.resource?.permissions as readonly Rule[] | undefined) ?? []
}

function ownerOf(caller: Caller, { written }: Creation): number {
  return (written.resource?.owner_user as { readonly id: number } | undefined)?.id ?? caller.id
}

function namesOf({ written }: Creation): { displayName: string; keyname: string | null } {
  const { display_name: displayName, keyname } = written.resource ?? {}
  return {
    displayName: typeof displayName === 'string' ? displayName : '',
    keyname: typeof keyname === 'string' ? keyname : null,
  }
}

/** Checks creations, in the order in which a client can fix the faults. Returns the facts that decide, with the new ids. */
async function checkCreations(
  tx: Queryable,
  caller: Caller,
  steps: readonly CreationStep[],
): Promise<CreationFacts[]> {
  const planned = steps.map(({ id, creation }) => ({
    id,
    parentId: creation.parentId,
    ...namesOf(creation),
  }))
  const facts = await lockForCreation(tx, planned)
  const placed = steps.map(({ creation: { cls, parentId } }, at) => ({
    id: facts[at]?.id ?? 0,
    cls,
    parentId,
  }))
  const masks = await findPlannedMasks(tx, caller, placed)
  for (const [at, { creation }] of steps.entries()) {
    const creationFacts = facts[at]
    if (creationFacts === undefined) throw new Error('a creation without facts')
    checkCreation(creation, creationFacts, masks)
  }
  checkDistinct(planned)
  return facts
}

function checkCreation(
  creation: Creation,
  facts: CreationFacts,
  masks: ReadonlyMap<number, PermissionMask>,
): void {
  const { cls, parentId, fault } = creation
  const { id, parentCls, parentDepth } = facts
  if (parentCls === null) throw notFound(parentId)
  checkMask(masks.get(parentId), parentId, 'resource.read')
  if (!isAllowedParent(cls, parentCls)) throw wrongParent(cls, parentId, parentCls)
  checkDepth(parentId, parentDepth + 1)
  checkPermissions(creation, id, masks)
  if (fault !== undefined) throw fault
  checkNames(facts, namesOf(creation))
}

/** Checks the permissions of a creation. The permission `create` includes writing attributes that need `update` later. */
function checkPermissions(
  { cls, parentId, written }: Creation,
  id: number,
  masks: ReadonlyMap<number, PermissionMask>,
): void {
  checkMask(masks.get(parentId), parentId, 'resource.manage_children')
  const mask = masks.get(id) ?? 0
  if ((mask & permissionBit('resource.create')) === 0) throw denied(parentId, 'resource.create')
  checkWritable(cls, mask | permissionBit('resource.update'), written)
}

/** Checks that the names of resources created together are distinct. */
function checkDistinct(
  planned: readonly {
    readonly parentId: number
    readonly displayName: string
    readonly keyname: string | null
  }[],
): void {
  const siblings = new Set<string>()
  const keynames = new Set<string>()
  for (const { parentId, displayName, keyname } of planned) {
    const sibling = `${parentId} ${displayName}`
    if (siblings.has(sibling)) throw nameTaken(`"${displayName}" is the name of a sibling`)
    siblings.add(sibling)
    if (keyname === null) continue
    checkNames({ sibling: null, keynameHolder: keynames.has(keyname) ? 0 : null }, { displayName, keyname })
    keynames.add(keyname)
  }
}
