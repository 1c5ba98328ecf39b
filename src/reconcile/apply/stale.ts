import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
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

/** Returns the hint of a stale change. */
export function staleHint(partial: boolean | undefined): string | undefined {
  return partial === true ? undefined : 'Plan again, or skip it with --partial.'
}

/** Resources or records by id. */
export interface Versions {
  readonly byId: ReadonlyMap<number, { readonly version: number | undefined }>
}

/** Finds the changes whose resource or record has changed since planning. */
export function findStale(changes: readonly Change[], { byId }: Versions): Map<Change, Problem> {
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
