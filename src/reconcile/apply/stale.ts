import type { Api } from '../../api/api.ts'
import { readContents } from '../../api/read_contents.ts'
import { type FeatureState, readExtensions, statesOf } from '../../api/read_extensions.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import { type ActualTree, labelOf, listDescendants } from '../model/actual_tree.ts'
import type { Change } from '../model/change.ts'
import { describeEdited, findEditedFeatures } from '../model/data_edits.ts'

/** Creates the Problem of a resource that has changed since planning. `creator` is the manifest that has created it, if known. */
export function stale(
  { key, creator }: Pick<Change, 'key'> & { readonly creator?: string | undefined },
  what: 'created' | 'changed' | 'deleted',
  hint?: string,
): Problem {
  const by = creator === undefined ? '' : ` by the manifest "${creator}"`
  return staleProblem(key, `"${key}" was ${what} on the server${by} since the plan was made.`, hint)
}

function staleProblem(key: string, message: string, hint: string | undefined): Problem {
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

/** Creates the Problem of a resource that has changed since planning, with the features or resources that did. */
export async function explainStale(
  api: Api,
  change: Change,
  { fault, hint, signal }: Explanation,
): Promise<Problem> {
  const { id, features, extensions: { states } = {} } = change
  const { resource, data_version: dataVersion, unlisted } = fault.data
  if (id === undefined) return stale(change, 'changed', hint)
  const at = (resource as { readonly id?: number } | undefined)?.id ?? id
  if (unlisted === true) return staleDeletion(change, await readLabel(api, at, signal), hint)
  if (dataVersion !== undefined) return explainStaleData(api, change, { id: at, hint, signal })
  if (fault.data.extensions_version === undefined) return stale(change, 'changed', hint)
  const now = states && (await readExtensions(api, { id, key: features?.key }, signal))
  return staleExtensions(change, states && now ? listDiffering(states, statesOf(now)) : [], hint)
}

/** Creates the Problem of a deletion that would delete a resource which the plan does not show. */
function staleDeletion({ key }: Pick<Change, 'key'>, label: string, hint?: string): Problem {
  const message = `"${label}" was created or moved below "${key}", which the plan deletes, since the plan was made.`
  return staleProblem(key, message, hint)
}

/** Data that have changed, with a description of the edits. */
interface StaleData {
  readonly id: number
  readonly edits?: string
}

/** Creates the Problem of data that a change would replace or delete, and that were edited since planning. */
function staleData(change: Change, { id, edits = '' }: StaleData, hint?: string): Problem {
  const { key, deletes, data } = change
  const label = deletes?.find((one) => one.id === id)?.key ?? key
  const effect = deletes !== undefined ? 'deletes' : data?.sync === undefined ? 'replaces' : 'changes'
  const message = `The data of "${label}", which the plan ${effect}, were changed on the server since the plan was made${edits}.`
  return staleProblem(key, message, hint)
}

interface DataExplanation extends Omit<Explanation, 'fault'> {
  /** The layer; that of the change, if absent. */
  readonly id?: number
}

/** Creates the Problem of data that have changed since planning, with the features that were edited, and by whom. */
export async function explainStaleData(
  api: Api,
  change: Change,
  { id = change.id ?? 0, hint, signal }: DataExplanation,
): Promise<Problem> {
  const { deletes = [], dataVersion = change.data?.sync?.dataVersion } = change
  const base = deletes.find((one) => one.id === id)?.dataVersion ?? dataVersion
  const [contents] = (await readContents(api, [id], signal)) ?? []
  const { changed_features: changes, data_changed: at, data_user: by = null } = contents ?? {}
  const features = base === undefined ? undefined : findEditedFeatures(changes, base)
  const edits = describeEdited({
    ...(at === undefined ? {} : { last: { at, by } }),
    ...(features === undefined ? {} : { features }),
  })
  return staleData(change, { id, edits }, hint)
}

async function readLabel(api: Api, id: number, signal: AbortSignal | undefined): Promise<string> {
  try {
    const { resource } = await api.call('resource.get', { params: { id }, signal })
    return labelOf({ id, keyname: (resource as { readonly keyname?: string | null }).keyname ?? null })
  } catch (error) {
    if (!isProblem(error)) throw error
    return `#${id}`
  }
}

/** Creates the Problem of a layer whose features have other descriptions or attachments than during planning. */
function staleExtensions({ key }: Change, names: Iterable<string>, hint?: string): Problem {
  const all = [...names]
  const named = all.length === 0 ? '' : `: ${all.slice(0, maxNamed).join(', ')}`
  const more = all.length > maxNamed ? ', …' : ''
  const message = `Descriptions or attachments of features of "${key}" were changed on the server since the plan was made${named}${more}.`
  return staleProblem(key, message, hint)
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
  readonly dataVersion?: number | undefined
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
    const { id, version, extensions, dataVersion } = change
    if (id === undefined) continue
    const there = byId.get(id)
    if (there === undefined) found.set(change, stale(change, 'deleted'))
    else if (version !== undefined && there.version !== version) found.set(change, stale(change, 'changed'))
    else if (dataVersion !== undefined && there.dataVersion !== dataVersion)
      found.set(change, staleData(change, { id }))
    else if (extensions !== undefined && there.extensionsVersion !== extensions.version)
      found.set(change, staleExtensions(change, []))
  }
  return found
}

/** A resource that a deletion would delete, and that is not as during planning. */
interface StaleDeletion {
  readonly id: number
  /** Only of a resource that the plan does not show. */
  readonly label?: string
}

/** Finds a resource that a deletion would delete although it is not as the plan shows it. */
export function findStaleDeletion(
  { id, deletes }: Change,
  tree: Pick<ActualTree, 'byId' | 'childrenOf'>,
): StaleDeletion | undefined {
  if (id === undefined || deletes === undefined) return undefined
  const planned = new Map(deletes.map((one) => [one.id, one]))
  for (const at of [id, ...listDescendants(tree, id)]) {
    const [there, before] = [tree.byId.get(at), planned.get(at)]
    if (there === undefined) continue
    if (before === undefined) return { id: at, label: labelOf(there) }
    if (before.dataVersion !== there.dataVersion) return { id: at }
  }
  return undefined
}

/** Creates the Problem of a deletion that would delete what the plan does not show. */
export async function explainStaleDeletion(
  api: Api,
  change: Change,
  { id, label, signal }: StaleDeletion & Pick<Explanation, 'signal'>,
): Promise<Problem> {
  return label === undefined ? explainStaleData(api, change, { id, signal }) : staleDeletion(change, label)
}
