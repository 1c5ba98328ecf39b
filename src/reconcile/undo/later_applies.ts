import type { Api } from '../../api/api.ts'
import type { ResourceContents } from '../../api/read_contents.ts'
import { type JournalChange, type JournalEntry, maxJournalEntries } from '../../contract/bodies/journal.ts'
import { countOf } from '../../core/count.ts'
import { splitPointer } from '../../core/pointer.ts'
import { isProblem } from '../../core/problem.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { describeEdited, findEditedFeatures } from '../model/data_edits.ts'
import type { KeptLayer } from './find_kept.ts'
import { isApplied } from './undo_manifest.ts'

/** An apply whose resource later applies may have changed. */
interface LaterQuery {
  readonly api: Api
  readonly entry: Pick<JournalEntry, 'id'>
  readonly signal: AbortSignal | undefined
}

/** Reads the later applies that changed a resource, newest first; undefined if this account may not read them. */
export async function readLater(
  { api, entry, signal }: LaterQuery,
  { id }: Pick<JournalChange, 'id'>,
): Promise<JournalEntry[] | undefined> {
  if (id == null) return undefined
  try {
    const query = { resource: id, limit: maxJournalEntries, digests: true }
    const entries = await api.call('journal.list', { query, signal })
    return entries.filter((one) => one.id > entry.id)
  } catch (error) {
    if (isProblem(error)) return undefined
    throw error
  }
}

/**
 * Finds the apply that undid an apply and was not undone itself, in the history of a resource that both changed; undefined if this
 * account cannot read it.
 */
export async function findUndo(query: LaterQuery, change: JournalChange): Promise<JournalEntry | undefined> {
  const later = (await readLater(query, change)) ?? (await readLaterOfKey(query, change))
  return findUndoAmong(query.entry.id, later)
}

// A deleted resource has no history that can be read by its id.
async function readLaterOfKey({ api, entry, signal }: LaterQuery, { key }: JournalChange) {
  const entries = await api.call('journal.list', { query: { key, limit: maxJournalEntries }, signal })
  return entries.filter((one) => one.id > entry.id)
}

function findUndoAmong(id: number, later: readonly JournalEntry[]): JournalEntry | undefined {
  return later.find(
    (one) => one.undoes === id && one.result === 'applied' && findUndoAmong(one.id, later) === undefined,
  )
}

/** Names applies: `apply 49 (ann, 2026-01-02 03:04:05 UTC), …`. */
export function nameApplies(entries: readonly JournalEntry[]): string {
  const names = entries.slice(0, 3).map((one) => `${one.id} (${one.user}, ${atUtc(one.began)})`)
  return `apply ${names.join(', ')}${entries.length > 3 ? ', …' : ''}`
}

const atUtc = (time: string) => `${time.replace('T', ' ')} UTC`

/** Says which later applies set some of the fields of a resource; of all applies, if the fields are not known. */
export function describeLater(
  later: readonly JournalEntry[] | undefined,
  fields: readonly string[] = [],
): string {
  if (later === undefined) return ''
  const tops = new Set(fields.map(topOf))
  const by = later.filter(({ changes = [] }) =>
    changes.some((change) => isApplied(change) && (tops.size === 0 || setsOneOf(change, tops))),
  )
  return by.length === 0 ? ', without an apply' : `, by ${nameApplies(by)}`
}

const topOf = (pointer: string) => splitPointer(pointer)[0]

function setsOneOf({ action, digests }: JournalChange, tops: ReadonlySet<string | undefined>): boolean {
  if (digests === undefined || action !== 'update') return true
  return Object.keys(digests).some((pointer) => tops.has(topOf(pointer)))
}

/** Edits of data since an apply. */
interface DataEdits {
  /** Version of the data after the apply. */
  readonly version: number
  /** Number of edits since. */
  readonly count: number
  readonly later: readonly JournalEntry[] | undefined
  readonly contents: ResourceContents | undefined
}

/** Says who edited data since an apply: later applies, and others with the features that they edited. */
export function describeDataEdits({ version, count, later, contents }: DataEdits): string {
  const loads = (later ?? []).flatMap((entry) => {
    const edits = (entry.changes ?? []).filter(isApplied).map(countEdits)
    return edits.every((one) => one === 0) ? [] : [{ entry, edits }]
  })
  const known = loads.flatMap(({ edits }) => edits)
  const byApplies = later === undefined ? undefined : sumOf(known)
  const others = count - (byApplies ?? 0)
  if (later !== undefined && (byApplies === undefined || others <= 0))
    return describeLater(loads.map(entryOf))
  const { data_changed: at, data_user: by = null, changed_features: changes } = contents ?? {}
  const features = others === count ? findEditedFeatures(changes, version) : undefined
  const last = at === undefined ? undefined : { at, by }
  const who = describeEdited({
    ...(last === undefined ? {} : { last }),
    ...(features === undefined ? {} : { features }),
  })
  if (later === undefined) return who
  if (others === count) return `, without an apply${who}`
  return `: ${countOf(byApplies ?? 0, 'time')} by ${nameApplies(loads.map(entryOf))}, ${countOf(others, 'time')} without an apply${who}`
}

const entryOf = ({ entry }: { readonly entry: JournalEntry }) => entry

/** Number of edits of the data by a change; undefined if it is not known. */
function countEdits({ data_version: after, data_version_before: before }: JournalChange): number | undefined {
  return after == null || before == null ? undefined : after - before
}

function sumOf(numbers: readonly (number | undefined)[]): number | undefined {
  return numbers.reduce<number | undefined>(
    (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
    0,
  )
}

/** Says who wrote descriptions and attachments of features last: ` (ann, 2026-01-02 03:04:05 UTC, by apply 49)`. */
export function describeWriter(
  { user, at }: NonNullable<KeptLayer['written']>,
  later: readonly JournalEntry[] | undefined,
): string {
  const apply = later?.find((one) => isDuring(one, at) && one.user === user)
  const how = apply === undefined ? [] : [`by apply ${apply.id}`]
  return ` (${[...(user === null ? [] : [user]), atUtc(at), ...how].join(', ')})`
}

/** Tells whether an apply ran at a time, which is in the same form. */
const isDuring = ({ began, ended }: JournalEntry, at: string) =>
  began <= at && (ended === null || at <= ended)

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

/**
 * Tells whether a resource is as an apply left it although its version is another one: later applies that changed it were
 * undone, and nothing else changed it in between. The later entries are those of the history of the resource.
 */
export function isAsLeft({ entry, change, there }: LeftResource, later: readonly JournalEntry[]): boolean {
  const since = later.filter(({ id }) => id > entry).toSorted((a, b) => a.id - b.id)
  let at: Versions | undefined = versionsAfter(change)
  const effective: JournalEntry[] = []
  const loads = new Set(changesData(change) ? [entry] : [])
  for (const one of since)
    for (const next of (one.changes ?? []).filter(isApplied)) {
      if (at === undefined || !continues(at, next)) return false
      at = versionsAfter(next)
      effective.push(one)
      if (changesData(next)) loads.add(one.id)
      // An undo without the data leaves what was loaded.
      else if (loads.has(one.undoes ?? 0)) return false
    }
  return at !== undefined && isSame(at, there) && cancelOut(entry, effective)
}

function changesData({ data_version: after = null, data_version_before: before = null }: JournalChange) {
  return after !== before
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
