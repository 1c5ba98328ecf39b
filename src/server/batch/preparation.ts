import type { Cls, Members } from '../../contract/registry.ts'
import { findResourcePlace } from '../../store/resource/resource_class.ts'
import type { ApiRequest } from '../http/handler.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { type JsonObject, readMembers } from '../resource/read_members.ts'
import { checkMask, notFound, requirePermission } from '../resource/require_permission.ts'
import { classMembers } from '../resource/write_resources.ts'

type Request = ApiRequest<'source.prepare'>

/**
 * Reads the source to prepare for a class, after checking the permissions of the caller.
 *
 * @throws {Problem} access/denied, resource/not-found, request/invalid
 */
export async function readPreparation<C extends Cls>(request: Request, cls: C): Promise<Members<C>> {
  const { body } = request
  if (body.id !== undefined) await checkTarget(request, { id: body.id, cls })
  const own = (body as JsonObject)[cls] as { readonly source?: { readonly prepared?: unknown } } | undefined
  if (own?.source?.prepared !== undefined)
    throw invalidAt(`/${cls}/source/prepared`, '"prepared" is not allowed here')
  const { feature_layer: fields } = body as JsonObject
  const { written, fault } = readMembers(cls, 'update', {
    [cls]: own ?? {},
    ...(fields === undefined ? {} : { feature_layer: fields }),
  })
  if (fault !== undefined) throw fault
  return classMembers(cls, written) as Members<C>
}

/** Checks that the layer exists, and that the caller can write its data. */
async function checkTarget(
  { context, caller }: Request,
  { id, cls }: { readonly id: number; readonly cls: Cls },
): Promise<void> {
  const place = await findResourcePlace(context.database, id)
  if (place === undefined) throw notFound(id)
  const masks = await requirePermission(context, caller, { ids: [id], permission: 'resource.read' })
  if (place.cls !== cls) throw invalidAt('/id', `resource ${id} is a ${place.cls}`)
  checkMask(masks.get(id), id, 'data.write')
}
