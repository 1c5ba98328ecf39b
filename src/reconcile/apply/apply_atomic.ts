import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import { discardSource, type PreparedSource } from '../../transfer/prepare_source.ts'
import type { Change, Step } from '../model/change.ts'
import { readActualTree } from '../plan/plan_manifest.ts'
import type { ApplyOptions } from './apply_options.ts'
import { sortSteps, writeOperations } from './batch_operations.ts'
import { loadFacts, type Outcome, outcomeWords, type Report } from './outcome.ts'
import { prepareLoads } from './prepare_loads.ts'
import { type BatchAnswer, type FailedBatch, type OperationResult, sendBatch } from './send_batch.ts'
import { explainTaken } from './send_request.ts'
import { findStale, stale } from './stale.ts'

/** State of a running apply. */
interface Attempt {
  readonly options: ApplyOptions
  /** All steps in execution order. */
  readonly steps: readonly Step[]
  /** Prepared data on the server that no batch has used. */
  readonly sources: Map<Change, PreparedSource>
  /** Failures by change. */
  readonly faults: Map<Change, Problem>
}

/**
 * Applies a plan in one transaction: uploads and checks all data, then sends all changes in one request. A failure
 * rolls back everything; with `partial`, stale changes and their dependents are skipped.
 *
 * @throws {Problem} apply/failed if changes depend on each other
 */
export async function applyAtOnce(options: ApplyOptions): Promise<Report> {
  const steps = sortSteps(options.plan.steps)
  const { sources, faults } = await prepareLoads(options)
  const attempt: Attempt = { options, steps, sources: new Map(sources), faults: new Map(faults) }
  try {
    return await attemptApply(attempt)
  } finally {
    await discardAll(attempt)
  }
}

async function attemptApply(attempt: Attempt): Promise<Report> {
  for (;;) {
    const due = listDue(attempt)
    if (due.length === 0) return reportUndone(attempt)
    const answer = await send(attempt, due)
    if ('results' in answer) return reportDone(attempt, due, answer.results)
    if (!(await recordFailure(attempt, due, answer))) return reportUndone(attempt, answer)
  }
}

/** Lists the steps to send; empty if the apply cannot succeed. */
function listDue({ options, steps, faults }: Attempt): Step[] {
  const { partial = false, signal } = options
  const isRecoverable = partial && [...faults.values()].every(isStale)
  if (signal?.aborted || (faults.size > 0 && !isRecoverable)) return []
  const left = findExcluded(steps, faults.keys())
  return steps.filter(({ change }) => !left.has(change))
}

const isStale = ({ code }: Problem) => code === 'apply/stale'

function send({ options, sources }: Attempt, steps: readonly Step[]): Promise<BatchAnswer> {
  const { api, plan, breakOff, onEvent } = options
  const operations = writeOperations({ plan, steps, sources })
  onEvent?.({ type: 'sending', changes: new Set(steps.map(({ change }) => change)).size })
  return sendBatch({ api, signal: breakOff }, { operations, manifestId: plan.manifest })
}

/** Records the failure of a batch; returns whether a batch without the failed changes may succeed. */
async function recordFailure(
  attempt: Attempt,
  due: readonly Step[],
  { problem }: FailedBatch,
): Promise<boolean> {
  const { options, faults } = attempt
  const step = findStep(due, problem)
  if (step === undefined) return false
  const fault = await explain(options, problem, step)
  faults.set(step.change, fault)
  if (!options.partial || !isStale(fault)) return false
  // The server reports only the first stale change: find the others with one read of the tree.
  const tree = await readActualTree(options.api, options.signal)
  const changes = due.map(({ change }) => change)
  for (const [change, other] of findStale(changes, tree)) if (!faults.has(change)) faults.set(change, other)
  return true
}

function findStep(due: readonly Step[], { data }: Problem): Step | undefined {
  return typeof data.operation === 'number' ? due[data.operation] : undefined
}

async function explain(
  { api, partial, signal }: ApplyOptions,
  fault: Problem,
  { change }: Step,
): Promise<Problem> {
  const hint = partial === true ? undefined : 'Plan again, or skip it with --partial.'
  if (fault.code === 'resource/stale') return stale(change, 'changed', hint)
  const isGone = fault.code === 'resource/not-found' && fault.data.resource_id === change.id
  if (isGone) return stale(change, 'deleted', hint)
  return explainTaken({ api, signal }, change.key, fault)
}

