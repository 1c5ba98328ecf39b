import { problems } from '../../contract/problems.ts'
import { countOf, joinWords } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'
import {
  type ActualResource,
  type ActualTree,
  labelOf,
  listDescendants,
  pathOf,
  readsAll,
} from '../model/actual_tree.ts'
import type { Change } from '../model/change.ts'
import type { Takes } from '../model/takes.ts'
import {
  countTakes,
  type KnownContents,
  labelById,
  listDeletions,
  listUnmanaged,
  listUnreadContents,
  type TakesInput,
  type UnreadContents,
} from './takes.ts'

/** Limits for deletions. */
export interface PruneOptions {
  readonly prune: boolean
  /** Maximum fraction of the managed resources that a plan may delete, from 0 to 1. */
  readonly fuse: number
  /** Keys whose deletion is allowed regardless of the fuse; of descendants, only those that the manifest manages. */
  readonly allowDelete: ReadonlySet<string>
  /** Only of an undo: ids of the only resources that may be deleted, whoever manages them. */
  readonly deletable?: ReadonlySet<number>
}

/** Input for deletions. */
export interface PruneInput extends PruneOptions, KnownContents, Pick<TakesInput, 'named'> {
  readonly manifestId: string
  readonly actual: ActualTree
  /** Ids of the only resources that may be deleted, of those that the manifest manages; all, if absent. */
  readonly selected?: ReadonlySet<number> | undefined
  /** Ids of resources that the manifest keeps; they move out before their ancestors are deleted. */
  readonly kept: ReadonlySet<number>
  /** Ids of existing resources of the manifest, which cannot be moved. */
  readonly anchors: ReadonlySet<number>
  /** Ids of resources of which the manifest leaves those below that it does not describe, by key. */
  readonly openGroups?: ReadonlyMap<number, string>
}

/** Deletions with their issues, and what must be read first. */
export interface PrunePlan extends UnreadContents {
  readonly changes: readonly Change[]
  readonly issues: readonly Issue[]
}

const nothing: PrunePlan = { changes: [], issues: [], uncounted: [], unread: [] }

/** Plans the deletion of resources that the manifest manages but no longer contains. Without `prune`, only reports them. */
export function planPrune(asked: PruneInput): PrunePlan {
  const { deletable } = asked
  const input = deletable === undefined ? asked : { ...asked, named: deletable }
  const { tops, left } = leaveUndescribed(input, findOrphans(input))
  if (!input.prune)
    return { ...nothing, issues: [...left, ...tops.map((top) => reportOrphan(labelOf(top), top.cls))] }
  if (tops.length === 0) return { ...nothing, issues: left }
  const pruned = pruneTops(input, tops)
  return { ...pruned, issues: [...left, ...pruned.issues] }
}

function pruneTops(input: PruneInput, tops: readonly ActualResource[]): PrunePlan {
  const isBlind = !readsAll(input.actual)
  // An undo names what it deletes. The server refuses to delete what this account may not read and delete.
  const unnamed = tops.map(labelOf).filter((label) => !input.allowDelete.has(label))
  if (isBlind && input.deletable === undefined && unnamed.length > 0)
    return { ...nothing, issues: [incomplete(unnamed)] }
  const unread = tops.map((top) => listUnreadContents(input, top))
  const changes = tops.map((top) => deletionOf(input, top))
  const issues = tops.flatMap((top, at) => checkDeletion(input, top, changes[at]?.takes))
  const hidden = isBlind ? [hiddenReferrers()] : []
  return {
    changes,
    issues: [...issues, ...hidden, ...checkFuse(input, tops)],
    uncounted: unread.flatMap((one) => one.uncounted),
    unread: unread.flatMap((one) => one.unread),
  }
}

/** Finds the topmost resources that the manifest manages but no longer contains. */
function findOrphans({ manifestId, actual, kept, deletable, selected }: PruneInput): ActualResource[] {
  const isOrphan = ({ id, manager }: ActualResource) =>
    deletable?.has(id) ?? (manager === manifestId && (selected?.has(id) ?? true))
  const orphans = [...actual.byId.values()].filter(
    (one) => isOrphan(one) && !kept.has(one.id) && one.parentId !== null,
  )
  const ids = new Set(orphans.map(({ id }) => id))
  return orphans.filter(({ parentId }) => !goesWith(actual, parentId, { ids, kept }))
}

