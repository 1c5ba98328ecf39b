import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import type { ActualTree } from '../model/actual_tree.ts'
import type { Change } from '../model/change.ts'

/** Creates the Problem of a resource that has changed since planning. */
export function stale(
  { key }: Pick<Change, 'key'>,
  what: 'created' | 'changed' | 'deleted',
  hint?: string,
): Problem {
  const message = `"${key}" was ${what} on the server since the plan was made.`
  return problem('apply/stale', message, { resource: key, ...(hint === undefined ? {} : { hint }) })
}

/** Finds the changes whose resource has changed since planning. */
export function findStale(
  changes: readonly Change[],
  { byId }: Pick<ActualTree, 'byId'>,
): Map<Change, Problem> {
  const found = new Map<Change, Problem>()
  for (const change of changes) {
    const { id, version } = change
    if (id === undefined) continue
    const there = byId.get(id)
    if (there === undefined) found.set(change, stale(change, 'deleted'))
    else if (version !== undefined && there.version !== version) found.set(change, stale(change, 'changed'))
  }
  return found
}
