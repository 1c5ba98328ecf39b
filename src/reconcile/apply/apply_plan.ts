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
 * Applies a plan: in one transaction if the server supports batches, else request by request, where a failure skips
 * only its dependents. Other failures are in the report.
 *
 * @throws {Problem} apply/failed if the plan has errors
 */
export async function applyPlan(options: ApplyOptions): Promise<Report> {
  const { plan, api, atomic = true, signal } = options
  if (hasErrors(plan.issues)) {
    throw problem('apply/failed', 'Cannot apply a plan with errors.', { issues: plan.issues })
  }
  return atomic && (await supportsBatches(api, plan, signal)) ? applyAtOnce(options) : applyByLevel(options)
}

// Only if the tree was read from landform: a proxy may forward some of its routes and not others.
async function supportsBatches(api: Api, plan: Plan, signal: AbortSignal | undefined): Promise<boolean> {
  return plan.landform !== undefined && plan.steps.length > 0 && supportsRoute(api, 'resource.batch', signal)
}
