import type { Api } from '../../api/api.ts'
import type { TreePart } from '../../api/read_tree.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import type { JournalChange, JournalEntry } from '../../contract/bodies/journal.ts'
import { type ProblemCode, problem, problems } from '../../contract/problems.ts'
import { isCls } from '../../contract/registry.ts'
import { countOf } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { isChangedLoss } from '../apply/keep_journal.ts'
import { countFiles } from '../model/actual_files.ts'
import { readActual } from '../model/actual_tree.ts'
import type { Plan } from '../model/change.ts'
import { featurePartOf } from '../model/edit_digest.ts'
import { type PlanOptions, safeOptions } from '../model/plan_input.ts'
import { computeFromPart, type Missing } from '../plan/compute_from_part.ts'
import { noPart, type PartialTree } from '../plan/partial_tree.ts'
import { planInside } from '../plan/plan_manifest.ts'
import { partOfLabels } from '../plan/plan_part.ts'
import { liveReader, type PlanReader } from '../plan/plan_reader.ts'
import { checkEdited } from './check_edited.ts'
import { findKept, type KeptLayer, listLayers } from './find_kept.ts'
import { findUndo, nameApplies } from './later_applies.ts'
import { restoreSecrets } from './restore_secrets.ts'
import { isApplied, listApplied, writeUndoManifest } from './undo_manifest.ts'

/** What an undo may do. */
export interface UndoOptions extends Pick<PlanOptions, 'allowDelete' | 'allowLoss'> {
  /** Keys of resources whose later changes are undone too. */
  readonly overwrite: ReadonlySet<string>
  /** Whether to undo the rest if data were deleted, which cannot be restored. */
  readonly withoutData: boolean
}

