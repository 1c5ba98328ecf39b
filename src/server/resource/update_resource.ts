import type { Cls } from '../../contract/registry.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import { findResourcePlace } from '../../store/resource/resource_class.ts'
import { lockTree } from '../../store/resource/resource_tree.ts'
import type { Prepared } from '../classes/behaviour.ts'
import { behaviourOf } from '../classes/behaviours.ts'
import { invalidAt } from '../http/invalid_request.ts'
import type { MemberValues } from './attributes.ts'
import { type JsonObject, parseCls, readMembers, resourceOf } from './read_members.ts'
import { checkMask, notFound } from './require_permission.ts'
import { dropUnwritable } from './unchanged_values.ts'
import { classMembers, type Writer, writeAtOnce } from './write_resources.ts'
import { type ResourceUpdate, writeUpdates } from './write_updates.ts'

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
    const [changed = 0] = await writeUpdates(tx, writer, [{ change, prepared, ifMatch }])
    return changed
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
  const [members = {}] = await dropUnwritable(context.database, [{ id, cls, mask, written: own }])
  return behaviour.prepare({ context, caller, id, members, signal })
}
