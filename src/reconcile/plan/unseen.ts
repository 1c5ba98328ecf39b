import type { VisibilityQuery } from '../../api/read_visibility.ts'
import type { Issue } from '../../core/issue.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import { type ActualTree, pathOf, readsAll } from '../model/actual_tree.ts'
import type { PlanInput } from '../model/plan_input.ts'
import { issueAt, type Match } from './match.ts'

/** Why it is not known whether the server has a wanted resource. */
export type Unseen =
  /** It is there, and the account may not read it. */
  | { readonly why: 'unreadable' }
  /** It stands under one that is not known; `parent` is its key. */
  | { readonly why: 'below'; readonly parent: string }
  /** It is not in what the account may read, and the account may not create it under that parent. */
  | { readonly why: 'forbidden'; readonly parentId: number }

/** Wanted resources that nothing can be planned for, and what has to be asked before that is known. */
export interface UnseenPlan {
  /** By key, in the order of the manifest. */
  readonly unseen: ReadonlyMap<string, Unseen>
  readonly question: VisibilityQuery
}

const nothing: VisibilityQuery = { keynames: [], parents: [] }

/**
 * Finds the wanted resources that may be on the server although the account does not see them: only what is known to be
 * absent is created. Where the whole tree was read there are none.
 */
export function findUnseen(input: PlanInput, match: Match): UnseenPlan {
  if (readsAll(input.actual)) return { unseen: new Map(), question: nothing }
  if (input.sight === undefined) return { unseen: new Map(), question: questionOf(input, match) }
  const unseen = new Map<string, Unseen>()
  for (const wanted of input.manifest.resources.values()) {
    const found = lookFor(wanted, { input, match, unseen })
    if (found !== undefined) unseen.set(wanted.key, found)
  }
  return { unseen, question: nothing }
}

function questionOf({ manifest }: PlanInput, match: Match): VisibilityQuery {
  const missing = [...manifest.resources.values()].filter((wanted) => isMissing(wanted, match))
  const parents = missing.flatMap(({ parent = '' }) => match.pairs.get(parent)?.id ?? [])
  return {
    keynames: missing.flatMap(({ key, was }) => (was === undefined ? [key] : [key, was])),
    parents: [...new Set(parents)],
  }
}

const isMissing = ({ key, existing }: WantedResource, { pairs, suspects }: Match) =>
  !existing && !pairs.has(key) && !suspects.has(key)

interface Looking {
  readonly input: PlanInput
  readonly match: Match
  readonly unseen: ReadonlyMap<string, Unseen>
}

function lookFor(wanted: WantedResource, { input, match, unseen }: Looking): Unseen | undefined {
  if (wanted.existing || wanted.parent === undefined) return undefined
  const { parent } = wanted
  const lost = input.manifest.resources.get(parent)?.existing && !match.pairs.has(parent)
  if (unseen.has(parent) || lost) return { why: 'below', parent }
  if (!isMissing(wanted, match)) return undefined
  const { unreadable, creatable } = input.sight ?? {}
  const isHidden = [wanted.key, wanted.was].some((key) => key !== undefined && unreadable?.has(key))
  if (isHidden) return { why: 'unreadable' }
  const parentId = match.pairs.get(parent)?.id
  if (parentId === undefined || creatable?.get(parentId)?.has(wanted.cls ?? '')) return undefined
  return { why: 'forbidden', parentId }
}

/** Says in a few words why a resource is not known. */
export function reasonOf(found: Unseen): string {
  if (found.why === 'below') return `below "${found.parent}", which is unknown`
  return found.why === 'unreadable'
    ? 'exists, and this account may not read it'
    : 'not visible to this account, which may not create it either'
}

/** Reports what is not known: an error for each resource that others are not known because of. */
export function reportUnseen(
  unseen: ReadonlyMap<string, Unseen>,
  { manifest, actual }: Pick<PlanInput, 'manifest' | 'actual'>,
): Issue[] {
  const below = countBelow(unseen)
  return [...unseen].flatMap(([key, found]) => {
    const wanted = manifest.resources.get(key)
    if (wanted === undefined || found.why === 'below') return []
    const { message, permission } = describe(wanted, found, actual)
    const count = below.get(key) ?? 0
    const more = count === 0 ? '' : `; ${count} below it ${count === 1 ? 'is' : 'are'} unknown too`
    return [{ ...issueAt(wanted, 'plan/unknown', message + more), hint: adviceFor(permission, actual) }]
  })
}

function describe(
  { key, cls }: WantedResource,
  found: Exclude<Unseen, { readonly why: 'below' }>,
  actual: ActualTree,
): { readonly message: string; readonly permission: string } {
  const who = nameCaller(actual)
  if (found.why === 'unreadable')
    return { message: `"${key}" exists, and ${who} may not read it`, permission: `resource.read on "${key}"` }
  const place = `"${pathOf(actual, found.parentId).join(' / ')}"`
  return {
    message: `"${key}" is not visible to ${who}, who may not create a ${cls} in ${place} either`,
    permission: `resource.read on "${key}", or resource.manage_children and resource.create in ${place}`,
  }
}

const isGuest = ({ caller }: ActualTree) => caller === 'guest'

const nameCaller = (actual: ActualTree) =>
  actual.caller === undefined ? 'this account' : `user "${actual.caller}"`

function adviceFor(permission: string, actual: ActualTree): string {
  if (isGuest(actual)) return 'Log in: set LANDFORM_USER and LANDFORM_PASSWORD, or LANDFORM_TOKEN.'
  return `Log in with an account that has ${permission}.`
}

/** Counts, by the key of a resource that is not known, those below it. */
function countBelow(unseen: ReadonlyMap<string, Unseen>): Map<string, number> {
  const tops = new Map<string, string>()
  const counts = new Map<string, number>()
  for (const [key, found] of unseen) {
    const top = found.why === 'below' ? (tops.get(found.parent) ?? found.parent) : key
    tops.set(key, top)
    if (top !== key) counts.set(top, (counts.get(top) ?? 0) + 1)
  }
  return counts
}
