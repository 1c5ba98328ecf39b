import type { MetadataValue } from '../../../contract/bodies/resource.ts'
import { findKeyRecord, formatKeyRecord, type KeyRecord, markerKeys } from '../../../contract/markers.ts'
import type { Issue } from '../../../core/issue.ts'
import type { Manifest, WantedResource } from '../../../manifest/manifest.ts'
import type { ActualResource, ActualTree } from '../../model/actual_tree.ts'
import type { RecordChange } from '../../model/change.ts'
import { issueAt } from '../issue_at.ts'

/** Renames of keys: which of them are due, and which have taken place. */
export interface Renames {
  /** Resources that get the key of a block with `was:`, by that key. */
  readonly due: ReadonlyMap<string, ActualResource>
  /** Resources that are recorded to have the key of a block already, by that key. */
  readonly settled: ReadonlyMap<string, ActualResource>
  /** Ids of the resources in `due` and `settled`: their keynames name no other block. */
  readonly claimed: ReadonlySet<number>
  /** What is recorded on resources, by key. */
  readonly records: ReadonlyMap<string, KeyRecord>
  readonly issues: readonly Issue[]
}

/**
 * Lists the keys that are recorded on their resources: those of blocks whose former key another block has now, and the keys of
 * those blocks. The keynames of the server do not tell whether such a rename took place.
 */
export function listKeyRecords({ resources }: Pick<Manifest, 'resources'>): ReadonlyMap<string, KeyRecord> {
  const records = new Map<string, KeyRecord>()
  for (const { key, was } of resources.values()) {
    if (was === undefined || !resources.has(was)) continue
    records.set(key, { key, was })
    if (!records.has(was)) records.set(was, { key: was })
  }
  return records
}

/** Returns the keyname that a resource has while others take its own; it names the block, in case the apply is interrupted. */
export function temporaryKey(id: number, key: string): string {
  return `landform-${id}-${key}`.slice(0, 255)
}

/**
 * Finds the renames that are due. A rename is due if no resource has the new key, or if the resource that has it is renamed, too. One
 * that is recorded on its resource has taken place: it is never made again, although the keys of a swap are the same before and after
 * it.
 */
export function findRenames(manifest: Manifest, actual: ActualTree): Renames {
  const records = listKeyRecords(manifest)
  const settled = findSettled(manifest, actual, records)
  const renaming: Renaming = {
    ...{ manifest, actual, settled, issues: [], due: new Map<string, ActualResource | undefined>() },
    settledIds: new Set([...settled.values()].map(({ id }) => id)),
    nextOf: new Map([...manifest.resources.values()].flatMap((one) => (one.was ? [[one.was, one]] : []))),
  }
  for (const wanted of manifest.resources.values())
    if (wanted.was !== undefined) decideChain(renaming, wanted)
  const due = new Map([...renaming.due].flatMap(([key, found]) => (found ? [[key, found] as const] : [])))
  const claimed = new Set([...due.values(), ...settled.values()].map(({ id }) => id))
  return { due, settled, claimed, records, issues: renaming.issues }
}

interface Renaming {
  readonly manifest: Manifest
  readonly actual: ActualTree
  readonly settled: ReadonlyMap<string, ActualResource>
  readonly settledIds: ReadonlySet<number>
  /** Block that takes the resource of a key, by that key. */
  readonly nextOf: ReadonlyMap<string, WantedResource>
  /** Decided renames: the resource that gets a key, undefined if the rename is not due. */
  readonly due: Map<string, ActualResource | undefined>
  readonly issues: Issue[]
}

function findSettled(
  { id: manifestId, resources }: Manifest,
  { byKeyname, byId }: ActualTree,
  records: ReadonlyMap<string, KeyRecord>,
): Map<string, ActualResource> {
  const settled = new Map<string, ActualResource>()
  for (const { key, was } of records.values()) {
    const there = byKeyname.get(key)
    const found = there && findKeyRecord(there.id, there.marks[markerKeys.key])
    if (there !== undefined && found?.key === key && found.was === was) settled.set(key, there)
  }
  for (const there of byId.values()) {
    const key = there.manager === manifestId ? findTemporary(there, resources) : undefined
    if (key !== undefined && records.has(key)) settled.set(key, there)
  }
  return settled
}

