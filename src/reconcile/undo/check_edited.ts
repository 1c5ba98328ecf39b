import PQueue from 'p-queue'
import type { Api } from '../../api/api.ts'
import type { JournalChange, JournalEntry } from '../../contract/bodies/journal.ts'
import { isCls } from '../../contract/registry.ts'
import { countOf } from '../../core/count.ts'
import { isObject } from '../../core/is_object.ts'
import type { Issue } from '../../core/issue.ts'
import { joinPointer } from '../../core/pointer.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { renamedFrom } from '../model/actual_files.ts'
import type { ActualResource, ActualTree } from '../model/actual_tree.ts'
import type { Edit, Plan } from '../model/change.ts'
import { byId, digestOrNull, fieldOf } from '../model/edit_digest.ts'
import { renamedFieldOf } from '../model/layer_fields.ts'
import type { PlanReader } from '../plan/plan_reader.ts'
import type { KeptLayer } from './find_kept.ts'
import { describeDataEdits, describeLater, describeWriter, isAsLeft, readLater } from './later_applies.ts'
import { listApplied } from './undo_manifest.ts'

/** An undo to check. */
export interface UndoCheck {
  readonly api: Api
  readonly reader: Pick<PlanReader, 'readContents'>
  readonly entry: JournalEntry
  /** Data that the server kept, by layer. */
  readonly kept: ReadonlyMap<number, KeptLayer>
  readonly actual: ActualTree
  readonly manifest: Manifest
  /** Items of merged layer trees that were changed since the apply, by web map. */
  readonly conflicts: ReadonlyMap<number, readonly string[]>
  /** Plan of the undo. */
  readonly plan: Plan
  readonly options: { readonly overwrite: ReadonlySet<string> }
  readonly signal: AbortSignal | undefined
}

/** Maximum number of concurrent requests. */
const maxRequests = 8

/** What was changed after the apply. */
interface LaterEdit {
  readonly text: string
  /** Pointers of fields that have other values; absent if the apply is undone as a whole. */
  readonly fields?: readonly string[]
  /** Edits of the data. */
  readonly data?: { readonly version: number; readonly count: number }
}

/** A change of the apply that would be undone with what was changed since. */
interface Found {
  readonly change: JournalChange
  readonly edit: LaterEdit | undefined
  readonly written: KeptLayer['written']
}

/** Reports what the undo would overwrite or delete although it was changed after the apply, and who changed it. */
export async function checkEdited(check: UndoCheck): Promise<Issue[]> {
  const found = listApplied(check.entry).flatMap((change): Found[] => {
    if (check.options.overwrite.has(change.key) || !isCls(change.cls)) return []
    const [edit, written] = [findEdit(check, change), findWritten(check, change)]
    return edit === undefined && written === undefined ? [] : [{ change, edit, written }]
  })
  const queue = new PQueue({ concurrency: maxRequests })
  const issues = await queue.addAll(found.map((one) => () => report(check, one)))
  return issues.flat()
}

async function report(check: UndoCheck, { change, edit, written }: Found): Promise<Issue[]> {
  const later = await readLater(check, change)
  const there = change.id == null ? undefined : check.actual.byId.get(change.id)
  const left = there === undefined ? undefined : { entry: check.entry.id, change, there }
  const isLeft = left !== undefined && later !== undefined && isAsLeft(left, later)
  const message =
    edit === undefined || isLeft
      ? describeWritten(check, { change, written, later })
      : `${edit.text}${await describeEditors(check, { change, edit, later })}`
  if (message === undefined) return []
  const hint = `To undo the apply nevertheless, use --overwrite ${change.key}.`
  return [{ code: 'undo/edited', message, severity: 'error', hint }]
}

interface FoundEdit {
  readonly change: JournalChange
  readonly edit: LaterEdit
  readonly later: readonly JournalEntry[] | undefined
}

