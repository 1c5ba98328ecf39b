import type { ApplyOptions } from './apply_options.ts'
import type { Outcome, Report } from './outcome.ts'

/** Skips all changes of a plan because of the failure of earlier ones. */
export function skipAll(
  { plan, onEvent }: Pick<ApplyOptions, 'plan' | 'onEvent'>,
  { outcomes }: Pick<Report, 'outcomes'>,
): Report {
  const because = outcomes.find(({ outcome }) => outcome === 'failed')?.change.key
  const skipped = plan.changes.map((change): Outcome => {
    return { change, outcome: 'skipped', ...(because === undefined ? {} : { because }) }
  })
  for (const outcome of skipped) onEvent?.({ type: 'undone', outcome })
  return { outcomes: skipped, interrupted: false, atomic: true }
}

/** Joins the reports of two parts of a plan. */
export function joinReports(first: Report, second: Report): Report {
  return {
    ...first,
    ...second,
    outcomes: [...first.outcomes, ...second.outcomes],
    interrupted: first.interrupted || second.interrupted,
    atomic: first.atomic && second.atomic,
  }
}
