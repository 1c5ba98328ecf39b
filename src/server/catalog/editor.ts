import { catalogEditors } from '../../contract/catalog/catalog_edit.ts'
import { problem } from '../../contract/problems.ts'
import { isMember } from '../../store/auth/membership.ts'
import type { ApiRequest } from '../http/handler.ts'

type Request = Pick<ApiRequest, 'context' | 'caller'>

/** Tells whether the caller may change the catalog: administrators and members of the group of editors may. */
export async function isEditor({ context, caller }: Request): Promise<boolean> {
  return caller.isAdministrator || caller.superuser || isMember(context.database, caller.id, catalogEditors)
}

/**
 * Refuses callers that may not change the catalog.
 *
 * @throws {Problem} access/denied, catalog/absent
 */
export async function requireEditor(request: Request): Promise<void> {
  if (request.context.catalog === 'off') throw problem('catalog/absent', 'This server has no catalog.')
  if (await isEditor(request)) return
  throw problem('access/denied', 'Only administrators and editors of the catalog can manage its records.', {
    hint: `Ask an administrator to add you to the group "${catalogEditors}", which landform group create ${catalogEditors} creates.`,
  })
}
