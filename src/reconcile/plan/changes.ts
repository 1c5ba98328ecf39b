import type { ExtensionsQuery } from '../../api/read_extensions.ts'
import type { Action } from '../../contract/bodies/journal.ts'
import { dataOf } from '../../contract/registry.ts'
import type { Issue } from '../../core/issue.ts'
import { splitPointer } from '../../core/pointer.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import type { FieldValues } from '../../transfer/count_values.ts'
import { type ActualResource, pathOf } from '../model/actual_tree.ts'
import type {
  Change,
  DataLoad,
  Edit,
  UncomparedSecret,
  UnfilledFields,
  UnknownResource,
} from '../model/change.ts'
import { addedFields, convertedFields, droppedFields } from '../model/layer_fields.ts'
import type { PlanInput } from '../model/plan_input.ts'
import { planCreation } from './create.ts'
import { checkFileLoss, compareFiles, type FilesDiff } from './data/compare_files.ts'
import { decideSource, keepSource, type SourceDecision, staleSource } from './data/decide_load.ts'
import { checkDeclaredFields } from './data/declared_fields.ts'
import {
  checkStyleFields,
  type FinalFields,
  noteFinalFields,
  type PlannedLayer,
} from './data/final_fields.ts'
import { reportUnconvertible, tellLostValues, withoutConversion } from './data/lost_values.ts'
import {
  basesOf,
  countUnlisted,
  type ExtensionsPlan,
  planExtensions,
  reportUncaptured,
} from './data/plan_extensions.ts'
import type { LoadQuestion } from './data/read_load_change.ts'
import { listLoadedEdits, planSyncFields } from './data/sync_fields.ts'
import { type DiffContext, diffResource, type ResourceDiff } from './diff.ts'
import { contextOf } from './diff_context.ts'
import { reportContested } from './fields/contested_fields.ts'
import { reportForeignFields } from './fields/foreign_fields.ts'
import { planLeftParts } from './fields/left_parts.ts'
import { checkFormerFields, withNewKeynames } from './fields/renamed_fields.ts'
import { recordReferrers } from './fields/renamed_referrers.ts'
import { describeUnread, reportUnknown } from './fields/unread_fields.ts'
import { issueAt } from './issue_at.ts'
import { listLeftBehind, reportLeftBehind } from './left_behind.ts'
import type { ResourceMatch } from './match/match.ts'
import { pathFinder } from './match/resource_paths.ts'
import type { Selection } from './match/select_resources.ts'
import { listUnseenKeys, reasonOf, reportUnseen, type Unseen } from './match/unseen.ts'
import { notCaptured } from './plan_reader.ts'
import { checkPrincipals } from './principal_issues.ts'
import { checkReplaced } from './replaced_features.ts'
import { withRestore } from './restore_data.ts'
import { countTakes, listDeletions, listUnreadContents } from './takes.ts'
import { foreignIssue, reportReplacement } from './target_issues.ts'

/** Changes to the resources of the manifest. */
export interface WantedChanges {
  readonly changes: readonly Change[]
  readonly unchanged: number
  readonly unknown: readonly UnknownResource[]
  readonly issues: readonly Issue[]
  /** Ids of layers whose features must be counted before the plan is final. */
  readonly uncounted: readonly number[]
  /** Fields whose values must be counted before the plan is final. */
  readonly uncountedFields: readonly FieldValues[]
  /** Layers whose sources must be read before the plan is final. */
  readonly unread: readonly LoadQuestion[]
  /** Layers whose descriptions and attachments must be read before the plan is final. */
  readonly unreadExtensions: readonly ExtensionsQuery[]
  /** Resources whose contents must be read before the plan is final. */
  readonly unreadContents: readonly number[]
  readonly uncompared: readonly UncomparedSecret[]
}

