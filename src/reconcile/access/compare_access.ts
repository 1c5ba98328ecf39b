import type { Key } from '../../access/access_tree.ts'
import { createEvaluator } from '../../access/evaluate_access.ts'
import { allPermissions, namesOf, type PermissionMask } from '../../access/permission_mask.ts'
import type { Span } from '../../core/span.ts'
import { formatSpan } from '../../core/span.ts'
import type { AccessChange, AccessTarget } from '../model/access_change.ts'
import type { SubjectGroup } from './access_subjects.ts'
import { type AccessTrees, affectedIn } from './access_trees.ts'

/** A resource whose permissions a plan may change, by its keys in the trees before and after. */
export interface AffectedResource {
  readonly before: Key | undefined
  readonly after: Key | undefined
}

/** Lists the resources whose permissions a plan may change: all of them if it changes the groups of users. */
export function listAffected(
  { before, after, touched, replaced }: AccessTrees,
  changesGroups = false,
): AffectedResource[] {
  const isAffectedBefore = changesGroups ? () => true : affectedIn(before, touched)
  const isAffectedAfter = affectedIn(after, touched)
  const found: AffectedResource[] = []
  const recreated = new Set(replaced.values())
  for (const key of before.keys()) {
    const next = after.has(key) ? key : replaced.get(key)
    if (isAffectedBefore(key) || (next !== undefined && isAffectedAfter(next)))
      found.push({ before: key, after: next })
  }
  for (const key of after.keys())
    if (!before.has(key) && !recreated.has(key)) found.push({ before: undefined, after: key })
  return found
}

/** Context of a comparison. */
export interface ComparisonContext {
  readonly trees: AccessTrees
  readonly affected: readonly AffectedResource[]
  describe(resource: AffectedResource): AccessTarget
  /** Finds the rules and blocks that cause a change. */
  findCauses(effect: Effect): readonly Span[]
}

/** What one subject gains and loses on a resource. */
export interface Effect {
  readonly resource: AffectedResource
  readonly subject: SubjectGroup
  readonly change: AccessChange['change']
  readonly mask: PermissionMask
}

interface Difference {
  readonly gain: PermissionMask
  readonly loss: PermissionMask
  /** What the subject has afterwards. */
  readonly has: PermissionMask
}

/** Compares the permissions of each subject before and after, and folds equal changes. */
export function compareAccess(subjects: readonly SubjectGroup[], context: ComparisonContext): AccessChange[] {
  const differences = new Map<string, readonly Difference[]>()
  const compared = subjects.map((subject) => {
    const found = compareSubject(subject, context)
    for (const name of subject.names) differences.set(name, found)
    return { subject, found }
  })
  const exceptions = listExceptions(compared, differences)
  const folds = new Map<string, Fold>()
  for (const { subject, found } of compared) {
    const general = subject.general.map((name) => differences.get(name) ?? [])
    const excepted = exceptions.get(subject.names[0] ?? '')
    for (const [at, difference] of found.entries()) {
      const except = excepted?.get(at) ?? []
      const covering = general.map((one) => one[at])
      addDifference(folds, { subject, at, difference, covering, except }, context)
    }
  }
  return mergePrincipals([...folds.values()])
}

interface ComparedSubject {
  readonly subject: SubjectGroup
  readonly found: readonly Difference[]
}

/** Lists who gains nothing of what all signed-in users or its group gain, by the name of those and the place of the resource. */
function listExceptions(
  compared: readonly ComparedSubject[],
  differences: ReadonlyMap<string, readonly Difference[]>,
): Map<string, Map<number, string[]>> {
  const found = new Map<string, Map<number, string[]>>()
  for (const { subject, found: own } of compared)
    for (const general of subject.general) {
      const places = found.get(general) ?? new Map<number, string[]>()
      for (const at of listDenied(own, differences.get(general) ?? []))
        places.set(at, [...(places.get(at) ?? []), ...subject.names])
      found.set(general, places)
    }
  return found
}

/** Lists the places of the resources on which a subject gains nothing of what a more general one gains. */
function listDenied(own: readonly Difference[], general: readonly Difference[]): number[] {
  return own.flatMap(({ gain, has }, at) =>
    gain === 0 && ((general[at]?.gain ?? 0) & ~has) !== 0 ? [at] : [],
  )
}

