import PQueue from 'p-queue'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { Step } from '../model/change.ts'

/** Result of a step. */
export type StepResult =
  | { readonly state: 'done' }
  | { readonly state: 'failed'; readonly problem: Problem }
  | { readonly state: 'skipped'; readonly because?: string }

/** Options of a schedule. */
export interface ScheduleOptions {
  /** Maximum number of concurrent steps. */
  readonly concurrency: number
  /** When aborted, running steps finish and no other steps start. */
  readonly signal?: AbortSignal | undefined
  readonly run: (step: Step) => Promise<void>
  readonly onResult?: (step: Step, result: StepResult) => void
}

interface Schedule extends ScheduleOptions {
  readonly queue: PQueue
  /** Aborted by a failure after which no step can succeed. */
  readonly lost: AbortController
  readonly results: Map<string, StepResult>
  /** Dependent steps by step id. */
  readonly waiting: ReadonlyMap<string, readonly Step[]>
  readonly open: Map<string, number>
}

/**
 * Runs steps concurrently in order of dependencies, the last phase after all others. A failure skips only its dependents
 * and the last phase; if the server cannot be reached, no other steps start.
 */
export async function runSteps(
  steps: readonly Step[],
  options: ScheduleOptions,
): Promise<Map<string, StepResult>> {
  const results = new Map<string, StepResult>()
  const lost = new AbortController()
  for (const phase of ['first', 'last'] as const) {
    const blocked = [...results].find(([, { state }]) => state !== 'done')
    const due = steps.filter((step) => step.phase === phase)
    if (phase === 'last' && blocked !== undefined) {
      const because = lost.signal.aborted ? {} : { because: blocked[0] }
      for (const step of due) settle({ results, ...options }, step, { state: 'skipped', ...because })
    } else await runPhase(due, results, { ...options, lost })
  }
  return results
}

async function runPhase(
  steps: readonly Step[],
  results: Map<string, StepResult>,
  { lost, ...options }: ScheduleOptions & Pick<Schedule, 'lost'>,
): Promise<void> {
  const here = new Set(steps.map(({ id }) => id))
  const waiting = new Map<string, Step[]>()
  const open = new Map<string, number>()
  for (const step of steps) {
    const before = step.after.filter((id) => here.has(id))
    open.set(step.id, before.length)
    for (const id of before) waiting.set(id, [...(waiting.get(id) ?? []), step])
  }
  const queue = new PQueue({ concurrency: options.concurrency })
  const schedule: Schedule = { ...options, queue, lost, results, waiting, open }
  for (const step of steps) if (open.get(step.id) === 0) start(schedule, step)
  await queue.onIdle()
  for (const step of steps) if (!results.has(step.id)) settle(schedule, step, { state: 'skipped' })
}

function start(schedule: Schedule, step: Step): void {
  void schedule.queue.add(async () => {
    if (schedule.signal?.aborted || schedule.lost.signal.aborted) return
    const result = await attempt(schedule, step)
    settle(schedule, step, result)
    if (result.state === 'failed' && isServerLost(result.problem)) schedule.lost.abort()
    else if (result.state === 'done') release(schedule, step)
    else skipAfter(schedule, step, step.id)
  })
}

async function attempt({ run }: Schedule, step: Step): Promise<StepResult> {
  try {
    await run(step)
    return { state: 'done' }
  } catch (error) {
    if (isProblem(error, 'pipeline/interrupted')) return { state: 'skipped' }
    return { state: 'failed', problem: asProblem(error) }
  }
}

/** Tells whether a request, after its retries, could not reach the server: others could not either. */
export function isServerLost({ code, data }: Problem): boolean {
  return code === 'http/unreachable' && data.sent === false
}

/** Converts an error to a Problem. */
export function asProblem(error: unknown): Problem {
  if (isProblem(error)) return error
  return problem('apply/failed', error instanceof Error ? error.message : String(error), { cause: error })
}

function release(schedule: Schedule, step: Step): void {
  for (const next of schedule.waiting.get(step.id) ?? []) {
    const left = (schedule.open.get(next.id) ?? 1) - 1
    schedule.open.set(next.id, left)
    if (left === 0 && !schedule.results.has(next.id)) start(schedule, next)
  }
}

function skipAfter(schedule: Schedule, step: Step, because: string): void {
  for (const next of schedule.waiting.get(step.id) ?? []) {
    if (schedule.results.has(next.id)) continue
    settle(schedule, next, { state: 'skipped', because })
    skipAfter(schedule, next, because)
  }
}

function settle(
  { results, onResult }: Pick<Schedule, 'results' | 'onResult'>,
  step: Step,
  result: StepResult,
): void {
  results.set(step.id, result)
  onResult?.(step, result)
}
