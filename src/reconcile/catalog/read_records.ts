import type { Api } from '../../api/api.ts'
import { type CatalogRecords, readCatalog } from '../../api/read_catalog.ts'
import { catalogEditors } from '../../contract/catalog/catalog_edit.ts'
import { problem } from '../../contract/problems.ts'

/** What an account without access to the catalog can do. */
export const editorHint = `Sign in as an administrator, or as a member of the group ${catalogEditors}, which landform group create ${catalogEditors} creates.`

/**
 * Reads all records of a catalog.
 *
 * @throws {Problem} access/denied, catalog/absent
 */
export async function readRecords(api: Api, signal: AbortSignal | undefined): Promise<CatalogRecords> {
  const reading = await readCatalog(api, signal)
  if (typeof reading === 'object') return reading
  if (reading === 'absent') throw problem('catalog/absent', `${api.url} has no catalog of geoservices.`)
  const message = 'This account cannot manage the records of the catalog.'
  throw problem('access/denied', message, { hint: editorHint })
}
