import type { Api } from '../../api/api.ts'
import { supportsRoute } from '../../api/detect_server.ts'
import { problem } from '../../contract/problems.ts'
import { hasErrors } from '../../core/issue.ts'
import type { Problem } from '../../core/problem.ts'
import { discardSource } from '../../transfer/prepare_source.ts'
import { applyCatalog } from '../catalog/apply_catalog.ts'
import type { Change, Plan, Step } from '../model/change.ts'
import { computeFromPart } from '../plan/compute_from_part.ts'
import { noPart } from '../plan/partial_tree.ts'
import { liveReader } from '../plan/plan_reader.ts'
import { applyPrincipals, isPrincipal } from '../principals/apply_principals.ts'
import { type Attempt, applyBatch, type BatchTarget } from './apply_batch.ts'
import type { ApplyOptions } from './apply_options.ts'
import { applyByLevel } from './apply_stepwise.ts'
import { type OperationsInput, sortSteps, writeOperations } from './batch_operations.ts'
import { joinReports, skipAll } from './join_reports.ts'
import { keepJournal } from './keep_journal.ts'
import type { Report } from './outcome.ts'
import { prepareLoads } from './prepare_loads.ts'
import { sendBatch } from './send_batch.ts'
import { explainTaken } from './send_request.ts'
import { explainStale, findStale, stale, staleHint } from './stale.ts'

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

/**
 * Applies the changes to resources in one transaction: uploads and checks all data, then sends all changes in one
 * request. A failure rolls back everything; with `partial`, stale changes and their dependents are skipped.
 *
 * @throws {Problem} apply/failed if changes depend on each other
 */
async function applyAtOnce(options: ApplyOptions): Promise<Report> {
  const steps = sortSteps(options.plan.steps)
  const prepared = await prepareLoads(options)
  const sources = new Map(prepared.sources)
  const target = resourceTarget(options, { sources, uploads: prepared.uploads })
  const attempt: Attempt = { options, target, steps, sources, faults: new Map(prepared.faults) }
  try {
    return await applyBatch(attempt)
  } finally {
    await discardAll(attempt)
  }
}

function resourceTarget(
  options: ApplyOptions,
  { sources, uploads }: Pick<OperationsInput, 'sources' | 'uploads'>,
): BatchTarget {
  const { api, plan, journal, breakOff, signal } = options
  return {
    send: (steps) =>
      sendBatch(
        { api, signal: breakOff },
        {
          operations: writeOperations({ plan, steps, sources, uploads }),
          manifestId: plan.manifest,
          journal,
        },
      ),
    explain: (fault, step) => explain(options, fault, step),
    explainBatch: explainBatchFailure,
    findStale: (changes) =>
      computeFromPart({
        reader: liveReader(api, signal),
        part: { ...noPart, ids: changes.flatMap(({ id }) => id ?? []) },
        compute: async ({ actual }) => findStale(changes, actual),
      }),
  }
}

async function explain(
  { api, partial, signal }: ApplyOptions,
  fault: Problem,
  { change }: Step,
): Promise<Problem> {
  const hint = staleHint(partial)
  if (fault.code === 'resource/stale') return explainStale(api, change, { fault, hint, signal })
  const isGone = fault.code === 'resource/not-found' && fault.data.resource_id === change.id
  if (isGone) return stale(change, 'deleted', hint)
  return explainTaken({ api, signal }, change.key, fault)
}

function explainBatchFailure(fault: Problem): Problem {
  const { data, code, message } = fault
  if (code === 'request/too-large') {
    return problem(code, 'The changes are too large for one request.', {
      hint: 'Send them one by one with --no-atomic, or raise the request limit of the server.',
      data,
    })
  }
  if (code !== 'access/denied') return fault
  return problem(code, message, { hint: 'Sign in, or send the changes one by one with --no-atomic.', data })
}

/** Discards prepared data that no batch has used. The server discards the rest after a day. */
async function discardAll({ options, sources }: Attempt): Promise<void> {
  const { api, breakOff } = options
  const discarded = [...sources.values()].map(({ token }) => discardSource(api, token, breakOff))
  await Promise.allSettled(discarded)
}
