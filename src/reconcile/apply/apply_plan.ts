import type { Api } from '../../api/api.ts'
import { supportsRoute } from '../../api/detect_server.ts'
import { problem } from '../../contract/problems.ts'
import { hasErrors } from '../../core/issue.ts'
import { applyCatalog } from '../catalog/apply_catalog.ts'
import type { Change, Plan } from '../model/change.ts'
import { applyPrincipals, isPrincipal } from '../principals/apply_principals.ts'
import { applyAtOnce } from './apply_atomic.ts'
import type { ApplyOptions } from './apply_options.ts'
import { applyByLevel } from './apply_stepwise.ts'
import { joinReports, skipAll } from './join_reports.ts'
import { keepJournal } from './keep_journal.ts'
import type { Report } from './outcome.ts'

/**
 * Applies a plan. Users and groups come first, a request each: rules name them. Then come the records of the catalog, in one
 * transaction: base maps name geoservices. If they succeed, the resources follow: in one transaction if the server supports batches, else request by request, where a failure skips
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
  const accounts = plan.changes.filter(isPrincipal)
  if (accounts.length === 0) return applyCatalogFirst(options)
  const { report: first, principals } = await applyPrincipals({
    ...options,
    plan: { ...plan, changes: accounts },
  })
  const changes = plan.changes.filter((change) => !isPrincipal(change))
  if (changes.length === 0) return first
  const created = new Set([...principals.keys()].filter((name) => !plan.principals.has(name)))
  const rest = { ...options, plan: { ...plan, changes, principals, created } }
  return joinReports(
    first,
    mayContinue(first, options) ? await applyCatalogFirst(rest) : skipAll(rest, first),
  )
}

async function applyCatalogFirst(options: ApplyOptions): Promise<Report> {
  const { plan } = options
  const isRecord = ({ record }: Change) => record !== undefined
  const records = plan.changes.filter(isRecord)
  if (records.length === 0) return applyResources(options)
  const resources = plan.changes.filter((change) => !isRecord(change))
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