/** What a subject gains and loses on the affected resource `at`. */
interface SubjectDifference {
  readonly subject: SubjectGroup
  readonly at: number
  readonly difference: Difference
  /** What more general subjects gain and lose on it. */
  readonly covering: readonly (Difference | undefined)[]
  /** Who gains nothing of what the subject gains. */
  readonly except: readonly string[]
}

function addDifference(
  folds: Map<string, Fold>,
  { subject, at, difference, covering, except }: SubjectDifference,
  context: ComparisonContext,
): void {
  const resource = context.affected[at]
  for (const change of ['gain', 'loss'] as const) {
    const mask = difference[change]
    if (mask === 0 || resource === undefined) continue
    const covered = covering.reduce((all, one) => all | (one?.[change] ?? 0), 0)
    // A member who is denied what its group gains is an exception.
    const isDenied = change === 'gain' && (covered & ~difference.has) !== 0
    const implied = (mask & ~covered) === 0 && !isDenied
    const denied = change === 'gain' ? except : []
    addEffect(folds, { resource, subject, change, mask }, { context, implied, except: denied })
  }
}

function compareSubject(
  { subject, before: old, isAdministrator }: SubjectGroup,
  { trees, affected }: ComparisonContext,
): Difference[] {
  const evaluateBefore = createEvaluator(trees.before, old?.subject ?? subject)
  const evaluateAfter = createEvaluator(trees.after, subject)
  return affected.map(({ before, after }) => {
    if (isAdministrator && (before === undefined || after === undefined))
      return { gain: 0, loss: 0, has: allPermissions }
    const had = before === undefined ? 0 : evaluateBefore(before)
    const has = after === undefined ? 0 : evaluateAfter(after)
    return { gain: has & ~had, loss: had & ~has, has }
  })
}

interface Fold {
  readonly change: AccessChange['change']
  readonly principals: readonly string[]
  readonly mask: PermissionMask
  readonly on: AccessChange['on']
  readonly implied: boolean
  readonly except: readonly string[]
  readonly resources: AccessTarget[]
  readonly causes: Map<string, Span>
  /** Number of resources whose causes were searched. */
  searched: number
}

/** Maximum number of resources of a change whose causes are searched. */
const maxSearched = 100

interface EffectPlace extends Pick<Fold, 'implied' | 'except'> {
  readonly context: ComparisonContext
}

function addEffect(
  folds: Map<string, Fold>,
  effect: Effect,
  { context, implied, except }: EffectPlace,
): void {
  const { resource, subject, change, mask } = effect
  const on = onOf(resource)
  const key = `${subject.names[0]} ${change} ${mask} ${on} ${implied} ${except.join()}`
  const fold: Fold = folds.get(key) ?? {
    change,
    principals: subject.names,
    mask,
    on,
    implied,
    except,
    resources: [],
    causes: new Map(),
    searched: 0,
  }
  folds.set(key, fold)
  fold.resources.push(context.describe(resource))
  // The causes of an implied change are those of the change that implies it.
  if ((implied && !subject.isWatched) || fold.searched >= maxSearched) return
  fold.searched += 1
  const found = context.findCauses(effect)
  for (const span of found.length > 0 ? found : (subject.before?.causes ?? []))
    fold.causes.set(formatSpan(span), span)
}

function onOf({ before, after }: AffectedResource): AccessChange['on'] {
  if (before === undefined) return 'new'
  return after === undefined ? 'deleted' : 'existing'
}

/** Merges principals with the same change on the same resources. */
function mergePrincipals(folds: readonly Fold[]): AccessChange[] {
  const merged = new Map<string, AccessChange>()
  for (const { change, principals, mask, on, implied, except, resources, causes } of folds) {
    const key = JSON.stringify([change, mask, on, implied, except, resources.map((one) => one.key)])
    const same = merged.get(key)
    const spans = new Map([
      ...(same?.causes ?? []).map((span) => [formatSpan(span), span] as const),
      ...causes,
    ])
    merged.set(key, {
      change,
      principals: [...(same?.principals ?? []), ...principals],
      permissions: namesOf(mask),
      ...(except.length === 0 ? {} : { except }),
      on,
      resources,
      causes: [...spans.values()],
      implied,
    })
  }
  return [...merged.values()]
}
