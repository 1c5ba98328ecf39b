import { isDeepStrictEqual } from 'node:util'
import { isJournalRefused } from '../../api/journal_refusal.ts'
import type { ApplyResult, NewJournalEntry } from '../../contract/bodies/journal.ts'
import { countOf } from '../../core/count.ts'
import { splitPointer } from '../../core/pointer.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { type Change, type DataLoad, type Edit, journalActionOf, type Plan } from '../model/change.ts'
import { digestsOf, featurePartOf } from '../model/edit_digest.ts'
import { droppedFieldOf } from '../model/layer_fields.ts'
import { featurePartNames, featureParts } from '../plan/data/feature_parts.ts'
import type { ApplyOptions } from './apply_options.ts'
import type { Outcome, Report } from './outcome.ts'

/** What became of the entry of an apply. */
type Begun = { readonly id: number } | { readonly fault: Problem } | undefined

type PlannedChange = NewJournalEntry['changes'][number]

type Before = NonNullable<PlannedChange['before']>

const deletes = ({ action }: Change) => action === 'delete' || action === 'replace'

// The resource as it was read.
const wireOf = ({ members }: ActualResource) => members as Before[number]

/**
 * Applies a plan and keeps the journal of the server: who applied what, and the result. The transaction of a batch
 * completes its entry, that of a request records its change; other results are sent afterwards. Servers without a journal, and guests, apply without. A fault of
 * the journal is in the report and does not fail the apply.
 */
export async function keepJournal(
  options: ApplyOptions,
  apply: (options: ApplyOptions) => Promise<Report>,
): Promise<Report> {
  const begun = options.plan.changes.length === 0 ? undefined : await begin(options)
  if (begun === undefined) return apply(options)
  if ('fault' in begun) return { ...(await apply(options)), journalFault: begun.fault }
  const places = new Map(options.plan.changes.map((change, at) => [change, at] as const))
  const report = await apply({ ...options, journal: begun.id, places })
  return isComplete(options, report) ? report : finish(options, begun.id, report)
}

async function begin({ api, plan, commit, undoes, signal }: ApplyOptions): Promise<Begun> {
  if (plan.landform === undefined) return undefined
  const body: NewJournalEntry = {
    manifest: plan.manifest,
    plan: plan.fingerprint,
    ...(commit === undefined ? {} : { commit }),
    ...(undoes === undefined ? {} : { undoes }),
    changes: describeChanges(plan),
  }
  try {
    return await api.call('journal.begin', { body, signal })
  } catch (error) {
    if (!isProblem(error)) throw error
    return isJournalRefused(error) ? undefined : { fault: error }
  }
}

/** Whether the batch has completed the entry, or it is unknown what became of the batch. */
function isComplete({ plan }: ApplyOptions, report: Report): boolean {
  if (report.uncertain) return true
  if (report.outcomes.some(isOtherCount)) return false
  return (
    report.atomic && plan.steps.length > 0 && plan.changes.every(isResource) && resultOf(report) === 'applied'
  )
}

/** Whether the load of a change has skipped other features than planned. */
const isOtherCount = ({ change: { data }, report }: Outcome) =>
  report !== undefined && report.bad_count !== (data?.change?.skipped?.bad_count ?? 0)

const isResource = ({ record }: Change) => record === undefined

async function finish({ api, plan, breakOff }: ApplyOptions, id: number, report: Report): Promise<Report> {
  const outcomes = new Map(report.outcomes.map((outcome) => [outcome.change, outcome] as const))
  const ids = withCreated(plan, report)
  const body = {
    result: resultOf(report),
    outcomes: plan.changes.map((change) => {
      const { outcome = 'skipped', id: resource, report: load } = outcomes.get(change) ?? {}
      return {
        outcome,
        ...(load === undefined ? {} : { bad_count: load.bad_count }),
        ...(resource === undefined || !isResource(change) ? {} : { id: resource }),
        ...newDigests(change, plan.principals, ids),
      }
    }),
  }
  try {
    await api.call('journal.finish', { params: { id }, body, signal: breakOff })
    return report
  } catch (error) {
    if (isProblem(error)) return { ...report, journalFault: error }
    throw error
  }
}

/** Ids of users and groups, with those that the apply has created. */
function withCreated({ principals }: Pick<Plan, 'principals'>, { outcomes }: Report): PrincipalIds {
  const created = outcomes.flatMap(({ change: { record, action, key }, id }) =>
    (record === 'user' || record === 'group') && action === 'create' && id !== undefined
      ? [[`${record}:${key}`, id] as const]
      : [],
  )
  return created.length === 0 ? principals : new Map([...principals, ...created])
}

type PrincipalIds = Plan['principals']

/** Digests with the ids of users and groups that the apply has created: the entry began before them. */
function newDigests(change: Change, before: PrincipalIds, after: PrincipalIds) {
  if (before === after) return {}
  const digests = digestsOf(change, after)
  return isDeepStrictEqual(digests, digestsOf(change, before)) ? {} : { digests }
}

function resultOf({ outcomes, interrupted }: Report): ApplyResult {
  const done = outcomes.filter(({ outcome }) => outcome !== 'failed' && outcome !== 'skipped').length
  if (done === outcomes.length) return 'applied'
  if (done > 0) return 'partial'
  return interrupted ? 'interrupted' : 'failed'
}

