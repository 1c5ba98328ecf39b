import { type PermissionMask, permissionBit } from '../../access/permission_mask.ts'
import { type Cls, isAllowedParent } from '../../contract/registry.ts'
import type { Rule } from '../../contract/resource.ts'
import type { Queryable } from '../../database/database.ts'
import { findPlannedMasks } from '../../store/access/effective_permission.ts'
import type { Metadata } from '../../store/resource/resmeta.ts'
import { isResourceId } from '../../store/resource/resource_id.ts'
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

/** Where a creation says what is to be made: body and query. */
export interface CreationRequest {
  readonly body: JsonObject
  readonly query?: { readonly parent?: number; readonly cls?: string }
}

/** What a request wants to be made. */
export interface Creation extends ReadBody {
  readonly cls: Cls
  readonly parentId: number
  readonly members: Record<string, unknown>
}

/** A creation on its way. */
export interface CreationStep {
  readonly creation: Creation
  /** Id that was reserved for it; a new one where absent. */
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
    throw invalidAt('/resource/cls', `the query says "${query.cls}", the body "${cls}"`)
  behaviourOf(cls)
  const parentId = readParent(resource.parent, query.parent)
  const whole = { ...body, resource: { ...resource, cls } }
  const read = readMembers(cls, 'create', whole)
  return { ...read, cls, parentId, members: classMembers(cls, read.written) }
}

function readParent(given: unknown, inQuery: number | undefined): number {
  const inBody =
    typeof given === 'object' && given !== null ? (given as { readonly id?: unknown }).id : undefined
  const parentId = inBody ?? inQuery
  if (parentId === undefined) throw invalidAt('/resource/parent', 'missing field "parent"')
  if (typeof parentId !== 'number') throw invalidAt('/resource/parent/id', 'expected an integer')
  if (inQuery !== undefined && inQuery !== parentId)
    throw invalidAt('/resource/parent', `the query says ${inQuery}, the body ${parentId}`)
  if (!isResourceId(parentId)) throw notFound(parentId)
  return parentId
}

/** Long work is begun only where it may be finished: all is checked that can be, and once more when it is written. */
export async function prepareCreation(writer: Writer, creation: Creation): Promise<Prepared | undefined> {
  const { context, caller, signal } = writer
  const { cls, members } = creation
  const behaviour = behaviourOf(cls)
  if (behaviour.prepare === undefined) return undefined
  await checkCreations(context.database, caller, [{ creation }])
  return behaviour.prepare({ context, caller, id: undefined, members, signal })
}

/**
 * Makes resources, none of which refers to another, in a number of statements that does not grow with theirs. Gives
 * their ids.
 *
 * @throws {Problem} of the first that cannot be made; all of them are to be given up then
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
  const made = steps.map(({ creation }, at) => ({
    id: ids[at] ?? 0,
    parentId: creation.parentId,
    rules: rulesOf(creation),
    isDenied: facts[at]?.isDenied ?? false,
  }))
  const ruled = made.filter(({ rules }) => rules.length > 0)
  await writeRules(tx, new Map(ruled.map(({ id, rules }) => [id, rules])))
  await checkManaged(tx, made)
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

/** Checks that creations are possible, each in the order a client can mend it. Gives the ids they are going to have. */
async function checkCreations(
  tx: Queryable,
  caller: Caller,
  steps: readonly CreationStep[],
): Promise<CreationFacts[]> {
  const wanted = steps.map(({ id, creation }) => ({
    id,
    parentId: creation.parentId,
    ...namesOf(creation),
  }))
  const facts = await lockForCreation(tx, wanted)
  const placed = steps.map(({ creation: { cls, parentId } }, at) => ({
    id: facts[at]?.id ?? 0,
    cls,
    parentId,
  }))
  const masks = await findPlannedMasks(tx, caller, placed)
  for (const [at, { creation }] of steps.entries()) {
    const found = facts[at]
    if (found === undefined) throw new Error('a creation without facts')
    checkCreation(creation, found, masks)
  }
  checkDistinct(wanted)
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

/**
 * Whoever may create a resource may say what it is like: what asks for `update` later comes with `create` here.
 */
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

/** What is made at once must not clash among itself either. */
function checkDistinct(
  wanted: readonly {
    readonly parentId: number
    readonly displayName: string
    readonly keyname: string | null
  }[],
): void {
  const siblings = new Set<string>()
  const keynames = new Set<string>()
  for (const { parentId, displayName, keyname } of wanted) {
    const sibling = `${parentId} ${displayName}`
    if (siblings.has(sibling)) throw nameTaken(`"${displayName}" is the name of a sibling`)
    siblings.add(sibling)
    if (keyname === null) continue
    checkNames({ sibling: null, keynameHolder: keynames.has(keyname) ? 0 : null }, { displayName, keyname })
    keynames.add(keyname)
  }
}
