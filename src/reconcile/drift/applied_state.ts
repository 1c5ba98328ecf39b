import type { JournalChange, JournalEntry } from '../../contract/bodies/journal.ts'
import type { Digests } from '../model/edit_digest.ts'
import { isApplied } from '../undo/undo_manifest.ts'

/** Who applied when. */
export interface Apply {
  readonly entry: number
  readonly user: string
  readonly manifest: string
  /** UTC. */
  readonly began: string
}

/** What the journal says of a resource or record. */
export interface AppliedState {
  /** Last apply of the manifest that changed it. */
  readonly apply: Apply
  /** Version after that; null if unknown. */
  readonly version: number | null
  /** Whether that apply deleted it. */
  readonly isDeleted: boolean
  /** Digests of the fields that applies of the manifest set. */
  readonly digests: Digests
  /** Whether the journal has its creation, so that `digests` has all fields that were set. */
  readonly isWhole: boolean
  /** Last later apply, of another manifest. */
  readonly later: Apply | undefined
}

/**
 * Sums up the entries of the journal that changed a resource or record, newest first. Undefined if the manifest never
 * changed it.
 */
export function sumUp(entries: readonly JournalEntry[], manifestId: string): AppliedState | undefined {
  const applied = entries.flatMap((entry) =>
    (entry.changes ?? []).filter(isApplied).map((change) => ({ entry, change })),
  )
  const own = applied.filter(({ entry }) => entry.manifest === manifestId)
  const [last] = own
  if (last === undefined) return undefined
  const [latest] = applied
  return {
    apply: applyOf(last.entry),
    version: last.change.version,
    isDeleted: last.change.action === 'delete',
    digests: mergeDigests(own.map(({ change }) => change)),
    isWhole: own.some(
      ({ change: { action, digests } }) =>
        creates(action) && digests !== undefined && Object.keys(digests).length > 0,
    ),
    later: latest === undefined || latest === last ? undefined : applyOf(latest.entry),
  }
}

/** A creation begins anew: what older changes set is void. */
function mergeDigests(changes: readonly JournalChange[]): Digests {
  const created = changes.findIndex(({ action }) => creates(action))
  const valid = created < 0 ? changes : changes.slice(0, created + 1)
  return Object.assign({}, ...valid.toReversed().map(({ digests }) => digests ?? {})) as Digests
}

const creates = (action: JournalChange['action']) => action === 'create' || action === 'replace'

function applyOf({ id, user, manifest, began }: JournalEntry): Apply {
  return { entry: id, user, manifest, began }
}
