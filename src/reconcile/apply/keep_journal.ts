import { isJournalRefused } from '../../api/journal_refusal.ts'
import type { ApplyResult, NewJournalEntry } from '../../contract/bodies/journal.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { Change } from '../model/change.ts'
import type { ApplyOptions } from './apply_options.ts'
import { describeChanges } from './journal_changes.ts'
import type { Report } from './outcome.ts'

/** What became of the entry of an apply. */
type Begun = { readonly id: number } | { readonly fault: Problem } | undefined

/**
 * Applies a plan and keeps the journal of the server: who applied what, and the result. The transaction of a batch
 * completes its entry, that of a request records its change; other results are sent afterwards. Servers without a journal, and guests, apply without. A fault of
 * the journal is in the report and does not fail the apply.
 */
export async function keepJournal(
  options: ApplyOptions,
  apply: (options: ApplyOptions) => Promise<Report>,
): Promise<Report> {
  const begun = options.plan.changes.length === 0 ? undefined : await begin(options)
  if (begun === undefined) return apply(options)
  if ('fault' in begun) return { ...(await apply(options)), journalFault: begun.fault }
  const places = new Map(options.plan.changes.map((change, at) => [change, at] as const))
  const report = await apply({ ...options, journal: begun.id, places })
  return isComplete(options, report) ? report : finish(options, begun.id, report)
}

async function begin({ api, plan, commit, undoes, signal }: ApplyOptions): Promise<Begun> {
  if (plan.landform === undefined) return undefined
  const body: NewJournalEntry = {
    manifest: plan.manifest,
    plan: plan.fingerprint,
    ...(commit === undefined ? {} : { commit }),
    ...(undoes === undefined ? {} : { undoes }),
    changes: describeChanges(plan),
  }
  try {
    return await api.call('journal.begin', { body, signal })
  } catch (error) {
    if (!isProblem(error)) throw error
    return isJournalRefused(error) ? undefined : { fault: error }
  }
}

/** Whether the batch has completed the entry, or it is unknown what became of the batch. */
function isComplete({ plan }: ApplyOptions, report: Report): boolean {
  if (report.uncertain) return true
  return (
    report.atomic && plan.steps.length > 0 && plan.changes.every(isResource) && resultOf(report) === 'applied'
  )
}

const isResource = ({ record }: Change) => record === undefined

async function finish({ api, plan, breakOff }: ApplyOptions, id: number, report: Report): Promise<Report> {
  const outcomes = new Map(report.outcomes.map((outcome) => [outcome.change, outcome] as const))
  const body = {
    result: resultOf(report),
    outcomes: plan.changes.map((change) => {
      const { outcome = 'skipped', id: resource } = outcomes.get(change) ?? {}
      return { outcome, ...(resource === undefined || !isResource(change) ? {} : { id: resource }) }
    }),
  }
  try {
    await api.call('journal.finish', { params: { id }, body, signal: breakOff })
    return report
  } catch (error) {
    if (isProblem(error)) return { ...report, journalFault: error }
    throw error
  }
}

function resultOf({ outcomes, interrupted }: Report): ApplyResult {
  const done = outcomes.filter(({ outcome }) => outcome !== 'failed' && outcome !== 'skipped').length
  if (done === outcomes.length) return 'applied'
  if (done > 0) return 'partial'
  return interrupted ? 'interrupted' : 'failed'
}