function reportDone(
  { options, steps, faults, sources }: Attempt,
  due: readonly Step[],
  results: readonly OperationResult[],
): Report {
  const { plan, onEvent } = options
  const ids = new Map(due.map((step, at) => [step.change, idOf(step, results[at])] as const))
  const left = findExcluded(steps, faults.keys())
  const outcomes = plan.changes.map((change): Outcome => {
    const because = left.get(change)
    if (because !== undefined) return excludedOutcome(change, { because, fault: faults.get(change) })
    const id = ids.get(change)
    const made = { change, outcome: outcomeWords[change.action], ...loadFacts(sources.get(change)) }
    return id === undefined ? made : { ...made, id }
  })
  for (const change of ids.keys()) sources.delete(change)
  for (const outcome of outcomes) onEvent?.({ type: 'finished', outcome })
  return { outcomes, interrupted: false, atomic: true }
}

const idOf = ({ change }: Step, result: OperationResult | undefined) =>
  change.action === 'delete' ? undefined : result?.id

interface Exclusion {
  readonly because: Change | undefined
  readonly fault: Problem | undefined
}

function excludedOutcome(change: Change, { because, fault }: Exclusion): Outcome {
  if (fault !== undefined) return { change, outcome: 'failed', problem: fault }
  return { change, outcome: 'skipped', ...(because === undefined ? {} : { because: because.key }) }
}

function reportUndone({ options, faults, sources }: Attempt, answer?: FailedBatch): Report {
  const { plan, signal, onEvent } = options
  const [because] = faults.keys()
  const outcomes = plan.changes.map((change) =>
    excludedOutcome(change, { because, fault: faults.get(change) }),
  )
  for (const outcome of outcomes)
    onEvent?.({ type: outcome.outcome === 'failed' ? 'finished' : 'undone', outcome })
  const uncertain = answer?.uncertain === true
  // The batch may still be using them.
  if (uncertain) sources.clear()
  const broken = answer?.problem.code === 'pipeline/interrupted'
  const whole = answer !== undefined && !broken && typeof answer.problem.data.operation !== 'number'
  return {
    outcomes,
    interrupted: broken || (answer === undefined && signal?.aborted === true),
    atomic: true,
    ...(whole ? { problem: explainBatchFailure(answer.problem) } : {}),
    ...(uncertain ? { uncertain } : {}),
  }
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

/**
 * Finds the changes to exclude together with faulty ones: dependents, all steps of a change (a resource must not keep a
 * temporary name or be deleted without its replacement), and deletions, which require all other changes.
 *
 * @returns the faulty change by excluded change
 */
export function findExcluded(steps: readonly Step[], faulty: Iterable<Change>): Map<Change, Change> {
  const left = new Map([...faulty].map((change) => [change, change] as const))
  if (left.size === 0) return left
  const links = linkChanges(steps)
  const deletions = [...links.keys()].filter(({ action }) => action === 'delete')
  const open = [...left.keys()]
  for (let change = open.shift(); change !== undefined; change = open.shift()) {
    const because = left.get(change) ?? change
    const also = [...(links.get(change) ?? []), ...(change.action === 'delete' ? [] : deletions)]
    for (const next of also.filter((one) => !left.has(one))) {
      left.set(next, because)
      open.push(next)
    }
  }
  return left
}

/** Maps each change to the changes that depend on it. */
function linkChanges(steps: readonly Step[]): Map<Change, Set<Change>> {
  const byId = new Map(steps.map((step) => [step.id, step] as const))
  const links = new Map(steps.map(({ change }) => [change, new Set<Change>()] as const))
  for (const { change, after } of steps)
    for (const id of after) {
      const before = byId.get(id)
      if (before === undefined || before.change === change) continue
      links.get(before.change)?.add(change)
      // Descendants of a recreated resource are deleted with the old one, so they are recreated with the new one.
      if (before.kind === 'delete' && change.action === 'replace') links.get(change)?.add(before.change)
    }
  return links
}
