import type { Api } from '../../api/api.ts'
import { supportsRoute } from '../../api/detect_server.ts'
import { problem } from '../../contract/problems.ts'
import { hasErrors } from '../../core/issue.ts'
import type { Plan } from '../model/change.ts'
import { applyAtOnce } from './apply_atomic.ts'
import type { ApplyOptions } from './apply_options.ts'
import { applyByLevel } from './apply_stepwise.ts'
import type { Report } from './outcome.ts'

/**
 * Does what a plan says: in one transaction where the server supportsRoute that, so that all of it is done or nothing; else
 * request by request, where a failure keeps only what depends on it from being tried.
 *
 * @throws {Problem} apply/failed where the plan has errors; what fails on the way stands in the report
 */
export async function applyPlan(options: ApplyOptions): Promise<Report> {
  const { plan, api, atomic = true, signal } = options
  if (hasErrors(plan.issues)) {
    throw problem('apply/failed', 'The plan has errors, so nothing was done.', { issues: plan.issues })
  }
  return atomic && (await takesBatches(api, plan, signal)) ? applyAtOnce(options) : applyByLevel(options)
}

// Asked only where our own tree was read: whatever stands between may know the one of our routes and not the other.
async function takesBatches(api: Api, plan: Plan, signal: AbortSignal | undefined): Promise<boolean> {
  return plan.landform !== undefined && plan.steps.length > 0 && supportsRoute(api, 'resource.batch', signal)
}
