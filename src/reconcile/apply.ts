import type { Api } from '../api/api.ts'
import { problem } from '../contract/problems.ts'
import { hasErrors } from '../core/issue.ts'
import type { Problem } from '../core/problem.ts'
import type { Action, Change, Plan, Step } from './change.ts'
import { type Doing, doStep } from './do-step.ts'
import { runSteps, type StepResult } from './schedule.ts'

/** What was done about one change. */
export type OutcomeWord =
  | 'created'
  | 'adopted'
  | 'updated'
  | 'moved'
  | 'replaced'
  | 'deleted'
  | 'failed'
  | 'skipped'

/** One change and what became of it. */
export interface Outcome {
  readonly change: Change
  readonly outcome: OutcomeWord
  /** Id on the server, where there is one now. */
  readonly id?: number
  /** Why it failed. */
  readonly problem?: Problem
  /** Key of the change whose failure kept it from being tried. */
  readonly because?: string
}

/** What an apply did, failed at and did not try. */
export interface Report {
  readonly outcomes: readonly Outcome[]
  readonly interrupted: boolean
}

/** What happens during an apply. */
export type ApplyEvent =
  | { readonly type: 'started'; readonly change: Change }
  | {
      readonly type: 'uploading'
      readonly change: Change
      readonly sentBytes: number
      readonly sizeBytes: number
    }
  | { readonly type: 'finished'; readonly outcome: Outcome }

/** How a plan is applied. */
export interface ApplyOptions {
  readonly api: Api
  readonly plan: Plan
  /** Most requests at once. */
  readonly concurrency?: number
  /** Once aborted, running changes finish and no further ones start. */
  readonly signal?: AbortSignal | undefined
  /** Once aborted, running requests are broken off too. */
  readonly breakOff?: AbortSignal | undefined
  readonly onEvent?: (event: ApplyEvent) => void
}

/**
 * Does what a plan says: each change as soon as what it needs is there, several at once. A failure keeps what depends
 * on it from being tried, and nothing else. Run again with a new plan, it goes on where it stopped.
 *
 * @throws {Problem} apply/stale where the plan has errors; what fails on the way stands in the report
 */
export async function applyPlan(options: ApplyOptions): Promise<Report> {
  const { plan, api, concurrency = 8, signal, breakOff, onEvent } = options
  if (hasErrors(plan.issues)) {
    throw problem('apply/failed', 'The plan has errors, so nothing was done.', { issues: plan.issues })
  }
  const doing: Doing = {
    api,
    plan,
    ids: new Map(plan.ids),
    renamed: new Set(plan.steps.filter(({ kind }) => kind === 'rename').map(({ change }) => change.key)),
    signal: breakOff,
    onUpload: (change, sentBytes, sizeBytes) =>
      onEvent?.({ type: 'uploading', change, sentBytes, sizeBytes }),
  }
  const tally = new Tally(plan, doing, onEvent)
  const results = await runSteps(plan.steps, {
    concurrency,
    signal,
    run: async (step) => {
      tally.start(step)
      await doStep(doing, step)
    },
    onResult: (step, result) => tally.add(step, result),
  })
  const interrupted =
    signal?.aborted === true && [...results.values()].some(({ state }) => state === 'skipped')
  return { outcomes: tally.outcomes(), interrupted }
}

/** What an action is called once it is done. */
export const outcomeWords: Readonly<Record<Action, OutcomeWord>> = {
  create: 'created',
  adopt: 'adopted',
  update: 'updated',
  move: 'moved',
  replace: 'replaced',
  delete: 'deleted',
}

/** Puts the results of steps together into outcomes of changes. */
class Tally {
  readonly #plan: Plan
  readonly #doing: Doing
  readonly #onEvent: ApplyOptions['onEvent']
  readonly #open = new Map<Change, number>()
  readonly #started = new Set<Change>()
  readonly #outcomes = new Map<Change, Outcome>()

  constructor(plan: Plan, doing: Doing, onEvent: ApplyOptions['onEvent']) {
    this.#plan = plan
    this.#doing = doing
    this.#onEvent = onEvent
    for (const { change } of plan.steps) this.#open.set(change, (this.#open.get(change) ?? 0) + 1)
  }

  start({ change }: Step): void {
    if (this.#started.has(change)) return
    this.#started.add(change)
    this.#onEvent?.({ type: 'started', change })
  }

  add({ change }: Step, result: StepResult): void {
    const left = (this.#open.get(change) ?? 1) - 1
    this.#open.set(change, left)
    if (this.#outcomes.has(change)) return
    if (result.state === 'failed') this.#finish({ change, outcome: 'failed', problem: result.problem })
    else if (result.state === 'skipped') this.#finish({ change, outcome: 'skipped', ...becauseOf(result) })
    else if (left === 0) this.#finish({ change, outcome: outcomeWords[change.action], ...this.#idOf(change) })
  }

  outcomes(): Outcome[] {
    return this.#plan.changes.map((change) => this.#outcomes.get(change) ?? { change, outcome: 'skipped' })
  }

  #finish(outcome: Outcome): void {
    this.#outcomes.set(outcome.change, outcome)
    this.#onEvent?.({ type: 'finished', outcome })
  }

  #idOf({ key, action }: Change): { id?: number } {
    const id = action === 'delete' ? undefined : this.#doing.ids.get(key)
    return id === undefined ? {} : { id }
  }
}

function becauseOf({ because }: { readonly because?: string }): { because?: string } {
  return because === undefined ? {} : { because: because.slice(because.indexOf(':') + 1) }
}