/** What is known of the resources of the manifest. */
export interface Planned {
  readonly match: ResourceMatch
  /** Keys of resources to delete and create again. */
  readonly recreated: ReadonlySet<string>
  readonly unseen: ReadonlyMap<string, Unseen>
  /** The resources to plan; all if undefined. */
  readonly selection: Selection | undefined
}

interface Draft {
  readonly changes: Change[]
  readonly issues: Issue[]
  readonly uncounted: number[]
  readonly uncountedFields: FieldValues[]
  readonly unread: LoadQuestion[]
  readonly unreadExtensions: ExtensionsQuery[]
  readonly unreadContents: number[]
  readonly uncompared: UncomparedSecret[]
  readonly unknown: UnknownResource[]
  unchanged: number
}

interface Work {
  readonly input: PlanInput
  readonly match: ResourceMatch
  readonly context: DiffContext
  readonly recreated: ReadonlySet<string>
  readonly unseen: ReadonlyMap<string, Unseen>
  readonly draft: Draft
  readonly pathOf: (key: string) => readonly string[]
  readonly fields: FinalFields
}

/** Computes the changes to the resources of the manifest, in its order. */
export function planChanges(
  input: PlanInput,
  { match, recreated, unseen: all, selection }: Planned,
): WantedChanges {
  const isSelected = (key: string) => selection?.keys.has(key) ?? true
  const unseen = new Map([...all].filter(([key]) => isSelected(key)))
  const issues = reportUnseen(unseen, input)
  const draft: Draft = {
    changes: [],
    issues,
    uncounted: [],
    uncountedFields: [],
    unread: [],
    unreadExtensions: [],
    unreadContents: [],
    uncompared: [],
    unknown: [],
    unchanged: 0,
  }
  const context = { ...contextOf(input, match, recreated), unseen: listUnseenKeys(all, input, match) }
  const paths = pathFinder(input.manifest, input.actual, match)
  const work: Work = { input, match, context, recreated, unseen, draft, pathOf: paths, fields: new Map() }
  for (const wanted of input.manifest.resources.values()) if (isSelected(wanted.key)) planOne(work, wanted)
  const { manifest } = input
  const { pairs } = match
  if (selection !== undefined)
    draft.changes.push(...recordReferrers({ manifest, pairs, context, selection, pathOf: paths }))
  const left = selection === undefined ? listLeftBehind(input, match) : []
  issues.push(...(input.options.prune ? [] : left.map(reportLeftBehind)))
  if (input.options.prune) for (const { wanted, actual } of left) planUpdate(work, wanted, actual)
  return draft
}

function planOne(work: Work, wanted: WantedResource): void {
  const { match, recreated, draft, input, unseen } = work
  const found = unseen.get(wanted.key)
  if (found !== undefined) {
    draft.unknown.push(unknownOf(work, wanted, found))
    return
  }
  draft.issues.push(...checkPrincipals(wanted, input.actual.principals))
  // Layers come before their styles.
  draft.issues.push(...checkStyleFields(work.fields, wanted))
  const actual = match.pairs.get(wanted.key)
  if (actual === undefined) {
    if (!wanted.existing && !match.suspects.has(wanted.key)) planCreate(work, wanted, undefined)
  } else if (recreated.has(wanted.key)) planCreate(work, wanted, actual)
  else planUpdate(work, wanted, actual)
}

function unknownOf(work: Work, { key, cls }: WantedResource, found: Unseen): UnknownResource {
  return { key, cls: cls ?? '', path: work.pathOf(key), reason: reasonOf(found) }
}

