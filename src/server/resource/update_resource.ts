import type { Cls } from '../../contract/registry.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import { findResourcePlace } from '../../store/resource/resource_class.ts'
import { lockTree } from '../../store/resource/resource_tree.ts'
import type { Prepared } from '../classes/behaviour.ts'
import { behaviourOf } from '../classes/behaviours.ts'
import { type StyleIssuesPart, styleIssuesPart } from '../classes/style_issues.ts'
import { invalidAt } from '../http/invalid_request.ts'
import type { MemberValues } from './attributes.ts'
import { type JsonObject, parseCls, readMembers, resourceOf } from './read_members.ts'
import { recordStep } from './record_step.ts'
import { checkMask, notFound } from './require_permission.ts'
import { dropUnwritable } from './unchanged_values.ts'
import { classMembers, type Writer, writeAtOnce } from './write_resources.ts'
import { type ResourceUpdate, writeUpdates } from './write_updates.ts'

/** Result of an update. */
export interface UpdateResult {
  /** New version of the resource. */
  readonly version: number
  readonly prepared: Prepared | undefined
  /** Issues of the style that the request wrote. */
  readonly styleIssues: StyleIssuesPart
}

/** Applies an update to a resource atomically. */
export async function changeResource(writer: Writer, id: number, body: JsonObject): Promise<UpdateResult> {
  const place = await findResourcePlace(writer.context.database, id)
  if (place === undefined) throw notFound(id)
  const change = readUpdate({ id, cls: place.cls }, body)
  const prepared = await prepareUpdate(writer, change)
  const ifMatch = writer.headers['if-match']
  const result = await writeAtOnce(writer, prepared, async (tx) => {
    if (change.parentId !== undefined && change.parentId !== place.parentId) await lockTree(tx)
    const [version = 0] = await writeUpdates(tx, writer, [{ change, prepared, ifMatch }])
    await recordStep(tx, writer, { id, version })
    const isWritten = Object.keys(classMembers(change.cls, change.written)).length > 0
    return { version, styleIssues: isWritten ? await styleIssuesPart(tx, writer.caller, change) : {} }
  })
  return { ...result, prepared }
}

/**
 * Reads the update of a resource from a request.
 *
 * @throws {Problem} request/invalid
 */
export function readUpdate(
  { id, cls }: { readonly id: number; readonly cls: Cls },
  body: JsonObject,
): ResourceUpdate {
  const resource = resourceOf(body)
  if (resource.cls !== undefined && parseCls(resource.cls) !== cls)
    throw invalidAt('/resource/cls', `resource id = ${id} is a ${cls}; the class cannot change`)
  const read = readMembers(cls, 'update', body)
  const parentId = read.fault === undefined ? readParentId(read.written) : undefined
  return { ...read, id, cls, parentId }
}

function readParentId({ resource }: MemberValues): number | undefined {
  const parent = resource?.parent as { readonly id: number } | null | undefined
  return parent?.id
}

/** Runs the long work of an update, after checking that the caller can write the attributes. */
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
