import type { Api } from '../../api/api.ts'
import { type FeatureState, readExtensions, statesOf } from '../../api/read_extensions.ts'
import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import type { Change } from '../model/change.ts'

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

interface Explanation {
  /** What the server has answered. */
  readonly fault: Problem
  readonly hint?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Creates the Problem of a resource that has changed since planning, with the features whose descriptions or attachments did. */
export async function explainStale(
  api: Api,
  change: Change,
  { fault, hint, signal }: Explanation,
): Promise<Problem> {
  const { id, features, extensions: { states } = {} } = change
  if (fault.data.extensions_version === undefined || id === undefined) return stale(change, 'changed', hint)
  const now = states && (await readExtensions(api, { id, key: features?.key }, signal))
  return staleExtensions(change, states && now ? listDiffering(states, statesOf(now)) : [], hint)
}

/** Creates the Problem of a layer whose features have other descriptions or attachments than during planning. */
function staleExtensions({ key }: Change, names: Iterable<string>, hint?: string): Problem {
  const all = [...names]
  const named = all.length === 0 ? '' : `: ${all.slice(0, maxNamed).join(', ')}`
  const more = all.length > maxNamed ? ', …' : ''
  const message = `Descriptions or attachments of features of "${key}" were changed on the server since the plan was made${named}${more}.`
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

interface Versioned {
  readonly version: number | undefined
  /** Only of layers. */
  readonly extensionsVersion?: number | undefined
}

/** Resources or records by id. */
export interface Versions {
  readonly byId: ReadonlyMap<number, Versioned>
}

/** Finds the changes whose resource or record has changed since planning. */
export function findStale(changes: readonly Change[], { byId }: Versions): Map<Change, Problem> {
  const found = new Map<Change, Problem>()
  for (const change of changes) {
    const { id, version, extensions } = change
    if (id === undefined) continue
    const there = byId.get(id)
    if (there === undefined) found.set(change, stale(change, 'deleted'))
    else if (version !== undefined && there.version !== version) found.set(change, stale(change, 'changed'))
    else if (extensions !== undefined && there.extensionsVersion !== extensions.version)
      found.set(change, staleExtensions(change, []))
  }
  return found
}