/** Describes the changes of a plan for the journal: with the resources before, and what an undo cannot restore. */
function describeChanges({
  changes,
  before,
  principals,
}: Pick<Plan, 'changes' | 'before' | 'principals'>): PlannedChange[] {
  const childrenOf = changes.some(deletes) && before !== undefined ? indexChildren(before) : undefined
  return changes.map((change) => {
    const { key, cls, displayName } = change
    // Ids of records, users and groups are not those of resources, whose histories show them.
    const id = change.record === undefined ? change.id : undefined
    const top = id === undefined ? undefined : before?.get(id)
    const found = top === undefined ? [] : deletes(change) ? withDescendants(top, childrenOf) : [top]
    const loses = listLosses(change)
    const digests = digestsOf(change, principals)
    return {
      ...{ action: journalActionOf(change), key, cls, display_name: displayName },
      ...(id === undefined ? {} : { id }),
      ...(found.length === 0 ? {} : { before: found.map(wireOf) }),
      ...(found.length === 0 ? {} : { ...layerTreeOf(change), ...referrersOf(change, before) }),
      ...(loses.length === 0 ? {} : { loses }),
      ...skippedOf(change),
      ...(Object.keys(digests).length === 0 ? {} : { digests }),
    }
  })
}

/** Returns the number of features that the load of a change skips, as far as the plan knows it. */
function skippedOf({ data }: Change): Pick<PlannedChange, 'bad_count'> {
  const count = data?.change?.skipped?.bad_count
  return count === undefined ? {} : { bad_count: count }
}

/** Returns the layer tree that an update sets: an undo keeps what others change in it later. */
function layerTreeOf({ body: { webmap } }: Change): Pick<PlannedChange, 'after'> {
  const root = webmap?.root_item
  return root === undefined ? {} : { after: { webmap: { root_item: root } } }
}

/** Returns the resources that lose references to deleted ones: an undo gives the references back. */
function referrersOf({ takes }: Change, before: Plan['before']): Pick<PlannedChange, 'referrers'> {
  const found = (takes?.referrers ?? []).flatMap(({ id }) =>
    id === undefined ? [] : (before?.get(id) ?? []),
  )
  return found.length === 0 ? {} : { referrers: found.map(wireOf) }
}

function indexChildren(
  all: ReadonlyMap<number, ActualResource>,
): ReadonlyMap<number | null, ActualResource[]> {
  return Map.groupBy(all.values(), ({ parentId }) => parentId)
}

function withDescendants(
  top: ActualResource,
  childrenOf: ReadonlyMap<number | null, ActualResource[]> | undefined,
): ActualResource[] {
  const found = [top]
  for (const one of found) found.push(...(childrenOf?.get(one.id) ?? []))
  return found
}

/** Describes the features that a load deletes or changes. */
function describeReplaced({ before, change }: DataLoad): string[] {
  const { difference } = change ?? {}
  if (difference === undefined)
    return [typeof before === 'number' ? countOf(before, 'feature') : 'the former data']
  const { removed, changed, added } = difference
  if (removed + changed === 0) return added === 0 ? [] : [`the data before ${countOf(added, 'new feature')}`]
  return [
    ...(removed === 0 ? [] : [countOf(removed, 'removed feature')]),
    ...(changed === 0 ? [] : [`the former values of ${countOf(changed, 'feature')}`]),
  ]
}

function describeLoss(edit: Edit): string {
  const { pointer, loses, lostValues } = edit
  const isField = droppedFieldOf(edit) !== undefined
  const values = lostValues === undefined ? 'the values' : countOf(lostValues, 'value')
  return `${isField ? values : loses} of ${splitPointer(pointer).at(-1)}`
}

/** Lists the data that a change deletes, in words. */
function listLosses({ action, id, data, takes, edits }: Change): string[] {
  const losses: string[] = []
  if (takes !== undefined && takes.features !== 0)
    losses.push(takes.features === undefined ? 'features' : countOf(takes.features, 'feature'))
  if (takes?.files !== undefined) losses.push(countOf(takes.files, 'file'))
  if (action !== 'replace' && id !== undefined && data !== undefined && data.before !== 0)
    losses.push(...describeReplaced(data))
  const lossy = edits.filter(({ loses, lostValues }) => loses !== undefined && lostValues !== 0)
  for (const edit of lossy) if (featurePartOf(edit) === undefined) losses.push(describeLoss(edit))
  for (const part of featureParts) {
    const ofPart = lossy.filter((edit) => featurePartOf(edit) === part)
    const removed = ofPart.filter(({ to }) => to === undefined).length
    const noun = featurePartNames[part]
    if (removed > 0) losses.push(countOf(removed, noun))
    if (ofPart.length > removed) losses.push(countOf(ofPart.length - removed, `${changedMark}${noun}`))
  }
  return losses
}

/** Start of the noun of data that a change replaces by others. */
const changedMark = 'changed '

/** Tells whether words of a loss are about data that was changed, not deleted. */
export const isChangedLoss = (loss: string) => loss.includes(` ${changedMark}`)
