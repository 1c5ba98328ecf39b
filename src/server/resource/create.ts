import { type PermissionMask, permissionBit } from '../../access/mask.ts'
import { type Cls, isAllowedParent } from '../../contract/registry.ts'
import type { Rule } from '../../contract/resource.ts'
import type { Queryable } from '../../database/database.ts'
import { findPlacedMasks } from '../../store/permission.ts'
import type { Metadata } from '../../store/resmeta.ts'
import { beginCreation, insertResource } from '../../store/resource.ts'
import { isResourceId } from '../../store/resource_id.ts'
import { replaceRules } from '../../store/rule.ts'
import { checkWritable } from '../attributes.ts'
import type { Prepared } from '../behaviours/behaviour.ts'
import { behaviourOf } from '../behaviours/table.ts'
import type { Caller } from '../caller.ts'
import { invalidAt } from '../invalid.ts'
import { checkMask, denied, notFound } from '../permit.ts'
import { type JsonObject, parseCls, type ReadBody, readMembers, resourceOf } from './body.ts'
import { checkRules, keepAdministrators } from './rules.ts'
import { checkNames, checkOwner, classMembers, type Writer, writeAtOnce, wrongParent } from './write.ts'

/** Where a creation says what is to be made: body and query. */
export interface CreationRequest {
  readonly body: JsonObject
  readonly query: { readonly parent?: number; readonly cls?: string }
}

interface Creation extends ReadBody {
  readonly cls: Cls
  readonly parentId: number
  readonly members: Record<string, unknown>
}

/** Creates a resource with all its members, or nothing. Gives its id and its parent's. */
export async function createResource(
  writer: Writer,
  request: CreationRequest,
): Promise<{ id: number; parentId: number }> {
  const creation = readCreation(request)
  const prepared = await prepare(writer, creation)
  const id = await writeAtOnce(writer, prepared, (tx) => create(tx, { writer, creation, prepared }))
  return { id, parentId: creation.parentId }
}

function readCreation({ body, query }: CreationRequest): Creation {
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
async function prepare(writer: Writer, creation: Creation): Promise<Prepared | undefined> {
  const { context, caller, signal } = writer
  const { cls, members } = creation
  const behaviour = behaviourOf(cls)
  if (behaviour.prepare === undefined) return undefined
  await check(context.database, caller, creation)
  return behaviour.prepare({ context, caller, id: undefined, members, signal })
}

interface Step {
  readonly writer: Writer
  readonly creation: Creation
  readonly prepared: Prepared | undefined
}

async function create(tx: Queryable, { writer, creation, prepared }: Step): Promise<number> {
  const { context, caller } = writer
  const { cls, parentId, members, written } = creation
  const id = await check(tx, caller, creation)
  const ownerId = await readOwner(tx, caller, creation)
  await insertResource(tx, {
    id,
    cls,
    parentId,
    ownerId,
    ...namesOf(creation),
    description: (written.resource?.description ?? null) as string | null,
    rules: [],
    metadata: (written.resmeta?.items ?? {}) as Metadata,
  })
  await writeRules(tx, id, written.resource?.permissions as Rule[] | undefined)
  await behaviourOf(cls).create(tx, { context, caller, id, parentId, members, prepared })
  return id
}

function namesOf({ written }: Creation): { displayName: string; keyname: string | null } {
  const { display_name: displayName, keyname } = written.resource ?? {}
  return {
    displayName: typeof displayName === 'string' ? displayName : '',
    keyname: typeof keyname === 'string' ? keyname : null,
  }
}

/** Checks that the creation is possible, in the order a client can mend it. Gives the id it is going to have. */
async function check(tx: Queryable, caller: Caller, creation: Creation): Promise<number> {
  const { cls, parentId, fault } = creation
  const names = namesOf(creation)
  const facts = await beginCreation(tx, { parentId, ...names })
  const { id, parentCls } = facts
  if (parentCls === null) throw notFound(parentId)
  const masks = await findPlacedMasks(tx, caller, { id, cls, parentId })
  checkMask(masks.get(parentId), parentId, 'resource.read')
  checkAllowed(creation, parentCls)
  checkPermissions(creation, id, masks)
  if (fault !== undefined) throw fault
  checkNames(facts, names)
  return id
}

function checkAllowed({ cls, parentId }: Creation, parentCls: Cls): void {
  if (!isAllowedParent(cls, parentCls)) throw wrongParent(cls, parentId, parentCls)
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

async function readOwner(tx: Queryable, caller: Caller, { written }: Creation): Promise<number> {
  const given = written.resource?.owner_user as { readonly id: number } | undefined
  if (given === undefined || given.id === caller.id) return caller.id
  await checkOwner(tx, caller, given.id)
  return given.id
}

async function writeRules(tx: Queryable, id: number, rules: readonly Rule[] | undefined): Promise<void> {
  if (rules === undefined || rules.length === 0) return
  await checkRules(tx, rules)
  await keepAdministrators(tx, id, () => replaceRules(tx, id, rules))
}