/** Leaves orphans below blocks that say so, unless they are named. */
function leaveUndescribed(
  { actual, openGroups, allowDelete, deletable }: PruneInput,
  orphans: readonly ActualResource[],
): { readonly tops: readonly ActualResource[]; readonly left: readonly Issue[] } {
  if (openGroups === undefined || openGroups.size === 0 || deletable !== undefined)
    return { tops: orphans, left: [] }
  const left: Issue[] = []
  const tops = orphans.filter((orphan) => {
    const above = allowDelete.has(labelOf(orphan)) ? undefined : findAbove(actual, orphan, openGroups)
    if (above !== undefined) left.push(reportUndescribed(orphan, above))
    return above === undefined
  })
  return { tops, left }
}

function findAbove(
  { byId }: ActualTree,
  { parentId }: ActualResource,
  keys: ReadonlyMap<number, string>,
): string | undefined {
  for (let at = parentId; at !== null; at = byId.get(at)?.parentId ?? null) {
    const key = keys.get(at)
    if (key !== undefined) return key
  }
  return undefined
}

// Descendants of a kept resource move with it.
function goesWith(
  actual: ActualTree,
  start: number | null,
  { ids, kept }: { readonly ids: ReadonlySet<number>; readonly kept: ReadonlySet<number> },
): boolean {
  for (let at = start; at !== null; at = actual.byId.get(at)?.parentId ?? null) {
    if (ids.has(at)) return true
    if (kept.has(at)) return false
  }
  return false
}

/** Lists the unmanaged descendants whose deletion is not allowed: neither their own, nor that of one above them. */
function listForeign(input: PruneInput, top: number): number[] {
  const { actual, allowDelete, anchors } = input
  const allowed = new Set<number | null | undefined>()
  // Descendants come after what they are in.
  return listUnmanaged(input, top).filter((id) => {
    const isAllowed = allowDelete.has(labelById(actual, id)) || allowed.has(actual.byId.get(id)?.parentId)
    if (isAllowed) allowed.add(id)
    return !isAllowed && !anchors.has(id)
  })
}

function deletionOf(input: PruneInput, top: ActualResource): Change {
  return {
    action: 'delete',
    key: labelOf(top),
    cls: top.cls,
    displayName: top.displayName,
    path: pathOf(input.actual, top.id),
    id: top.id,
    ...(top.version === undefined ? {} : { version: top.version }),
    edits: [],
    takes: countTakes(input, top.id),
    deletes: listDeletions(input, top.id),
    body: {},
  }
}

function checkDeletion(input: PruneInput, top: ActualResource, takes: Takes | undefined): Issue[] {
  const { actual, allowDelete } = input
  const label = labelOf(top)
  const going = [top.id, ...listDescendants(actual, top.id, input.kept)]
  const issues = going
    .filter((id) => actual.byId.get(id)?.protect)
    .map((id) => fault('plan/protected', `cannot delete "${labelById(actual, id)}": it is protected`))
  const anchored = going.find((id) => input.anchors.has(id))
  if (anchored !== undefined) {
    const message = `deleting "${label}" would also delete "${labelById(actual, anchored)}", which the manifest uses`
    issues.push({
      ...fault('plan/taken-along', message),
      hint: `Move "${labelById(actual, anchored)}" to another group first.`,
    })
  }
  if (takes === undefined) return issues
  const foreign = listForeign(input, top.id)
  if (foreign.length > 0) issues.push(foreignFault(input, top, foreign))
  if (allowDelete.has(label)) return issues
  const lost = describeLost(takes)
  if (lost.length > 0)
    issues.push(fault('plan/fuse', `deleting "${label}" would delete ${joinWords(lost)}`, [label]))
  return issues
}

/** Describes the features and files that a deletion removes. */
function describeLost({ features, files, attachments }: Takes): string[] {
  return [
    ...(features === undefined ? ['an unknown number of features'] : []),
    ...(features ? [countOf(features, 'feature')] : []),
    ...(files === undefined ? [] : [countOf(files, 'file')]),
    ...(attachments === undefined ? [] : [countOf(attachments, 'attachment')]),
  ]
}

/** Maximum number of keys in a hint. */
const maxHintKeys = 20

