import type { Api } from '../../api/api.ts'
import type { JournalChange, JournalEntry } from '../../contract/journal.ts'
import { type ProblemCode, problem, problems } from '../../contract/problems.ts'
import { isCls } from '../../contract/registry.ts'
import type { Issue } from '../../core/issue.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { ActualTree } from '../model/actual_tree.ts'
import type { Plan } from '../model/change.ts'
import { type PlanOptions, safeOptions } from '../model/plan_input.ts'
import { planManifest, readActualTree } from '../plan/plan_manifest.ts'
import { listApplied, writeUndoManifest } from './undo_manifest.ts'

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
  readonly entry: JournalEntry
  readonly options: UndoOptions
  readonly signal?: AbortSignal | undefined
}

/** The plan of an undo, with the state that it restores. */
export interface UndoPlan {
  readonly plan: Plan
  readonly manifest: Manifest
}

/**
 * Plans to undo an apply: deletes what it created, restores what it changed, and creates again what it deleted, with new
 * ids. Resources that were changed since are errors; so are deleted data, unless allowed.
 *
 * @throws {Problem} undo/nothing, http/*, auth/*
 */
export async function planUndo({ api, entry, options, signal }: UndoRequest): Promise<UndoPlan> {
  if (listApplied(entry).length === 0)
    throw problem('undo/nothing', `Apply ${entry.id} changed nothing.`, {
      hint:
        entry.result === null
          ? 'It is still running, or its client was lost before it changed anything.'
          : undefined,
    })
  const actual = await readActualTree(api, signal)
  const { manifest, created } = writeUndoManifest(entry, actual)
  const { allowDelete, allowLoss } = options
  const planOptions = { ...safeOptions, prune: true, fuse: 1, deletable: created, allowDelete, allowLoss }
  const plan = await planManifest({ api, manifest, actual, options: planOptions, signal })
  const issues = [
    ...checkEdited(entry, actual, options),
    ...checkData(entry, options),
    ...checkRecords(entry),
  ]
  return { plan: { ...plan, issues: [...issues, ...plan.issues.map(withoutSpan)] }, manifest }
}

// The journal has no lines to point at.
function withoutSpan({ span: _, ...issue }: Issue): Issue {
  return issue
}

/** Reports resources that were changed after the apply. */
function checkEdited(entry: JournalEntry, actual: ActualTree, { overwrite }: UndoOptions): Issue[] {
  return listApplied(entry).flatMap((change) => {
    const { key, cls } = change
    const why = overwrite.has(key) || !isCls(cls) ? undefined : describeEdit(entry, change, actual)
    return why === undefined ? [] : [fault('undo/edited', why, `--overwrite ${key}`)]
  })
}

/** Says how a resource was changed after the apply; undefined if it was not. */
function describeEdit(
  { id: applyId }: JournalEntry,
  { key, id, action, version, before = [] }: JournalChange,
  actual: ActualTree,
): string | undefined {
  const there = id == null ? undefined : actual.byId.get(id)
  if (action === 'delete' || there === undefined) {
    const again = before.length === 0 ? undefined : actual.byKeyname.get(key)
    return again === undefined || again.id === id
      ? undefined
      : `"${key}" was created again since apply ${applyId}`
  }
  if (version === null)
    return `it is unknown whether "${key}" was changed since apply ${applyId}, which was not one transaction`
  if (there.version === version) return undefined
  return `"${key}" was changed since apply ${applyId}: it had version ${version}, and now has ${there.version}`
}

/** Reports deleted data. */
function checkData(entry: JournalEntry, { withoutData }: UndoOptions): Issue[] {
  return listApplied(entry).flatMap(({ key, loses = [] }) => {
    if (loses.length === 0) return []
    const issue = fault(
      'undo/data-lost',
      `apply ${entry.id} deleted data of "${key}", which cannot be restored: ${loses.join(', ')}`,
      '--without-data',
    )
    return [withoutData ? ({ ...issue, severity: 'warning' } as const) : issue]
  })
}

/** Reports records of the catalog, users and groups. */
function checkRecords(entry: JournalEntry): Issue[] {
  const keys = listApplied(entry).flatMap(({ key, cls }) => (isCls(cls) ? [] : [key]))
  if (keys.length === 0) return []
  const message = `records of the catalog, users and groups are not restored: ${keys.join(', ')}`
  return [{ code: 'undo/records', message, severity: 'warning', hint: problems['undo/records'].advice }]
}

function fault(code: ProblemCode, message: string, option: string): Issue {
  return { code, message, severity: 'error', hint: `To undo the apply nevertheless, use ${option}.` }
}
