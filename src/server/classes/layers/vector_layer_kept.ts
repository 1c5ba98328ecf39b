import { problem } from '../../../contract/problems.ts'
import { findKept, type KeptData } from '../../../store/layer/kept_data.ts'
import type { Caller } from '../../auth/caller.ts'
import { invalidAt } from '../../http/invalid_request.ts'
import type { Preparation, Prepared } from '../behaviour.ts'

/** Kept data that a request restores. */
export interface KeptSource extends Prepared {
  readonly kept: KeptData
}

/** Tells whether what was prepared for a request is kept data. */
export function isKeptSource(prepared: unknown): prepared is KeptSource {
  return typeof prepared === 'object' && prepared !== null && 'kept' in prepared
}

/**
 * Finds the kept data that a request names as its source; undefined if it names none. The permission to write the data of an existing layer
 * is checked with the request; those of a deleted one can be restored by those who deleted it and could read and write them.
 *
 * @throws {Problem} source/not-kept
 */
export async function findKeptSource({
  context: { database },
  caller,
  id,
  members,
}: Preparation<'vector_layer'>): Promise<KeptSource | undefined> {
  const wanted = members.vector_layer?.source?.kept
  if (wanted === undefined) return undefined
  const { id: upload, prepared } = members.vector_layer?.source ?? {}
  if (upload !== undefined || prepared !== undefined)
    throw invalidAt('/vector_layer/source', '"kept" excludes "id" and "prepared"')
  const kept = await findKept(database, wanted)
  const details = { data: { location: ['body', '/vector_layer/source/kept'] } }
  // Who may not restore data does not learn of them.
  const isTarget = kept?.isThere ? kept.resourceId === id : id === undefined && kept !== undefined
  if (kept === undefined || !isTarget || !(kept.isThere || mayRestoreDeleted(kept, caller)))
    throw problem('source/not-kept', `there are no kept data ${wanted} for this layer and account`, details)
  return { kept, discard: async () => undefined }
}

/** Tells whether a caller may restore the data of a deleted layer. */
export function mayRestoreDeleted({ userId }: KeptData, caller: Caller): boolean {
  return caller.isAdministrator || caller.superuser || userId === caller.id
}