function planCreate(work: Work, wanted: WantedResource, old: ActualResource | undefined): void {
  const { input, draft, context } = work
  const creation = planCreation(wanted, context)
  const { load: data } = planData(work, wanted, { actual: undefined, edits: [] })
  noteFinalFields(work.fields, wanted, { actual: undefined, data })
  const source = dataOf(wanted.cls)
  if (source !== undefined && source.structure === undefined && wanted.data === undefined) {
    const message = `cannot create "${wanted.key}": a ${wanted.cls} requires a data file`
    draft.issues.push(issueAt(wanted, 'plan/data-missing', message, '/cls'))
  }
  const files = compareFiles(wanted, undefined, input.digests)
  const extended = noteExtensions(work, wanted, { actual: undefined, data })
  const change: Change = {
    action: old === undefined ? 'create' : 'replace',
    key: wanted.key,
    cls: wanted.cls ?? '',
    displayName: wanted.displayName ?? wanted.key,
    path: work.pathOf(wanted.key),
    ...(old === undefined ? {} : { id: old.id, ...versionOf(old), ...takesOf(work, wanted, old) }),
    ...(wanted.formerId === undefined ? {} : { formerId: wanted.formerId }),
    ...creation,
    edits: [...creation.edits, ...files.edits, ...extended.edits],
    ...(data === undefined ? {} : { data }),
    ...(files.entries === undefined ? {} : { files: files.entries }),
    ...featuresOf(extended),
  }
  draft.changes.push(withRestore(change, wanted))
}

// Resources of the manifest below it are created again, but their features are deleted.
function takesOf(work: Work, wanted: WantedResource, old: ActualResource): Pick<Change, 'takes' | 'deletes'> {
  const { input, match, recreated, draft } = work
  const { manifest, actual, counts, contents } = input
  const kept = new Set([...match.keyOf].filter(([, key]) => !recreated.has(key)).map(([id]) => id))
  const named = new Set(match.keyOf.keys())
  const going = { manifestId: manifest.id, actual, counts, contents, kept, named }
  const { uncounted, unread } = listUnreadContents(going, old)
  draft.uncounted.push(...uncounted)
  draft.unreadContents.push(...unread)
  const takes = countTakes(going, old.id)
  const isBelow = wanted.parent !== undefined && recreated.has(wanted.parent)
  if (!isBelow && !input.options.allowDelete.has(wanted.key))
    draft.issues.push(...checkReplaced(wanted, { old, takes, ownCount: counts.get(old.id) }))
  return { takes, deletes: listDeletions(going, old.id) }
}

function planUpdate(work: Work, written: WantedResource, found: ActualResource): void {
  const { draft, input } = work
  const fault = checkTarget(input, written, found)
  if (fault !== undefined) {
    draft.issues.push(fault)
    return
  }
  draft.issues.push(...checkFormerFields(written, found))
  const actual = withNewKeynames(written, found)
  const left = planLeftParts(input, written, { actual, names: work.context.names })
  draft.issues.push(...left.issues)
  draft.unreadExtensions.push(...left.unread)
  const wanted = left.block
  const context = { ...work.context, recorded: left.recorded, keptNames: left.kept }
  const files = compareFiles(wanted, actual, input.digests)
  if (!input.options.allowLoss.has(wanted.key)) draft.issues.push(...checkFileLoss(wanted, actual, files))
  const counted = withLosses(work, withFiles(diffResource(written, found, context), files), actual)
  const { load: data, unfilled } = planData(work, wanted, { actual, edits: counted.edits })
  const isReplaced = data !== undefined && data.sync === undefined
  // A load of all features replaces the values, so that none is converted.
  const compared = isReplaced ? { ...counted, edits: counted.edits.map(withoutConversion) } : counted
  noteFinalFields(work.fields, wanted, { actual, data })
  const extended = noteExtensions(work, wanted, { actual, data })
  const isWritten = [data, files.entries, extended.change].some((one) => one !== undefined)
  const diff = { ...withFiles(compared, extended), ...(isWritten ? recordOf(written, found, context) : {}) }
  draft.issues.push(
    ...reportUnknown(wanted, diff),
    ...reportReplacement(wanted, diff.edits, allowHint(wanted)),
    ...reportContested(wanted, diff.contested),
  )
  const secrets = diff.uncompared.map((pointer) => splitPointer(pointer).join('.'))
  draft.uncompared.push(...secrets.map((field) => ({ key: wanted.key, field })))
  const foreign = reportForeignFields(wanted, { options: input.options, actual, context, edits: diff.edits })
  draft.issues.push(...reportUnconvertible(wanted, diff.edits), ...foreign)
  const isSame = diff.edits.length === 0 && !diff.adopts && diff.records === undefined
  if (isSame && data === undefined && wanted.restores === undefined) {
    const reason = describeUnread({ wanted, actual, diff, extended })
    if (reason === undefined) draft.unchanged += 1
    else draft.unknown.push({ key: wanted.key, cls: actual.cls, path: work.pathOf(wanted.key), reason })
    return
  }
  draft.changes.push(
    withRestore(updateOf({ work, wanted, actual, diff, data, unfilled, files, extended }), wanted),
  )
}

