import type { Cls } from '../../contract/registry.ts'
import { maxMetadata, type Rule } from '../../contract/resource.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks, touchPermissionEpoch } from '../../store/access/effective_permission.ts'
import { countMetadata, type Metadata, mergeMetadata, replaceMetadata } from '../../store/resource/resmeta.ts'
import { findResourcePlace } from '../../store/resource/resource_class.ts'
import {
  findNameHolders,
  type LockedResource,
  lockResource,
  updateResource,
} from '../../store/resource/resource_row.ts'
import { lockTree } from '../../store/resource/resource_tree.ts'
import type { Caller } from '../auth/caller.ts'
import type { Prepared } from '../classes/behaviour.ts'
import { behaviourOf } from '../classes/behaviours.ts'
import { invalidAt } from '../http/invalid_request.ts'
import type { MemberValues } from './attributes.ts'
import { keepManaged } from './lockout.ts'
import { checkMove, move } from './move_resource.ts'
import { type JsonObject, parseCls, type ReadBody, readMembers, resourceOf } from './read_members.ts'
import { checkVersion } from './representation.ts'
import { checkMask, notFound } from './require_permission.ts'
import { dropUnchanged, dropUnwritable } from './unchanged_values.ts'
import { checkNames, checkOwners, classMembers, type Writer, writeAtOnce } from './write_resources.ts'
import { writeRules } from './write_rules.ts'

/** What a request wants to change. */
export interface ResourceUpdate extends ReadBody {
  readonly id: number
  readonly cls: Cls
  /** The parent that the request names. */
  readonly parentId: number | undefined
}

/** A resource that was changed. */
export interface Changed {
  /** Version it has now. */
  readonly version: number
  readonly prepared: Prepared | undefined
}

/** Changes a resource by all a request says of it, or not at all. */
export async function changeResource(writer: Writer, id: number, body: JsonObject): Promise<Changed> {
  const place = await findResourcePlace(writer.context.database, id)
  if (place === undefined) throw notFound(id)
  const change = readUpdate({ id, cls: place.cls }, body)
  const prepared = await prepareUpdate(writer, change)
  const ifMatch = writer.headers['if-match']
  const version = await writeAtOnce(writer, prepared, async (tx) => {
    if (change.parentId !== undefined && change.parentId !== place.parentId) await lockTree(tx)
    return writeUpdate(tx, writer, { change, prepared, ifMatch })
  })
  return { version, prepared }
}

/**
 * Reads the change of a resource from a request.
 *
 * @throws {Problem} request/invalid
 */
export function readUpdate(
  { id, cls }: { readonly id: number; readonly cls: Cls },
  body: JsonObject,
): ResourceUpdate {
  const resource = resourceOf(body)
  if (resource.cls !== undefined && parseCls(resource.cls) !== cls)
    throw invalidAt('/resource/cls', `resource id = ${id} is a ${cls}, and the class is fixed`)
  const read = readMembers(cls, 'update', body)
  const parentId = read.fault === undefined ? wantedParent(read.written) : undefined
  return { ...read, id, cls, parentId }
}

function wantedParent({ resource }: MemberValues): number | undefined {
  const parent = resource?.parent as { readonly id: number } | null | undefined
  return parent?.id
}

/** Does the long work of a change, where it may be finished. */
export async function prepareUpdate(writer: Writer, change: ResourceUpdate): Promise<Prepared | undefined> {
  const { id, cls, fault, written } = change
  const behaviour = behaviourOf(cls)
  const own = classMembers(cls, written)
  if (behaviour.prepare === undefined || fault !== undefined || Object.keys(own).length === 0)
    return undefined
  const { context, caller, signal } = writer
  const mask = (await findPermissionMasks(context.database, caller, [id])).get(id)
  checkMask(mask, id, 'resource.read')
  const members = await dropUnwritable(context.database, { id, cls, mask }, own)
  return behaviour.prepare({ context, caller, id, members, signal })
}

/** A change on its way. */
export interface UpdateStep {
  readonly change: ResourceUpdate
  readonly prepared: Prepared | undefined
  /** Entity tags, one of which the resource must have. */
  readonly ifMatch: string | undefined
}

