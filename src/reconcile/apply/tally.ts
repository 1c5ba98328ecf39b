import { outcomeWords } from '../../contract/bodies/journal.ts'
import type { WireStyleIssue } from '../../contract/bodies/style_issue.ts'
import type { PreparedSource } from '../../transfer/prepare_source.ts'
import { type Change, journalActionOf, type Plan, type Step } from '../model/change.ts'
import { type ApplyEvent, loadFacts, type Outcome } from './outcome.ts'
import type { StepResult } from './schedule_steps.ts'

/** Options of a tally. */
export interface TallyOptions {
  readonly plan: Plan
  /** Ids by key, including created resources. */
  readonly ids: ReadonlyMap<string, number>
  /** Prepared data by change. */
  readonly sources: ReadonlyMap<Change, PreparedSource>
  /** Issues of written styles by change. */
  readonly styleIssues: ReadonlyMap<Change, readonly WireStyleIssue[]>
  readonly onEvent?: ((event: ApplyEvent) => void) | undefined
}

/** Combines the results of steps into outcomes of changes. */
export class Tally {
  readonly #options: TallyOptions
  readonly #open = new Map<Change, number>()
  readonly #started = new Set<Change>()
  readonly #outcomes = new Map<Change, Outcome>()

  constructor(options: TallyOptions) {
    this.#options = options
    for (const { change } of options.plan.steps) this.#open.set(change, (this.#open.get(change) ?? 0) + 1)
  }

  /** Reports the start of a change. */
  start({ change }: Step): void {
    if (this.#started.has(change)) return
    this.#started.add(change)
    this.#options.onEvent?.({ type: 'started', change })
  }

  /** Adds the result of a step; a change is done when all its steps are. */
  add({ change }: Step, result: StepResult): void {
    const left = (this.#open.get(change) ?? 1) - 1
    this.#open.set(change, left)
    if (this.#outcomes.has(change)) return
    if (result.state === 'failed') this.#finish({ change, outcome: 'failed', problem: result.problem })
    else if (result.state === 'skipped') this.#finish({ change, outcome: 'skipped', ...becauseOf(result) })
    else if (left === 0)
      this.#finish({ change, outcome: outcomeWords[journalActionOf(change)], ...this.#factsOf(change) })
  }

  /** Returns the outcomes in the order of the plan. */
  outcomes(): Outcome[] {
    const { changes } = this.#options.plan
    return changes.map((change) => this.#outcomes.get(change) ?? { change, outcome: 'skipped' })
  }

  #finish(outcome: Outcome): void {
    this.#outcomes.set(outcome.change, outcome)
    this.#options.onEvent?.({ type: 'finished', outcome })
  }

  #factsOf(change: Change): Pick<Outcome, 'id' | 'report' | 'before' | 'difference' | 'styleIssues'> {
    const { ids, sources, styleIssues } = this.#options
    const id = change.action === 'delete' ? undefined : ids.get(change.key)
    const issues = styleIssues.get(change)
    return {
      ...(id === undefined ? {} : { id }),
      ...loadFacts(sources.get(change)),
      ...(issues === undefined ? {} : { styleIssues: issues }),
    }
  }
}

function becauseOf({ because }: { readonly because?: string }): { because?: string } {
  return because === undefined ? {} : { because: because.slice(because.indexOf(':') + 1) }
}