/** The request of a resource whose data or files are written, with the record of the fields that the manifest sets. */
function recordOf(written: WantedResource, found: ActualResource, context: DiffContext) {
  const { body, records } = diffResource(written, found, { ...context, isWritten: true })
  return { body, records }
}

function noteExtensions({ input, draft }: Work, wanted: WantedResource, layer: PlannedLayer): ExtensionsPlan {
  const planned = planExtensions(input, wanted, layer)
  draft.issues.push(...planned.issues)
  draft.unreadExtensions.push(...planned.unread)
  // The load of a layer may have to read it, too.
  if (planned.unreadSource && !draft.unread.some((one) => one.wanted.key === wanted.key))
    draft.unread.push({
      ...{ wanted, actual: undefined, before: 0 },
      converts: input.actual.landform !== undefined,
    })
  return planned
}

const featuresOf = ({ change }: ExtensionsPlan) => (change === undefined ? {} : { features: change })

function withLosses({ input, draft }: Work, diff: ResourceDiff, actual: ActualResource): ResourceDiff {
  const { edits, uncounted } = tellLostValues(diff.edits, actual, input.values ?? new Map())
  draft.uncountedFields.push(...uncounted)
  return { ...diff, edits }
}

interface Update {
  readonly work: Work
  readonly wanted: WantedResource
  readonly actual: ActualResource
  readonly diff: ResourceDiff
  readonly data: DataLoad | undefined
  readonly unfilled: UnfilledFields | undefined
  readonly files: FilesDiff
  readonly extended: ExtensionsPlan
}

function withFiles(
  diff: ResourceDiff,
  { edits, unknown }: Pick<FilesDiff, 'edits' | 'unknown'>,
): ResourceDiff {
  if (edits.length + unknown.length === 0) return diff
  return { ...diff, edits: [...diff.edits, ...edits], unknown: [...diff.unknown, ...unknown] }
}

function updateOf(update: Update): Change {
  const { work, wanted, actual, diff, data, unfilled, extended } = update
  const { entries } = update.files
  const fields =
    data === undefined || data.sync !== undefined ? undefined : wanted.members.feature_layer?.fields
  const sync = planSyncFields(wanted, actual, data)
  const isWithoutValues =
    wanted.records !== undefined && wanted.restores === undefined && addedFields(diff.edits).size > 0
  const written = isWithoutValues ? staleSource(diff.body, actual) : keepSource(diff.body, actual)
  const body = data === undefined ? written : diff.body
  const layer = { actual, data, features: extended.change, restores: wanted.restores !== undefined }
  return {
    action: actionOf(diff, data),
    key: wanted.key,
    cls: actual.cls,
    displayName: wanted.displayName ?? actual.displayName,
    path: wanted.existing ? pathOf(work.input.actual, actual.id) : work.pathOf(wanted.key),
    id: actual.id,
    ...versionOf(actual),
    ...(diff.adopts ? { adopts: true } : {}),
    ...(diff.records === undefined || data !== undefined ? {} : { records: diff.records }),
    edits: [...diff.edits, ...listLoadedEdits(wanted, actual, data)],
    body: sync === undefined ? body : { ...body, feature_layer: { fields: sync.fields } },
    ...(data === undefined ? {} : { data }),
    ...(unfilled === undefined ? {} : { unfilled }),
    ...(entries === undefined ? {} : { files: entries }),
    ...featuresOf(extended),
    ...basesOf(layer, work.input.extensions),
    ...(fields === undefined ? {} : { fieldsAfterLoad: fields as NonNullable<Change['fieldsAfterLoad']> }),
    ...(diff.sharesRules && actual.version !== undefined ? { ifVersion: actual.version } : {}),
  }
}

