import type { Api } from '../../api/api.ts'
import { supportsRoute } from '../../api/detect_server.ts'
import { problem } from '../../contract/problems.ts'
import { hasErrors } from '../../core/issue.ts'
import { applyCatalog } from '../catalog/apply_catalog.ts'
import type { Plan } from '../model/change.ts'
import { applyAtOnce } from './apply_atomic.ts'
import type { ApplyOptions } from './apply_options.ts'
import { applyByLevel } from './apply_stepwise.ts'
import { keepJournal } from './keep_journal.ts'
import type { Outcome, Report } from './outcome.ts'

/**
 * Applies a plan. The records of the catalog come first, in one transaction: base maps name geoservices. If they succeed,
 * the resources follow: in one transaction if the server supports batches, else request by request, where a failure skips
 * only its dependents. Other failures are in the report.
 *
 * @throws {Problem} apply/failed if the plan has errors
 */
export async function applyPlan(options: ApplyOptions): Promise<Report> {
  const { plan } = options
  if (hasErrors(plan.issues)) {
    throw problem('apply/failed', 'Cannot apply a plan with errors.', { issues: plan.issues })
  }
  return keepJournal(options, applyAll)
}

async function applyAll(options: ApplyOptions): Promise<Report> {
  const { plan } = options
  const records = plan.changes.filter(({ record }) => record !== undefined)
  if (records.length === 0) return applyResources(options)
  const resources = plan.changes.filter(({ record }) => record === undefined)
  const first = await applyCatalog({ ...options, plan: { ...plan, changes: records } })
  if (resources.length === 0) return first
  const rest = { ...options, plan: { ...plan, changes: resources } }
  return joinReports(first, mayContinue(first, options) ? await applyResources(rest) : skipAll(rest, first))
}

async function applyResources(options: ApplyOptions): Promise<Report> {
  const { plan, api, atomic = true, signal } = options
  return atomic && (await supportsBatches(api, plan, signal)) ? applyAtOnce(options) : applyByLevel(options)
}

// Only if the tree was read from landform: a proxy may forward some of its routes and not others.
async function supportsBatches(api: Api, plan: Plan, signal: AbortSignal | undefined): Promise<boolean> {
  return plan.landform !== undefined && plan.steps.length > 0 && supportsRoute(api, 'resource.batch', signal)
}

/** Reports whether the records were applied, apart from stale ones that were skipped on request. */
function mayContinue({ outcomes, interrupted }: Report, { partial = false }: ApplyOptions): boolean {
  const undone = outcomes.filter(({ outcome }) => outcome === 'failed' || outcome === 'skipped')
  if (interrupted || undone.length === 0) return !interrupted
  const failed = undone.filter(({ outcome }) => outcome === 'failed')
  return partial && failed.length > 0 && failed.every(({ problem }) => problem?.code === 'apply/stale')
}

function skipAll({ plan, onEvent }: ApplyOptions, { outcomes }: Report): Report {
  const because = outcomes.find(({ outcome }) => outcome === 'failed')?.change.key
  const skipped = plan.changes.map((change): Outcome => {
    return { change, outcome: 'skipped', ...(because === undefined ? {} : { because }) }
  })
  for (const outcome of skipped) onEvent?.({ type: 'undone', outcome })
  return { outcomes: skipped, interrupted: false, atomic: true }
}

function joinReports(first: Report, second: Report): Report {
  return {
    ...first,
    ...second,
    outcomes: [...first.outcomes, ...second.outcomes],
    interrupted: first.interrupted || second.interrupted,
    atomic: first.atomic && second.atomic,
  }
}
