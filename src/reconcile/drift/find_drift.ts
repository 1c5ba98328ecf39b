import PQueue from 'p-queue'
import type { Api } from '../../api/api.ts'
import { isJournalRefused } from '../../api/journal_refusal.ts'
import { type JournalEntry, maxJournalEntries } from '../../contract/bodies/journal.ts'
import { isProblem } from '../../core/problem.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { type ActualResource, labelOf, pathOf } from '../model/actual_tree.ts'
import type { Change, Plan } from '../model/change.ts'
import { type AppliedState, sumUp } from './applied_state.ts'
import { driftOf, type Ignored, type ResourceDrift } from './drift.ts'

/** Input of a comparison. */
export interface DriftRequest {
  readonly api: Api
  readonly manifest: Manifest
  /** Plan of the manifest. */
  readonly plan: Plan
  readonly ignored: Ignored
  readonly signal?: AbortSignal | undefined
}

/** Differences of a manifest and a server since the last apply. */
export interface Drift {
  readonly resources: readonly ResourceDrift[]
  /** Resources below those of the manifest that no manifest manages. */
  readonly unmanaged: readonly ActualResource[]
  /** Whether the server has a journal that this account may read. */
  readonly hasJournal: boolean
}

/** Maximum number of concurrent requests. */
const maxRequests = 8

/**
 * Compares the last applied state, the manifest and the server: tells for each field that differs which of them changed.
 *
 * @throws {Problem} http/*, auth/*
 */
export async function findDrift(request: DriftRequest): Promise<Drift> {
  const { plan, manifest, ignored } = request
  const journal = plan.landform === undefined ? undefined : await readJournal(request)
  const drifts = plan.changes
    .filter(differs)
    .map((change) => driftOf(change, journal?.get(change), { ignored, ids: plan.principals }))
  return {
    resources: [...drifts, ...listOrphans(plan, manifest, ignored)],
    unmanaged: listUnmanaged(plan, manifest),
    hasJournal: journal !== undefined,
  }
}

/** A marker that is missing is no difference of the content, and neither is a field that the manifest leaves to the server. */
const differs = ({ edits, data, action }: Change) =>
  edits.some(({ released }) => !released) ||
  data !== undefined ||
  !(action === 'adopt' || action === 'update')

type States = Map<Change, AppliedState | undefined>

/** Reads what the journal says of each change; undefined if there is no readable journal. */
async function readJournal({ api, plan, signal }: DriftRequest): Promise<States | undefined> {
  const changes = plan.changes.filter(differs)
  const queue = new PQueue({ concurrency: maxRequests })
  const reading: Reading = { api, signal }
  const found = await queue.addAll(changes.map((change) => () => readEntries(reading, change)))
  if (found.length > 0 && found.every((entries) => entries === undefined)) return undefined
  return new Map(changes.map((change, at) => [change, sumUp(found[at] ?? [], plan.manifest)]))
}

type Reading = Pick<DriftRequest, 'api' | 'signal'>

/** Reads the entries of a change, without digests if the account may not read these; undefined if it may read none. */
async function readEntries({ api, signal }: Reading, change: Change): Promise<JournalEntry[] | undefined> {
  const { id, record, key } = change
  const subject = id === undefined || record !== undefined ? { key } : { resource: id }
  for (const digests of [true, false])
    try {
      const query = { ...subject, digests, limit: maxJournalEntries }
      const entries = await api.call('journal.list', { query, signal })
      return 'resource' in subject ? entries : entries.map((entry) => ofClass(entry, change))
    } catch (error) {
      if (!isProblem(error) || !isJournalRefused(error)) throw error
    }
  return undefined
}

/** Keys of resources, records, users and groups may be equal. */
function ofClass({ changes = [], ...entry }: JournalEntry, { cls }: Change): JournalEntry {
  return { ...entry, changes: changes.filter((change) => change.cls === cls) }
}

/** Lists managed resources that the manifest no longer has. */
function listOrphans(
  { before: byId = new Map(), ids }: Plan,
  { id }: Manifest,
  ignored: Ignored,
): ResourceDrift[] {
  const kept = new Set(ids.values())
  const orphans = [...byId.values()].filter((one) => one.manager === id && !kept.has(one.id))
  return orphans.map((orphan) => {
    const { cls } = orphan
    const key = labelOf(orphan)
    const isIgnored = ignored(key, 'resource')
    const field = { field: 'resource', origin: 'manifest', isIgnored, isHarmless: false } as const
    return {
      ...{ key, cls, path: pathOf({ byId }, orphan.id), existsIn: 'server', fields: [field] },
      applied: undefined,
      later: undefined,
    }
  })
}

/** Lists what was made below managed resources, without what is below that. */
function listUnmanaged({ before, ids }: Plan, { id }: Manifest): ActualResource[] {
  const named = new Set(ids.values())
  return [...(before?.values() ?? [])].filter(({ id: resource, manager, parentId }) => {
    if (manager !== undefined || parentId === null || named.has(resource)) return false
    return before?.get(parentId)?.manager === id
  })
}
