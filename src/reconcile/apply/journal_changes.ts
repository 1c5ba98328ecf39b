import type { NewJournalEntry } from '../../contract/bodies/journal.ts'
import { countOf } from '../../core/count.ts'
import { splitPointer } from '../../core/pointer.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import type { Change, DataLoad, Edit, FeaturePart, Plan } from '../model/change.ts'
import { digestsOf, featurePartOf } from '../model/edit_digest.ts'
import { droppedFieldOf } from '../model/layer_fields.ts'

type PlannedChange = NewJournalEntry['changes'][number]
type Before = NonNullable<PlannedChange['before']>

/** Describes the changes of a plan for the journal: with the resources before, and what an undo cannot restore. */
export function describeChanges({ changes, before }: Pick<Plan, 'changes' | 'before'>): PlannedChange[] {
  const childrenOf = changes.some(deletes) && before !== undefined ? indexChildren(before) : undefined
  return changes.map((change) => {
    const { action, key, cls, displayName } = change
    // Ids of records, users and groups are not those of resources, whose histories show them.
    const id = change.record === undefined ? change.id : undefined
    const top = id === undefined ? undefined : before?.get(id)
    const found = top === undefined ? [] : deletes(change) ? withDescendants(top, childrenOf) : [top]
    const loses = listLosses(change)
    const digests = digestsOf(change)
    return {
      ...{ action, key, cls, display_name: displayName },
      ...(id === undefined ? {} : { id }),
      ...(found.length === 0 ? {} : { before: found.map(wireOf) }),
      ...(found.length === 0 ? {} : { ...layerTreeOf(change), ...referrersOf(change, before) }),
      ...(loses.length === 0 ? {} : { loses }),
      ...(Object.keys(digests).length === 0 ? {} : { digests }),
    }
  })
}

/** Returns the layer tree that an update sets: an undo keeps what others change in it later. */
function layerTreeOf({ body: { webmap } }: Change): Pick<PlannedChange, 'after'> {
  const root = webmap?.root_item
  return root === undefined ? {} : { after: { webmap: { root_item: root } } }
}

const deletes = ({ action }: Change) => action === 'delete' || action === 'replace'

/** Returns the resources that lose references to deleted ones: an undo gives the references back. */
function referrersOf({ takes }: Change, before: Plan['before']): Pick<PlannedChange, 'referrers'> {
  const found = (takes?.referrers ?? []).flatMap(({ id }) =>
    id === undefined ? [] : (before?.get(id) ?? []),
  )
  return found.length === 0 ? {} : { referrers: found.map(wireOf) }
}

// The resource as it was read.
const wireOf = ({ members }: ActualResource) => members as Before[number]

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
  const parts = Map.groupBy(lossy, featurePartOf)
  const count = (part: FeaturePart) => parts.get(part)?.length ?? 0
  if (count('descriptions') > 0) losses.push(countOf(count('descriptions'), 'feature description'))
  if (count('attachments') > 0) losses.push(countOf(count('attachments'), 'attachment'))
  return losses
}
