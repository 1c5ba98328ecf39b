import PQueue from 'p-queue'
import type { Api } from '../../api/api.ts'
import { type JournalChange, type JournalEntry, maxJournalEntries } from '../../contract/bodies/journal.ts'
import { isCls } from '../../contract/registry.ts'
import { countOf } from '../../core/count.ts'
import { isObject } from '../../core/is_object.ts'
import type { Issue } from '../../core/issue.ts'
import { joinPointer } from '../../core/pointer.ts'
import { isProblem } from '../../core/problem.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { renamedFrom } from '../model/actual_files.ts'
import type { ActualResource, ActualTree } from '../model/actual_tree.ts'
import type { Edit, Plan } from '../model/change.ts'
import { byId, digestOrNull, fieldOf } from '../model/edit_digest.ts'
import { renamedFieldOf } from '../model/layer_fields.ts'
import type { KeptLayer } from './find_kept.ts'
import { isApplied, listApplied } from './undo_manifest.ts'

/** An undo to check. */
export interface UndoCheck {
  readonly api: Api
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

/** An apply, and how it left a resource. */
interface LeftResource {
  readonly entry: number
  readonly change: JournalChange
  /** The resource now. */
  readonly there: Pick<ActualResource, 'version' | 'dataVersion'>
}

/** Versions of a resource and of its data after a change. */
interface Versions {
  /** Null after a deletion. */
  readonly version: number | null
  readonly dataVersion: number | null
}

/** Reports what the undo would overwrite or delete although it was changed after the apply, and who changed it. */
export async function checkEdited(check: UndoCheck): Promise<Issue[]> {
  const found = listApplied(check.entry).flatMap((change) => {
    if (check.options.overwrite.has(change.key) || !isCls(change.cls)) return []
    const [why, written] = [describeEdit(check, change), describeWritten(check, change)]
    return why === undefined && written === undefined ? [] : [{ change, why, written }]
  })
  const queue = new PQueue({ concurrency: maxRequests })
  const issues = await queue.addAll(
    found.map(({ change, why, written }) => async (): Promise<Issue[]> => {
      const later = why === undefined ? undefined : await readLater(check, change)
      const there = change.id == null ? undefined : check.actual.byId.get(change.id)
      const left = there === undefined ? undefined : { entry: check.entry.id, change, there }
      const isLeft = left !== undefined && later !== undefined && isAsLeft(left, later)
      const message = why === undefined || isLeft ? written : `${why}${describeLater(later)}`
      if (message === undefined) return []
      const hint = `To undo the apply nevertheless, use --overwrite ${change.key}.`
      return [{ code: 'undo/edited', message, severity: 'error', hint }]
    }),
  )
  return issues.flat()
}

/** Says what of a resource was changed after the apply and would be undone too; undefined if nothing. */
function describeEdit(check: UndoCheck, change: JournalChange): string | undefined {
  const { entry, actual } = check
  const { key, id, action, before = [] } = change
  const there = id == null ? undefined : actual.byId.get(id)
  if (there !== undefined && action !== 'delete')
    return action === 'create' || action === 'replace'
      ? describeCreated(check, change, there)
      : (describeData(check, change, there) ?? describeUpdated(check, change, there))
  if (before.length === 0) return undefined
  if (there !== undefined) return describeRestored(check, change)
  const again = actual.byKeyname.get(key)
  if (again !== undefined && again.id !== id) return `"${key}" was created again since apply ${entry.id}`
  return action === 'delete' ? undefined : `"${key}" was deleted since apply ${entry.id}`
}

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

/** Tells whether data that the undo replaces or deletes were edited. */
function describeData(
  { entry, plan }: UndoCheck,
  { key, id, data_version: after }: JournalChange,
  { dataVersion }: ActualResource,
): string | undefined {
  const change = plan.changes.find((one) => one.id === id)
  const losesValues = change?.edits.some(
    ({ pointer, loses, lostValues }) => loses !== undefined && lostValues !== 0 && !isOfFiles(pointer),
  )
  if (change === undefined || !(change.restores !== undefined || losesValues)) return undefined
  if (after == null || dataVersion === undefined)
    return `it is unknown whether the data of "${key}" were edited since apply ${entry.id}, which was not one transaction`
  if (dataVersion === after) return undefined
  return `the data of "${key}", which the undo would replace, were edited ${countOf(dataVersion - after, 'time')} since apply ${entry.id}`
}

/**
 * Says who wrote descriptions or attachments of features that an undo would replace together with their features. Such writes do not
 * count as edits of the data. They are not restored by an undo of later applies either, so that these do not excuse them.
 */
function describeWritten({ entry, kept, plan }: UndoCheck, { key, id }: JournalChange): string | undefined {
  const written = id == null ? undefined : kept.get(id)?.written
  const isReplaced = plan.changes.some((one) => one.id === id && one.restores !== undefined)
  if (written === undefined || !isReplaced) return undefined
  const who = `${written.user === null ? '' : `${written.user}, `}${written.at.replace('T', ' ')} UTC`
  return `descriptions or attachments of features of "${key}", which the undo would replace, were written since apply ${entry.id} (${who})`
}

const isOfFiles = (pointer: string) => /^\/files?(\/|$)/.test(pointer)

/** Of an update, only the fields that the apply set are undone: those that have another value now were changed since. */
function describeUpdated(
  { entry, actual, manifest, plan, conflicts }: UndoCheck,
  { key, id, version, digests = {} }: JournalChange,
  there: ActualResource,
): string | undefined {
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
    return `it is unknown whether ${fields} of "${key}" changed since apply ${entry.id}, which was not one transaction`
  return `what apply ${entry.id} set in "${key}" was changed since: ${fields}`
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

/** Reads the later applies that changed a resource; undefined if this account may not read them. */
async function readLater(
  { api, entry, signal }: UndoCheck,
  { id }: JournalChange,
): Promise<JournalEntry[] | undefined> {
  if (id == null) return undefined
  try {
    const query = { resource: id, limit: maxJournalEntries }
    const entries = await api.call('journal.list', { query, signal })
    return entries.filter((one) => one.id > entry.id)
  } catch (error) {
    if (isProblem(error)) return undefined
    throw error
  }
}

/** Names the later applies that changed a resource. */
function describeLater(later: readonly JournalEntry[] | undefined): string {
  if (later === undefined) return ''
  if (later.length === 0) return ', without an apply'
  const names = later.slice(0, 3).map((one) => `${one.id} (${one.user}, ${one.began.replace('T', ' ')} UTC)`)
  return `, by apply ${names.join(', ')}${later.length > 3 ? ', …' : ''}`
}

/**
 * Tells whether a resource is as an apply left it although its version is another one: later applies that changed it were
 * undone, and nothing else changed it in between. The later entries are those of the history of the resource.
 */
export function isAsLeft({ entry, change, there }: LeftResource, later: readonly JournalEntry[]): boolean {
  const since = later.filter(({ id }) => id > entry).toSorted((a, b) => a.id - b.id)
  let at: Versions | undefined = versionsAfter(change)
  const effective: JournalEntry[] = []
  for (const one of since)
    for (const next of (one.changes ?? []).filter(isApplied)) {
      if (at === undefined || !continues(at, next)) return false
      at = versionsAfter(next)
      effective.push(one)
    }
  return at !== undefined && isSame(at, there) && cancelOut(entry, effective)
}

/** Undefined if they are unknown. */
function versionsAfter({ action, version, data_version: dataVersion = null }: JournalChange) {
  if (action === 'delete') return { version: null, dataVersion }
  return version === null ? undefined : { version, dataVersion }
}

/** Tells whether nothing changed a resource between a state and a change. A restored resource has no state before. */
function continues(at: Versions, { version_before: version = null, ...next }: JournalChange): boolean {
  if (version === null || at.version === null) return version === at.version
  const { data_version_before: dataVersion = null } = next
  return version === at.version && dataVersion === at.dataVersion
}

function isSame(at: Versions, { version, dataVersion = 0 }: LeftResource['there']): boolean {
  return version === at.version && dataVersion === (at.dataVersion ?? 0)
}

/** Tells whether the applies since one undo each other, so that the state is that of the first. Oldest first. */
export function cancelOut(first: number, since: readonly Pick<JournalEntry, 'id' | 'undoes'>[]): boolean {
  const effective = [first]
  const undone = new Map<number, number>()
  for (const { id, undoes = null } of since) {
    const again = undoes === null ? undefined : undone.get(undoes)
    if (undoes !== null && effective.at(-1) === undoes) {
      effective.pop()
      undone.set(id, undoes)
      // The undo of an undo applies the first one again.
    } else effective.push(again ?? id)
  }
  return effective.length === 1 && effective[0] === first
}