/**
 * Changes a resource; the tree has to be locked where it is moved. Gives the version it has then.
 *
 * @throws {Problem} resource/not-found, resource/stale, resource/hierarchy, access/*, request/invalid
 */
export async function writeUpdate(
  tx: Queryable,
  { context, caller }: Pick<Writer, 'context' | 'caller'>,
  { change, prepared, ifMatch }: UpdateStep,
): Promise<number> {
  const { id, cls, fault, written } = change
  const standing = await lockResource(tx, id)
  if (standing === undefined) throw notFound(id)
  checkVersion(ifMatch, standing)
  const newParentId = change.parentId === standing.parentId ? undefined : change.parentId
  const asked = [id, standing.parentId, newParentId].filter((one) => typeof one === 'number')
  const masks = await findPermissionMasks(tx, caller, asked)
  const mask = masks.get(id)
  checkMask(mask, id, 'resource.read')
  const comparison = { written, standing, mask, isMoved: newParentId !== undefined }
  const left = fault === undefined ? await dropUnchanged(tx, comparison) : written
  const changed = await dropUnwritable(tx, { id, cls, mask }, left)
  if (newParentId !== undefined) await checkMove(tx, { standing, newParentId, masks })
  if (fault !== undefined) throw fault
  if (Object.keys(changed).length === 0) return standing.version
  await writeShared(tx, { context, caller, standing, changed, newParentId })
  const parentId = newParentId ?? standing.parentId ?? id
  const members = classMembers(cls, changed)
  if (Object.keys(members).length > 0)
    await behaviourOf(cls).update(tx, { context, caller, id, parentId, members, prepared })
  return standing.version + 1
}

/** Keys that a request leaves alone stay: they count with those that it brings. */
function checkMetadataCount(count: number): void {
  if (count > maxMetadata)
    throw invalidAt(
      '/resmeta/items',
      `the resource would have ${count} metadata keys; the limit is ${maxMetadata}`,
    )
}

interface SharedChange {
  readonly context: Writer['context']
  readonly caller: Caller
  readonly standing: LockedResource
  readonly changed: MemberValues
  readonly newParentId: number | undefined
}

async function writeShared(tx: Queryable, change: SharedChange) {
  const { context, caller, standing, changed, newParentId } = change
  const { id } = standing
  const { resource = {}, resmeta = {} } = changed
  const columns = columnsOf(resource)
  const rules = resource.permissions as Rule[] | undefined
  const names = { displayName: standing.displayName, keyname: standing.keyname, ...columns }
  const renames = 'displayName' in columns || 'keyname' in columns || newParentId !== undefined
  const parentId = newParentId ?? standing.parentId
  if (renames) checkNames(await findNameHolders(tx, { id, parentId, ...names }), names)
  if (columns.ownerId !== undefined) await checkOwners(tx, caller, [columns.ownerId])
  const risk = { id, rules, isMoved: newParentId !== undefined, isGiven: columns.ownerId !== undefined }
  await keepManaged(tx, risk, async () => {
    if (newParentId !== undefined) await move(tx, caller, { standing, newParentId })
    await updateResource(tx, id, columns)
    if (rules !== undefined) await writeRules(tx, new Map([[id, rules]]))
  })
  const writeMetadata = context.plain ? replaceMetadata : mergeMetadata
  if (resmeta.items !== undefined) {
    await writeMetadata(tx, id, resmeta.items as Metadata)
    checkMetadataCount(await countMetadata(tx, id))
  }
  if (risk.isMoved || risk.isGiven || rules !== undefined) await touchPermissionEpoch(tx)
}

type Columns = Parameters<typeof updateResource>[2]

function columnsOf(resource: Readonly<Record<string, unknown>>): Columns {
  const { display_name, keyname, description, owner_user } = resource
  return {
    ...(display_name === undefined ? {} : { displayName: display_name as string }),
    ...(keyname === undefined ? {} : { keyname: keyname as string | null }),
    ...(description === undefined ? {} : { description: description as string | null }),
    ...(owner_user === undefined ? {} : { ownerId: (owner_user as { id: number }).id }),
  }
}
