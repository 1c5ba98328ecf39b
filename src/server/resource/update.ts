import { problem } from '../../contract/problems.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Rule } from '../../contract/resource.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks, touchPermissionEpoch } from '../../store/permission.ts'
import { type Metadata, mergeMetadata } from '../../store/resmeta.ts'
import { findNameHolders, type LockedResource, lockResource, updateResource } from '../../store/resource.ts'
import { findResourcePlace } from '../../store/resource_class.ts'
import { lockTree } from '../../store/resource_tree.ts'
import { findRules, replaceRules } from '../../store/rule.ts'
import { checkWritable, type MemberValues } from '../attributes.ts'
import type { Prepared } from '../behaviours/behaviour.ts'
import { behaviourOf } from '../behaviours/table.ts'
import { invalidAt } from '../invalid.ts'
import { checkMask, notFound } from '../permit.ts'
import { type JsonObject, parseCls, type ReadBody, readMembers, resourceOf } from './body.ts'
import { checkVersion } from './match.ts'
import { checkMove, move } from './move.ts'
import { checkRules, isSameRules, keepAdministrators } from './rules.ts'
import { checkNames, checkOwner, classMembers, type Writer, writeAtOnce } from './write.ts'

/** What a request wants to change. */
interface Change extends ReadBody {
  readonly id: number
  readonly cls: Cls
  /** Another parent than it had when the request was read. */
  readonly newParentId: number | undefined
  readonly members: Record<string, unknown>
}

/** Changes a resource by all a request says of it, or not at all. Gives the version it has then. */
export async function changeResource(writer: Writer, id: number, body: JsonObject): Promise<number> {
  const change = await readChange(writer, id, body)
  const prepared = await prepare(writer, change)
  return writeAtOnce(writer, prepared, (tx) => write(tx, { writer, change, prepared }))
}

async function readChange({ context }: Writer, id: number, body: JsonObject): Promise<Change> {
  const place = await findResourcePlace(context.database, id)
  if (place === undefined) throw notFound(id)
  const { cls, parentId } = place
  const resource = resourceOf(body)
  if (resource.cls !== undefined && parseCls(resource.cls) !== cls)
    throw invalidAt('/resource/cls', `resource id = ${id} is a ${cls}, and the class is fixed`)
  const read = readMembers(cls, 'update', body)
  const wanted = read.fault === undefined ? wantedParent(read.written) : undefined
  const newParentId = wanted !== undefined && wanted !== parentId ? wanted : undefined
  return { ...read, id, cls, newParentId, members: classMembers(cls, read.written) }
}

function wantedParent({ resource }: MemberValues): number | undefined {
  const parent = resource?.parent as { readonly id: number } | null | undefined
  return parent?.id
}

async function prepare(writer: Writer, change: Change): Promise<Prepared | undefined> {
  const { id, cls, members, fault, written } = change
  const behaviour = behaviourOf(cls)
  if (behaviour.prepare === undefined || fault !== undefined || Object.keys(members).length === 0)
    return undefined
  const { context, caller, signal } = writer
  const mask = (await findPermissionMasks(context.database, caller, [id])).get(id)
  checkMask(mask, id, 'resource.read')
  checkWritable(cls, mask, onlyMembers(written, members))
  return behaviour.prepare({ context, caller, id, members, signal })
}

function onlyMembers(written: MemberValues, members: Record<string, unknown>): MemberValues {
  return Object.fromEntries(Object.entries(written).filter(([name]) => name in members))
}

interface Step {
  readonly writer: Writer
  readonly change: Change
  readonly prepared: Prepared | undefined
}

async function write(tx: Queryable, { writer, change, prepared }: Step): Promise<number> {
  const { context, caller, headers } = writer
  const { id, cls, newParentId, fault, members } = change
  if (newParentId !== undefined) await lockTree(tx)
  const standing = await lockResource(tx, id)
  if (standing === undefined) throw notFound(id)
  checkVersion(headers['if-match'], standing)
  const asked = [id, standing.parentId, newParentId].filter((one) => typeof one === 'number')
  const masks = await findPermissionMasks(tx, caller, asked)
  checkMask(masks.get(id), id, 'resource.read')
  const changed = await dropUnchanged(tx, standing, change)
  checkWritable(cls, masks.get(id) ?? 0, changed)
  if (newParentId !== undefined) await checkMove(tx, { standing, newParentId, masks })
  if (fault !== undefined) throw fault
  if (Object.keys(changed).length === 0) return standing.version
  await writeShared(tx, { writer, standing, changed, newParentId })
  const parentId = newParentId ?? standing.parentId ?? id
  if (Object.keys(members).length > 0)
    await behaviourOf(cls).update(tx, { context, caller, id, parentId, members, prepared })
  return standing.version + 1
}

interface SharedChange {
  readonly writer: Writer
  readonly standing: LockedResource
  readonly changed: MemberValues
  readonly newParentId: number | undefined
}

async function writeShared(tx: Queryable, { writer, standing, changed, newParentId }: SharedChange) {
  const { caller } = writer
  const { id } = standing
  const { resource = {}, resmeta = {} } = changed
  const columns = columnsOf(resource)
  const names = { displayName: standing.displayName, keyname: standing.keyname, ...columns }
  const renames = 'displayName' in columns || 'keyname' in columns || newParentId !== undefined
  const parentId = newParentId ?? standing.parentId
  if (renames) checkNames(await findNameHolders(tx, { id, parentId, ...names }), names)
  if (columns.ownerId !== undefined) await checkOwner(tx, caller, columns.ownerId)
  if (newParentId !== undefined) await move(tx, caller, { standing, newParentId })
  await updateResource(tx, id, columns)
  if (resmeta.items !== undefined) await mergeMetadata(tx, id, resmeta.items as Metadata)
  if (resource.permissions !== undefined) await writeRules(tx, id, resource.permissions as Rule[])
  if (newParentId !== undefined || columns.ownerId !== undefined || resource.permissions !== undefined)
    await touchPermissionEpoch(tx)
}

async function writeRules(tx: Queryable, id: number, rules: readonly Rule[]): Promise<void> {
  await checkRules(tx, rules)
  await keepAdministrators(tx, id, () => replaceRules(tx, id, rules))
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

/** Leaves out what has that value already: a client that sends back all it has read changes only what is new. */
async function dropUnchanged(
  tx: Queryable,
  standing: LockedResource,
  { written, newParentId, fault }: Change,
): Promise<MemberValues> {
  if (fault !== undefined) return written
  const { resource = {}, ...rest } = written
  const same = new Set(['cls'])
  if (resource.display_name === standing.displayName) same.add('display_name')
  if (resource.keyname === standing.keyname) same.add('keyname')
  if (resource.description === standing.description) same.add('description')
  if ((resource.owner_user as { id?: number } | undefined)?.id === standing.ownerId) same.add('owner_user')
  if (newParentId === undefined && resource.parent !== null) same.add('parent')
  if (resource.parent === null && standing.parentId === null) same.add('parent')
  const rules = resource.permissions as Rule[] | undefined
  if (rules !== undefined && isSameRules(rules, await findRules(tx, standing.id))) same.add('permissions')
  if (resource.parent === null && standing.parentId !== null)
    throw problem('resource/hierarchy', 'Only the root has no parent.', { resource: standing.id })
  const left = Object.fromEntries(Object.entries(resource).filter(([name]) => !same.has(name)))
  return Object.keys(left).length > 0 ? { resource: left, ...rest } : rest
}
