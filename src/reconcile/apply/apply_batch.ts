import { outcomeWords } from '../../contract/bodies/journal.ts'
import type { Problem } from '../../core/problem.ts'
import type { PreparedSource } from '../../transfer/prepare_source.ts'
import { type Change, journalActionOf, type Step } from '../model/change.ts'
import type { ApplyOptions } from './apply_options.ts'
import { loadFacts, type Outcome, type Report } from './outcome.ts'
import type { BatchAnswer, FailedBatch, OperationResult } from './send_batch.ts'

/** Receiver of changes in one transaction: the tree of resources, or the catalog. */
export interface BatchTarget {
  /** Sends steps in one request. */
  send(steps: readonly Step[]): Promise<BatchAnswer>
  /** Explains the failure of a step. A record or resource that changed since planning is apply/stale. */
  explain(fault: Problem, step: Step): Promise<Problem>
  /** Explains a failure that does not concern a step. */
  explainBatch(fault: Problem): Problem
  /** Finds all stale changes with one read: the server reports only the first one. */
  findStale(changes: readonly Change[]): Promise<ReadonlyMap<Change, Problem>>
}

/** State of a running apply. */
export interface Attempt {
  readonly options: ApplyOptions
  readonly target: BatchTarget
  /** All steps in execution order. */
  readonly steps: readonly Step[]
  /** Prepared data on the server that no batch has used. */
  readonly sources: Map<Change, PreparedSource>
  /** Failures by change. */
  readonly faults: Map<Change, Problem>
}

/** Applies changes in one transaction. With `partial`, stale changes and their dependents are skipped. */
export async function applyBatch(attempt: Attempt): Promise<Report> {
  for (;;) {
    const due = listDue(attempt)
    if (due.length === 0) return reportUndone(attempt)
    const { onEvent } = attempt.options
    onEvent?.({ type: 'sending', changes: new Set(due.map(({ change }) => change)).size })
    const answer = await attempt.target.send(due)
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

/** Records the failure of a batch; returns whether a batch without the failed changes may succeed. */
async function recordFailure(
  { options, target, faults }: Attempt,
  due: readonly Step[],
  { problem }: FailedBatch,
): Promise<boolean> {
  const step = findStep(due, problem)
  if (step === undefined) return false
  const fault = await target.explain(problem, step)
  faults.set(step.change, fault)
  if (!options.partial || !isStale(fault)) return false
  const others = await target.findStale(due.map(({ change }) => change))
  for (const [change, other] of others) if (!faults.has(change)) faults.set(change, other)
  return true
}

/** Finds the step that failed: by its operation, or by the key that another request has given to a resource meanwhile. */
function findStep(due: readonly Step[], { code, data }: Problem): Step | undefined {
  if (typeof data.operation === 'number') return due[data.operation]
  if (code !== 'resource/key-taken') return undefined
  return due.find(({ kind, change }) => kind === 'write' && change.key === data.keyname)
}

function reportDone(
  { options, steps, faults, sources }: Attempt,
  due: readonly Step[],
  results: readonly OperationResult[],
): Report {
  const { plan, onEvent } = options
  const ids = new Map(due.map((step, at) => [step.change, idOf(step, results[at])] as const))
  const styleIssues = new Map(due.map((step, at) => [step.change, results[at]?.style_issues] as const))
  const left = findExcluded(steps, faults.keys())
  const outcomes = plan.changes.map((change): Outcome => {
    const because = left.get(change)
    if (because !== undefined) return excludedOutcome(change, { because, fault: faults.get(change) })
    const id = ids.get(change)
    const issues = styleIssues.get(change)
    const made = {
      ...{ change, outcome: outcomeWords[journalActionOf(change)], ...loadFacts(sources.get(change)) },
      ...(issues === undefined ? {} : { styleIssues: issues }),
    }
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

function reportUndone({ options, target, steps, faults, sources }: Attempt, answer?: FailedBatch): Report {
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
  const isOfStep = answer !== undefined && findStep(steps, answer.problem) !== undefined
  const whole = answer !== undefined && !broken && !isOfStep
  return {
    outcomes,
    interrupted: broken || (answer === undefined && signal?.aborted === true),
    atomic: true,
    ...(whole ? { problem: target.explainBatch(answer.problem) } : {}),
    ...(uncertain ? { uncertain } : {}),
  }
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