const versionOf = ({ version }: ActualResource) => (version === undefined ? {} : { version })

function actionOf({ adopts, records, moves, edits }: ResourceDiff, data: DataLoad | undefined): Action {
  const isMarked = adopts || records !== undefined
  if (isMarked && edits.length === 0 && data === undefined) return 'adopt'
  return moves ? 'move' : 'update'
}

function checkTarget({ manifest, options }: PlanInput, wanted: WantedResource, actual: ActualResource) {
  if (wanted.cls !== undefined && wanted.cls !== actual.cls) {
    const message = `"${wanted.key}" is a ${wanted.cls} in the manifest, but a ${actual.cls} on the server`
    const ours = actual.manager === manifest.id
    if (!ours) return issueAt(wanted, 'plan/wrong-class', message, '/cls')
    return { ...issueAt(wanted, 'plan/replace', message, '/cls'), hint: allowHint(wanted) }
  }
  const foreign = actual.manager !== undefined && actual.manager !== manifest.id
  if (wanted.existing || !foreign || options.adopt) return undefined
  return foreignIssue(wanted, actual.manager, 'resource')
}

const allowHint = ({ key }: WantedResource) =>
  `To delete and recreate it with all resources below it, use --replace ${key}.`

function planData(
  { input, draft }: Work,
  wanted: WantedResource,
  { actual, edits }: { readonly actual: ActualResource | undefined; readonly edits: readonly Edit[] },
): Pick<SourceDecision, 'load' | 'unfilled'> {
  const file = wanted.data === undefined ? undefined : input.files.get(wanted.key)
  if (file === undefined) return {}
  const count = actual === undefined ? undefined : input.counts.get(actual.id)
  const { options, actual: tree } = input
  const prepares = tree.landform !== undefined
  const there = actual === undefined ? undefined : input.extensions?.get(actual.id)
  const known = there === notCaptured ? undefined : there
  const { load, unfilled, issues, uncounted, unread, unreadContents } = decideSource({
    wanted,
    actual,
    file,
    count,
    change: input.loads?.get(wanted.key),
    contents: actual && input.contents?.get(actual.id),
    unlisted: known ? countUnlisted(wanted, known) : undefined,
    dropped: droppedFields(edits),
    added: addedFields(edits),
    converted: convertedFields(edits),
    options,
    prepares,
  })
  draft.issues.push(...issues, ...checkDeclaredFields(wanted, input.loads?.get(wanted.key)))
  if (unread)
    draft.unread.push({ wanted, actual, before: count ?? 0, key: load?.sync?.key, converts: prepares })
  if (uncounted && actual !== undefined) draft.uncounted.push(actual.id)
  if (unreadContents && actual !== undefined) draft.unreadContents.push(actual.id)
  // The plan of `features:` reads them itself.
  const isReplaced = actual !== undefined && load !== undefined && load.sync === undefined
  if (isReplaced && there === undefined && wanted.features === undefined && tree.landform !== undefined)
    draft.unreadExtensions.push({ id: actual.id })
  if (isReplaced && there === notCaptured) draft.issues.push(reportUncaptured(wanted, '/data'))
  return { ...(load && { load }), ...(unfilled && { unfilled }) }
}
