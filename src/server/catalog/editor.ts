import { catalogEditors } from '../../contract/catalog_edit.ts'
import { problem } from '../../contract/problems.ts'
import { isMember } from '../../store/auth/membership.ts'
import type { ApiRequest } from '../http/handler.ts'

/**
 * Refuses callers that may not change the catalog: all but administrators and members of the group of editors.
 *
 * @throws {Problem} access/denied, catalog/absent
 */
export async function requireEditor({
  context,
  caller,
}: Pick<ApiRequest, 'context' | 'caller'>): Promise<void> {
  if (context.catalog === 'off') throw problem('catalog/absent', 'This server has no catalog.')
  if (caller.isAdministrator || caller.superuser) return
  if (await isMember(context.database, caller.id, catalogEditors)) return
  throw problem('access/denied', 'Only administrators and editors of the catalog can manage its records.', {
    hint: `Ask an administrator to add you to the group "${catalogEditors}", which landform group create ${catalogEditors} creates.`,
  })
}
