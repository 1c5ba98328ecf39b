import type { VisibilityQuery } from '../../../api/read_visibility.ts'
import { countOf } from '../../../core/count.ts'
import type { Issue } from '../../../core/issue.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import { type ActualTree, pathOf, readsAll } from '../../model/actual_tree.ts'
import type { PlanInput } from '../../model/plan_input.ts'
import { issueAt } from '../issue_at.ts'
import type { Match } from './match.ts'

/** Reason why it is unknown whether a resource exists. */
export type Unseen =
  /** It exists, but the account cannot read it. */
  | { readonly why: 'unreadable' }
  /** Its parent is unknown; `parent` is the key. */
  | { readonly why: 'below'; readonly parent: string }
  /** The account cannot see it, and cannot create it under that parent. */
  | { readonly why: 'forbidden'; readonly parentId: number }

/** Resources that cannot be planned, and the query needed to find them. */
export interface UnseenPlan {
  /** By key, in the order of the manifest. */
  readonly unseen: ReadonlyMap<string, Unseen>
  readonly question: VisibilityQuery
}

const nothing: VisibilityQuery = { keynames: [], parents: [] }

/**
 * Finds the resources of the manifest that may exist although the account cannot see them, since only resources that
 * are known to be absent can be created. Empty if the account can read the whole tree.
 */
export function findUnseen(input: PlanInput, match: Match): UnseenPlan {
  if (readsAll(input.actual)) return { unseen: new Map(), question: nothing }
  if (input.visibility === undefined) return { unseen: new Map(), question: questionOf(input, match) }
  const unseen = new Map<string, Unseen>()
  for (const wanted of input.manifest.resources.values()) {
    const found = findReason(wanted, { input, match, unseen })
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

interface SearchContext {
  readonly input: PlanInput
  readonly match: Match
  readonly unseen: ReadonlyMap<string, Unseen>
}

function findReason(wanted: WantedResource, { input, match, unseen }: SearchContext): Unseen | undefined {
  if (wanted.existing || wanted.parent === undefined) return undefined
  const { parent } = wanted
  const lost = input.manifest.resources.get(parent)?.existing && !match.pairs.has(parent)
  if (unseen.has(parent) || lost) return { why: 'below', parent }
  if (!isMissing(wanted, match)) return undefined
  const { unreadable, creatable } = input.visibility ?? {}
  const isHidden = [wanted.key, wanted.was].some((key) => key !== undefined && unreadable?.has(key))
  if (isHidden) return { why: 'unreadable' }
  const parentId = match.pairs.get(parent)?.id
  if (parentId === undefined || creatable?.get(parentId)?.has(wanted.cls ?? '')) return undefined
  return { why: 'forbidden', parentId }
}

/** Keys whose ids this account cannot know: of unknown resources, and of existing ones that it does not see. */
export function listUnseenKeys(
  unseen: ReadonlyMap<string, Unseen>,
  { manifest, actual }: Pick<PlanInput, 'manifest' | 'actual'>,
  { pairs }: Pick<Match, 'pairs'>,
): ReadonlySet<string> {
  if (readsAll(actual)) return new Set()
  const anchors = [...manifest.resources.values()].filter(({ existing, key }) => existing && !pairs.has(key))
  return new Set([...unseen.keys(), ...anchors.map(({ key }) => key)])
}

/** Describes in a few words why a resource is unknown. */
export function reasonOf(found: Unseen): string {
  if (found.why === 'below') return `below "${found.parent}", which is unknown`
  return found.why === 'unreadable'
    ? 'exists, but this account cannot read it'
    : 'this account can neither see nor create it'
}

/** Reports an error for each topmost unknown resource. */
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
    const more =
      count === 0 ? '' : `; ${countOf(count, 'resource')} below it ${count === 1 ? 'is' : 'are'} also unknown`
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
    return { message: `"${key}" exists, but ${who} cannot read it`, permission: `resource.read on "${key}"` }
  const place = `"${pathOf(actual, found.parentId).join(' / ')}"`
  return {
    message: `${who} can neither see "${key}" nor create a ${cls} in ${place}`,
    permission: `resource.read on "${key}", or resource.manage_children and resource.create in ${place}`,
  }
}

const isGuest = ({ caller }: ActualTree) => caller === 'guest'

const nameCaller = (actual: ActualTree) =>
  actual.caller === undefined ? 'this account' : `user "${actual.caller}"`

function adviceFor(permission: string, actual: ActualTree): string {
  if (isGuest(actual)) return 'Sign in: set LANDFORM_USER and LANDFORM_PASSWORD, or LANDFORM_TOKEN.'
  return `Use an account that has ${permission}.`
}

/** Counts the unknown resources below each topmost unknown resource, by its key. */
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