/** Finds the key whose block a resource has, if an interrupted apply left it with a temporary keyname. */
function findTemporary(
  { id, keyname }: ActualResource,
  resources: ReadonlyMap<string, unknown>,
): string | undefined {
  const prefix = temporaryKey(id, '')
  if (!keyname?.startsWith(prefix)) return undefined
  const key = keyname.slice(prefix.length)
  return resources.has(key) ? key : [...resources.keys()].find((one) => temporaryKey(id, one) === keyname)
}

/** Decides a rename, and the renames that its key depends on: a block takes a key that is free, or that a resource leaves. */
function decideChain(renaming: Renaming, start: WantedResource): void {
  const { actual, due, nextOf } = renaming
  const chain: WantedResource[] = []
  let isFree = false
  for (let at: WantedResource | undefined = start; at !== undefined; at = nextOf.get(at.key)) {
    if (chain.length > 0 && at === start) {
      isFree = isOwnCycle(renaming, chain)
      break
    }
    if (due.has(at.key)) isFree = due.get(at.key) !== undefined
    if (due.has(at.key) || findFormer(renaming, at) === undefined) break
    chain.push(at)
    if (!actual.byKeyname.has(at.key)) {
      isFree = true
      break
    }
  }
  for (const one of [...chain, start])
    if (!due.has(one.key)) due.set(one.key, isFree ? findFormer(renaming, one) : undefined)
}

/** Finds the resource with the former key of a block, unless its rename has taken place, or the resource is another block's. */
function findFormer({ actual, settled, settledIds }: Renaming, { key, was, existing }: WantedResource) {
  if (was === undefined || existing || settled.has(key)) return undefined
  const former = actual.byKeyname.get(was)
  return former === undefined || settledIds.has(former.id) ? undefined : former
}

/** A swap of resources that this manifest does not manage may have taken place, without a record of it. */
function isOwnCycle({ manifest, actual, issues }: Renaming, cycle: readonly WantedResource[]): boolean {
  const foreign = cycle.find(({ key }) => actual.byKeyname.get(key)?.manager !== manifest.id)
  const [first] = cycle
  if (foreign === undefined || first === undefined) return true
  const keys = cycle.map(({ key }) => `"${key}"`).join(', ')
  const isUnread = actual.byKeyname.get(foreign.key)?.resmeta === undefined
  issues.push({
    ...issueAt(first, 'plan/ambiguous', `it is unknown whether ${keys} have been renamed already`, '/was'),
    hint: isUnread
      ? `Use an account that can read the metadata of "${foreign.key}", where renames are recorded.`
      : `Remove was: and apply, so that this manifest manages "${foreign.key}"; then add was: again.`,
  })
  return false
}

/** Plans the metadata item that records the key of a resource; empty if it stays. An undo restores what the resource had. */
export function planKeyRecord(
  { key, existing, formerKeyRecord }: WantedResource,
  { id, marks, resmeta }: Pick<ActualResource, 'id' | 'marks' | 'resmeta'>,
  records: ReadonlyMap<string, KeyRecord>,
): Readonly<Record<string, MetadataValue>> {
  if (resmeta === undefined || (existing && formerKeyRecord === undefined)) return {}
  const there = marks[markerKeys.key] ?? null
  const record = records.get(key)
  const wanted = formerKeyRecord ?? (record === undefined ? null : formatKeyRecord(id, record))
  return there === wanted ? {} : { [markerKeys.key]: wanted }
}

/** Adds the record of a key to what changes in the records of a resource. */
export function withKeyRecord(
  change: RecordChange | undefined,
  items: ReturnType<typeof planKeyRecord>,
): RecordChange | undefined {
  const item = items[markerKeys.key]
  if (item === undefined) return change
  return { gained: [], lost: [], ...change, key: item === null ? 'removed' : 'written' }
}
