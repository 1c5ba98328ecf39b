import type { Api } from '../../api/api.ts'
import { readExtensions } from '../../api/read_extensions.ts'
import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import type { Change, FeatureState } from '../model/change.ts'
import { statesOf } from '../plan/data/plan_extensions.ts'

/** Creates the Problem of a resource that has changed since planning. `creator` is the manifest that has created it, if known. */
export function stale(
  { key, creator }: Pick<Change, 'key'> & { readonly creator?: string | undefined },
  what: 'created' | 'changed' | 'deleted',
  hint?: string,
): Problem {
  const by = creator === undefined ? '' : ` by the manifest "${creator}"`
  const message = `"${key}" was ${what} on the server${by} since the plan was made.`
  return problem('apply/stale', message, { resource: key, ...(hint === undefined ? {} : { hint }) })
}

/** Maximum number of features that the problem of a stale change names. */
const maxNamed = 5

/**
 * Creates the Problem of a resource that has changed since planning, with the features whose descriptions or attachments others
 * have changed, if the change writes them.
 */
export async function explainStale(
  api: Api,
  change: Change,
  { hint, signal }: { readonly hint?: string | undefined; readonly signal?: AbortSignal | undefined },
): Promise<Problem> {
  const { key, id, features } = change
  if (id === undefined || features?.before === undefined) return stale(change, 'changed', hint)
  const now = statesOf((await readExtensions(api, { id, key: features.key }, signal)) ?? [])
  const names = [...listDiffering(features.before, now)]
  if (names.length === 0) return stale(change, 'changed', hint)
  const more = names.length > maxNamed ? ', …' : ''
  const message = `Descriptions or attachments of features of "${key}" were changed on the server since the plan was made: ${names.slice(0, maxNamed).join(', ')}${more}.`
  return problem('apply/stale', message, { resource: key, ...(hint === undefined ? {} : { hint }) })
}

/** Names the features with other digests, by their keys, else by their ids. */
function listDiffering(before: readonly FeatureState[], now: readonly FeatureState[]): Set<string> {
  const old = new Map(before.map((one) => [one.id, one.digest]))
  const next = new Map(now.map((one) => [one.id, one.digest]))
  const differing = [...before, ...now].filter(({ id }) => old.get(id) !== next.get(id))
  return new Set(differing.map(({ id, key }) => key ?? `#${id}`))
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