async function describeEditors(
  { reader }: UndoCheck,
  { change: { id }, edit: { data, fields }, later }: FoundEdit,
): Promise<string> {
  if (data === undefined || id == null) return describeLater(later, fields)
  const contents = (await reader.readContents([id]))?.find((one) => one.id === id)
  return describeDataEdits({ ...data, later, contents })
}

/** Finds what of a resource was changed after the apply and would be undone too. */
function findEdit(check: UndoCheck, change: JournalChange): LaterEdit | undefined {
  const { entry, actual } = check
  const { key, id, action, before = [] } = change
  const there = id == null ? undefined : actual.byId.get(id)
  if (there !== undefined && action !== 'delete')
    return action === 'create' || action === 'replace'
      ? asEdit(describeCreated(check, change, there))
      : (findDataEdit(check, change, there) ?? findUpdate(check, change, there))
  if (before.length === 0) return undefined
  if (there !== undefined) return asEdit(describeRestored(check, change))
  const again = actual.byKeyname.get(key)
  if (again !== undefined && again.id !== id)
    return { text: `"${key}" was created again since apply ${entry.id}` }
  return action === 'delete' ? undefined : { text: `"${key}" was deleted since apply ${entry.id}` }
}

const asEdit = (text: string | undefined): LaterEdit | undefined =>
  text === undefined ? undefined : { text }

/** A deleted resource that exists again has its id only if an undo restored it. */
function describeRestored({ entry, plan }: UndoCheck, { key, id }: JournalChange): string | undefined {
  const isChanged = plan.changes.some((one) => one.id === id)
  return isChanged ? `"${key}" was restored since apply ${entry.id}` : undefined
}

/** A creation is undone as a whole: any change since goes with it. */
function describeCreated(
  { entry }: UndoCheck,
  { key, version, data_version: dataVersion }: JournalChange,
  there: ActualResource,
): string | undefined {
  if (version === null)
    return `it is unknown whether "${key}" was changed since apply ${entry.id}, which was not one transaction`
  const edits = (there.dataVersion ?? 0) - (dataVersion ?? there.dataVersion ?? 0)
  const changed = [
    ...(there.version === version ? [] : [`it had version ${version}, and now has ${there.version}`]),
    ...(edits <= 0 ? [] : [`its features were edited ${countOf(edits, 'time')}`]),
  ]
  if (changed.length === 0) return undefined
  return `"${key}", which apply ${entry.id} created and the undo would delete, was changed since: ${changed.join('; ')}`
}

/** Finds edits of data that the undo replaces or deletes. */
function findDataEdit(
  { entry, plan }: UndoCheck,
  { key, id, data_version: after }: JournalChange,
  { dataVersion }: ActualResource,
): LaterEdit | undefined {
  const change = plan.changes.find((one) => one.id === id)
  const losesValues = change?.edits.some(
    ({ pointer, loses, lostValues }) => loses !== undefined && lostValues !== 0 && !isOfFiles(pointer),
  )
  if (change === undefined || !(change.restores !== undefined || losesValues)) return undefined
  if (after == null || dataVersion === undefined)
    return {
      text: `it is unknown whether the data of "${key}" were edited since apply ${entry.id}, which was not one transaction`,
    }
  if (dataVersion === after) return undefined
  const count = dataVersion - after
  const text = `the data of "${key}", which the undo would replace, were edited ${countOf(count, 'time')} since apply ${entry.id}`
  return { text, data: { version: after, count } }
}

/**
 * Finds the last write of descriptions or attachments of features that an undo would replace together with their features. Such
 * writes do not count as edits of the data. They are not restored by an undo of later applies either, so that these do not excuse
 * them.
 */
function findWritten({ kept, plan }: UndoCheck, { id }: JournalChange): KeptLayer['written'] {
  const isReplaced = plan.changes.some((one) => one.id === id && one.restores !== undefined)
  return id == null || !isReplaced ? undefined : kept.get(id)?.written
}

