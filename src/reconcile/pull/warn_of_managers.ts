import { countOf } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'

/** A resource or record with its manager. */
export interface Managed {
  /** Id of the managing manifest. */
  readonly manager: string | undefined
  readonly isPulled: boolean
}

/** Warns if other manifests manage pulled resources or records: a plan of the new manifest rejects them. */
export function warnOfManagers(
  all: readonly Managed[],
  manifestId: string,
  noun: 'resource' | 'record',
): Issue[] {
  const managed = Map.groupBy(all, ({ manager }) => manager)
  return [...managed].flatMap(([manager, owned]): Issue[] => {
    const count = owned.filter(({ isPulled }) => isPulled).length
    if (manager === undefined || manager === manifestId || count === 0) return []
    const message = `${countOf(count, `pulled ${noun}`)} ${count === 1 ? 'is' : 'are'} managed by the manifest "${manager}"`
    // With the id of a manifest that manages more, a plan with --prune would delete the others.
    const same = count === owned.length ? `Pull with --manifest ${manager} to keep its id, or plan` : 'Plan'
    const hint = `${same} with --adopt to take them over.`
    return [{ code: 'plan/foreign', message, severity: 'warning', hint }]
  })
}