function foreignFault(
  { actual, allowDelete }: PruneInput,
  top: ActualResource,
  foreign: readonly number[],
): Issue {
  const label = labelOf(top)
  const names = foreign.map((id) => labelById(actual, id))
  const named = names.slice(0, 5).join(', ') + (names.length > 5 ? ', …' : '')
  const ids = new Set(foreign)
  const parents = foreign.filter((id) => !ids.has(actual.byId.get(id)?.parentId ?? id))
  const own = allowDelete.has(label) ? [] : [label]
  const keys = [...own, ...parents.slice(0, maxHintKeys).map((id) => labelById(actual, id))]
  const message = `deleting "${label}" would also delete ${countOf(names.length, 'resource')} that this manifest does not manage: ${named}`
  return fault('plan/taken-along', message, keys)
}

function checkFuse(input: PruneInput, tops: readonly ActualResource[]): Issue[] {
  const { actual, manifestId, allowDelete, kept } = input
  const isOurs = (id: number) => actual.byId.get(id)?.manager === manifestId
  const managed = [...actual.byId.keys()].filter(isOurs).length
  const unnamed = tops.filter((top) => !allowDelete.has(labelOf(top)))
  const going = unnamed.flatMap(({ id }) => [id, ...listDescendants(actual, id, kept)]).filter(isOurs).length
  return findFuseIssue(input, { going, managed, noun: 'resources', labels: unnamed.map(labelOf) })
}

/** Deletions that a plan makes without explicit permission. */
export interface UnnamedDeletions {
  /** Number of deleted resources or records. */
  readonly going: number
  /** Number of those that the manifest manages. */
  readonly managed: number
  readonly noun: 'resources' | 'records'
  /** Labels for `--allow-delete`. */
  readonly labels: readonly string[]
}

/** Reports deletions beyond the limit of a plan. */
export function findFuseIssue(
  { fuse }: Pick<PruneOptions, 'fuse'>,
  { going, managed, noun, labels }: UnnamedDeletions,
): Issue[] {
  if (going <= managed * fuse) return []
  const message = `the plan would delete ${going} of ${managed} ${noun} of this manifest, more than ${formatPart(fuse)}`
  return [fault('plan/fuse', message, labels)]
}

const formatPart = (fuse: number) => `${Number((fuse * 100).toFixed(1))} %`

function fault(
  code: 'plan/protected' | 'plan/taken-along' | 'plan/fuse',
  message: string,
  keys?: readonly string[],
): Issue {
  const options = keys?.map((key) => `--allow-delete ${quoteForShell(key)}`).join(' ')
  const hint = options === undefined ? problems[code].advice : `If the deletion is intended, use ${options}.`
  return { code, message, severity: 'error', hint }
}

/** Quotes the label of a resource without a keyname, `#17`, which shells read as a comment. */
export const quoteForShell = (label: string) => (label.startsWith('#') ? `'${label}'` : label)

function incomplete(unnamed: readonly string[]): Issue {
  const message = 'this account cannot read all resources, so the plan deletes nothing that is not named'
  const options = unnamed.slice(0, maxHintKeys).map((key) => `--allow-delete ${quoteForShell(key)}`)
  const hint = `Prune with an account that can read the whole tree, or name what to delete: ${options.join(' ')}.`
  return { code: 'plan/incomplete', message, severity: 'error', hint }
}

function hiddenReferrers(): Issue {
  const message =
    'this account cannot read all resources: some that it cannot read may refer to the deleted ones, and lose these references'
  return { code: 'plan/incomplete', message, severity: 'warning' }
}

function reportUndescribed(orphan: ActualResource, above: string): Issue {
  const label = labelOf(orphan)
  const message = `"${label}" (${orphan.cls}) exists on the server, but is not in the manifest, which leaves what it does not describe below "${above}" (unmanaged: [children])`
  const hint = `Write it into the manifest with landform pull, or delete it with --prune --allow-delete ${quoteForShell(label)}.`
  return { code: 'plan/undescribed', message, severity: 'warning', hint }
}

/** Reports a resource or record that the manifest manages but no longer contains. */
export function reportOrphan(label: string, cls: string, more = ''): Issue {
  const message = `"${label}" (${cls}) exists on the server, but no longer in the manifest${more}`
  return { code: 'plan/orphan', message, severity: 'warning', hint: problems['plan/orphan'].advice }
}
