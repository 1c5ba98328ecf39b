import { problem } from '../../contract/problems.ts'
import { etagOf } from './representation.ts'

/**
 * Checks the If-Match header of a change.
 *
 * @throws {Problem} resource/stale
 * @see RFC 9110 clause 13.1.1
 */
export function checkVersion(
  header: string | undefined,
  { id, version }: { readonly id: number; readonly version: number },
): void {
  if (header === undefined || header.trim() === '*') return
  const tags = header.split(',').map((tag) => tag.trim())
  if (tags.includes(etagOf(version))) return
  throw problem('resource/stale', `Resource id = ${id} has version ${version}, not ${header}.`, {
    resource: id,
    data: { resource: { id }, version },
  })
}