function describeWritten(
  { entry }: UndoCheck,
  { change: { key }, written, later }: Omit<Found, 'edit'> & Pick<FoundEdit, 'later'>,
): string | undefined {
  if (written === undefined) return undefined
  const who = describeWriter(written, later)
  return `descriptions or attachments of features of "${key}", which the undo would replace, were written since apply ${entry.id}${who}`
}

const isOfFiles = (pointer: string) => /^\/files?(\/|$)/.test(pointer)

/** Of an update, only the fields that the apply set are undone: those that have another value now were changed since. */
function findUpdate(
  { entry, actual, manifest, plan, conflicts }: UndoCheck,
  { key, id, version, digests = {} }: JournalChange,
  there: ActualResource,
): LaterEdit | undefined {
  if (there.version === version) return undefined
  const isOurs = (title: unknown) =>
    typeof title === 'string' && actual.byKeyname.get(title)?.manager === manifest.id
  const items = conflicts.get(there.id)
  const edits = (plan.changes.find((one) => one.id === id)?.edits ?? []).filter(
    ({ pointer }) => items === undefined || !pointer.startsWith('/webmap/root_item'),
  )
  const changed = edits.filter((edit) => !isAsApplied(edit, digests, { isOurs, ids: plan.principals }))
  const names = changed.map(({ pointer }) => pointer.slice(1).replaceAll('/', '.'))
  names.push(...(items ?? []).map((name) => `"${name}" of the layer tree`))
  if (names.length === 0) return undefined
  const fields = [...new Set(names)].join(', ')
  if (version === null)
    return {
      text: `it is unknown whether ${fields} of "${key}" changed since apply ${entry.id}, which was not one transaction`,
    }
  const text = `what apply ${entry.id} set in "${key}" was changed since: ${fields}`
  return { text, fields: [...changed.map(({ pointer }) => pointer), ...(items ?? []).map(() => '/webmap')] }
}

/** How the apply named resources of the manifest, users and groups. */
interface AppliedNames {
  readonly isOurs: (title: unknown) => boolean
  readonly ids: ReadonlyMap<string, number>
}

/** Tells whether a field has the value that the apply set. Of a part that the journal does not list, it is unknown. */
function isAsApplied(
  edit: Edit,
  digests: Readonly<Record<string, string | null>>,
  { isOurs, ids }: AppliedNames,
): boolean {
  if (edit.pointer === '/managed_by' || edit.pointer === '/data_source') return true
  const applied = digests[appliedFieldOf(edit, ids)] ?? digests[appliedFieldOf(edit, new Map())]
  if (applied === undefined || edit.secret) return false
  const { from } = edit
  const forms = [from, byId(edit, from, ids), withKeys(from, isOurs), withoutName(from), withoutType(edit)]
  return forms.some((value) => digestOrNull(value) === applied)
}

/** The journal names a renamed field or file by the name that the apply gave it. */
function appliedFieldOf(edit: Edit, ids: AppliedNames['ids']): string {
  const file = renamedFrom(edit)
  if (file !== undefined) return joinPointer('/files', file)
  const isRename = renamedFieldOf(edit) !== undefined
  return isRename ? joinPointer('/feature_layer/fields', String(edit.from), 'keyname') : fieldOf(edit, ids)
}

/** The apply may have left the type of a file to the server. */
function withoutType({ pointer, from }: Edit): unknown {
  if (!pointer.startsWith('/files/') || !isObject(from)) return from
  const { mime_type: _, ...rest } = from
  return withoutName(rest)
}

/** The apply did not set the name that the undo changes. */
function withoutName(from: unknown): unknown {
  if (!isObject(from)) return from
  const { name: _, ...rest } = from
  return rest
}

/** Replaces references to resources of the manifest by their keys, as the apply wrote them. */
function withKeys(value: unknown, isOurs: (title: unknown) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withKeys(item, isOurs))
  if (!isObject(value)) return value
  if ('id' in value && isOurs(value.title)) return value.title
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withKeys(item, isOurs)]))
}