/** An apply to undo. */
export interface UndoRequest {
  readonly api: Api
  /** Reads the resources; of `api`, if absent. */
  readonly reader?: PlanReader
  readonly entry: JournalEntry
  readonly options: UndoOptions
  /** Environment variables, where secrets may be that the undo has to send. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
}

/** The plan of an undo, with the state that it restores. */
export interface UndoPlan {
  readonly plan: Plan
  readonly manifest: Manifest
}

/**
 * Plans to undo an apply: deletes what it created, restores what it changed, and creates again what it deleted, with the
 * ids that it had. Data that it replaced or deleted are restored from what the server keeps. Fields and data that were changed since are errors;
 * so are data that are no longer kept, unless allowed.
 *
 * @throws {Problem} undo/nothing, http/*, auth/*
 */
export async function planUndo(request: UndoRequest): Promise<UndoPlan> {
  const { api, entry, options, signal } = request
  if (listApplied(entry).length === 0)
    throw problem('undo/nothing', `Apply ${entry.id} changed nothing.`, {
      hint:
        entry.result === null
          ? 'It is still running, or its client was lost before it changed anything.'
          : undefined,
    })
  await refuseUndone(request)
  const reader = request.reader ?? liveReader(api, signal)
  const kept = await findKept(api, entry, signal)
  return computeFromPart({
    reader,
    part: partOfUndo(entry, options),
    compute: (read) => planInPart({ ...request, reader, kept }, read),
  })
}

async function refuseUndone({ api, entry, signal }: UndoRequest): Promise<void> {
  const [change] = listApplied(entry)
  const undo = change && (await findUndo({ api, entry, signal }, change))
  if (undo === undefined) return
  throw problem('undo/nothing', `Apply ${entry.id} is already undone, by ${nameApplies([undo])}.`, {
    hint: `To apply it again, undo that: landform undo ${undo.id}.`,
  })
}

/** Returns what an undo needs in any case: the resources that the apply changed, created or deleted, and all of its manifest. */
function partOfUndo(entry: JournalEntry, { allowDelete, allowLoss }: UndoOptions): TreePart {
  const named = partOfLabels([...allowDelete, ...allowLoss])
  const own = listApplied(entry).flatMap(({ id, before = [], referrers = [] }) => [
    ...(id == null ? [] : [id]),
    ...[...before, ...referrers].map((wire) => readActual(wire as unknown as Representation).id),
  ])
  return { ...noPart, manifest: entry.manifest, ...named, ids: [...new Set([...named.ids, ...own])] }
}

interface Undoing extends UndoRequest {
  readonly reader: PlanReader
  readonly kept: ReadonlyMap<number, KeptLayer>
}

async function planInPart(
  { api, reader, entry, options, env, signal, kept }: Undoing,
  read: PartialTree,
): Promise<UndoPlan | Missing> {
  const { actual } = read
  const undone = writeUndoManifest(entry, actual, kept)
  const { created, conflicts, lateReferences, former } = undone
  const secrets = restoreSecrets({ entry, manifest: undone.manifest, actual, former, env })
  const { manifest } = secrets
  const { allowDelete, allowLoss } = options
  const take = new Set(manifest.resources.keys())
  const replace = listReplaced(entry)
  const allowed = { prune: true, fuse: 1, deletable: created, allowDelete, allowLoss, take, replace }
  const planOptions = { ...safeOptions, ...allowed }
  const plan = await planInside({ reader, manifest, options: planOptions, signal }, read)
  if (typeof plan === 'string') return plan
  const issues = [
    ...(await checkEdited({ api, reader, entry, kept, actual, manifest, conflicts, plan, options, signal })),
    ...checkReferences(entry, lateReferences, options),
    ...checkData(entry, kept, options),
    ...checkFeatures(entry, kept),
    ...checkRecords(entry),
    ...secrets.issues,
    ...reportOwners(undone.lostOwners),
    ...checkRunning(entry),
  ]
  return { plan: { ...plan, issues: [...issues, ...plan.issues.map(withoutSpan)] }, manifest }
}

/** Lists the resources that an apply replaced: the former ones are created again, with their ids. */
function listReplaced(entry: JournalEntry): Set<string> {
  return new Set(listApplied(entry).flatMap(({ action, key }) => (action === 'replace' ? [key] : [])))
}

// The journal has no lines to point at.
function withoutSpan({ span: _, ...issue }: Issue): Issue {
  return issue
}

/** Reports deleted data. */
function checkData(
  entry: JournalEntry,
  kept: ReadonlyMap<number, KeptLayer>,
  { withoutData }: UndoOptions,
): Issue[] {
  return listApplied(entry).flatMap((change) => {
    const { key, loses = [] } = change
    const isOfFiles = losesFiles(change)
    if (loses.length === 0 || (keepsAll(change, kept) && !isOfFiles)) return []
    const isOfLayers = listLayers(change).length > 0 && !isOfFiles
    const why = `which the server does not keep${isOfLayers ? ' for this account any longer' : ''}`
    const issue = fault(
      'undo/data-lost',
      `apply ${entry.id} ${describeLosses(loses)} data of "${key}", ${why}: ${loses.join(', ')}`,
      '--without-data',
    )
    return [withoutData ? ({ ...issue, severity: 'warning' } as const) : issue]
  })
}

function describeLosses(loses: readonly string[]): string {
  const changed = loses.filter(isChangedLoss).length
  if (changed === 0) return 'deleted'
  return changed === loses.length ? 'changed' : 'deleted and changed'
}

/** Tells whether the server keeps the data of all layers that a change replaced or deleted, with attachments and descriptions. */
function keepsAll(change: JournalChange, kept: ReadonlyMap<number, KeptLayer>): boolean {
  const layers = listLayers(change)
  return layers.length > 0 && layers.every(({ id }) => kept.has(id))
}

/** Warns of descriptions and attachments of features that an apply set, and that stay: the journal has only their digests. */
function checkFeatures(entry: JournalEntry, kept: ReadonlyMap<number, KeptLayer>): Issue[] {
  const keys = listApplied(entry).flatMap((change) => {
    const { action, key, digests = {} } = change
    const isSet = Object.keys(digests).some((pointer) => featurePartOf({ pointer }) !== undefined)
    const isLeft = isSet && action !== 'create' && action !== 'replace'
    return isLeft && !keepsAll(change, kept) ? [key] : []
  })
  if (keys.length === 0) return []
  const message = `descriptions and attachments of features stay as apply ${entry.id} set them: ${keys.join(', ')}`
  return [{ code: 'undo/features', message, severity: 'warning', hint: problems['undo/features'].advice }]
}

/** Tells whether a change deleted or replaced files, which are not kept. */
function losesFiles({ before = [] }: JournalChange): boolean {
  return before.some((wire) => {
    const { resource, ...members } = wire as { readonly resource?: { readonly cls?: string } }
    const cls = resource?.cls ?? ''
    return countFiles({ cls, members }) > 0
  })
}

/** Reports what lost references to deleted resources, and was changed since. */
function checkReferences(
  { id }: JournalEntry,
  late: ReadonlyMap<string, readonly string[]>,
  { overwrite }: UndoOptions,
): Issue[] {
  return [...late].flatMap(([key, names]) => {
    if (overwrite.has(key)) return []
    const message = `"${key}" was changed since apply ${id} took references from it: ${names.join(', ')}`
    return [fault('undo/edited', message, `--overwrite ${key}`)]
  })
}

/** Reports records of the catalog, users and groups. */
function checkRecords(entry: JournalEntry): Issue[] {
  const keys = listApplied(entry).flatMap(({ key, cls }) => (isCls(cls) ? [] : [key]))
  if (keys.length === 0) return []
  const message = `records of the catalog, users and groups are not restored: ${keys.join(', ')}`
  return [{ code: 'undo/records', message, severity: 'warning', hint: problems['undo/records'].advice }]
}

/** Warns of owners that the account cannot restore. */
function reportOwners(owners: ReadonlyMap<string, string>): Issue[] {
  if (owners.size === 0) return []
  const list = [...owners].map(([key, name]) => `${key} (${name.replace(/^user:/, '')})`).join(', ')
  const message = `only administrators can give resources back to their owners, which are not restored: ${list}`
  return [{ code: 'undo/owners', message, severity: 'warning', hint: problems['undo/owners'].advice }]
}

/** Warns of an apply without a result: its client was lost, or it is running. */
function checkRunning({ id, result, changes = [] }: JournalEntry): Issue[] {
  if (result !== null) return []
  const done = changes.filter(isApplied).length
  const message = `apply ${id} has no result: it is still running, or was interrupted after ${done} of ${countOf(changes.length, 'change')}`
  return [{ code: 'undo/running', message, severity: 'warning', hint: problems['undo/running'].advice }]
}

/** Creates an error that an option of `undo` allows. */
function fault(code: ProblemCode, message: string, option: string): Issue {
  return { code, message, severity: 'error', hint: `To undo the apply nevertheless, use ${option}.` }
}
