import type { JournalChange, JournalEntry } from '../../contract/bodies/journal.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { isApplied } from './undo_manifest.ts'

/** An apply, and how it left a resource. */
export interface LeftResource {
  readonly entry: number
  readonly change: JournalChange
  /** The resource now. */
  readonly there: Pick<ActualResource, 'version' | 'dataVersion'>
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

/** Versions of a resource and of its data after a change. */
interface Versions {
  /** Null after a deletion. */
  readonly version: number | null
  readonly dataVersion: number | null
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
