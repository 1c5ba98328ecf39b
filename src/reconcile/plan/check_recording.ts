import { isMarkerKey } from '../../contract/markers.ts'
import { type Issue, sortIssues } from '../../core/issue.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { ActualTree } from '../model/actual_tree.ts'
import type { Change, Plan } from '../model/change.ts'
import { issueAt } from './issue_at.ts'
import type { PlanReader } from './plan_reader.ts'

/**
 * Refuses changes whose record the account may not write. What a manifest sets is recorded in the metadata of the resource; without
 * the record, other manifests would not know of it.
 *
 * @throws {Problem} http/*
 */
export async function checkRecording(
  { listDenied }: Pick<PlanReader, 'listDenied'>,
  {
    plan,
    manifest,
    actual,
  }: { readonly plan: Plan; readonly manifest: Manifest; readonly actual: ActualTree },
): Promise<Plan> {
  const recorded = plan.changes.filter(isRecorded)
  if (listDenied === undefined || actual.administrator || recorded.length === 0) return plan
  const denied = await listDenied({ ids: recorded.map(({ id }) => id ?? 0), permission: 'metadata.write' })
  const issues = recorded.flatMap(({ id, key }): Issue[] => {
    const wanted = manifest.resources.get(key)
    if (wanted === undefined || id === undefined || !denied.has(id)) return []
    const who = actual.caller === undefined ? 'this account' : `user "${actual.caller}"`
    const message = `${who} cannot write the metadata of "${key}", where an apply records what the manifest sets`
    return [issueAt(wanted, 'plan/unwritable', message)]
  })
  return issues.length === 0 ? plan : { ...plan, issues: sortIssues([...plan.issues, ...issues]) }
}

/** Tells whether a change of an existing resource writes marks of landform. */
function isRecorded({ action, id, record, data, body }: Change): boolean {
  if (id === undefined || record !== undefined || action === 'delete' || action === 'replace') return false
  const items = (body.resmeta?.items ?? {}) as Readonly<Record<string, unknown>>
  return data !== undefined || Object.keys(items).some(isMarkerKey)
}
