import { offers } from '../../api/server.ts'
import type { ApplyOptions } from './apply_options.ts'
import type { Report } from './outcome.ts'
import { listRenamed } from './request_body.ts'
import { type Doing, doStep } from './run_step.ts'
import { runSteps } from './schedule_steps.ts'
import { Tally } from './tally.ts'

/**
 * Does a plan request by request: each change as soon as what it needs is there, several at once. A failure keeps what
 * depends on it from being tried, and nothing else. Run again with a new plan, it goes on where it stopped.
 */
export async function applyByLevel(options: ApplyOptions): Promise<Report> {
  const { plan, api, concurrency = 8, signal, breakOff, onEvent } = options
  const doing: Doing = {
    api,
    plan,
    ids: new Map(plan.ids),
    renamed: listRenamed(plan),
    prepares: plan.landform !== undefined && (await offers(api, 'source.prepare', signal)),
    sources: new Map(),
    signal: breakOff,
    onEvent,
  }
  const tally = new Tally({ plan, ids: doing.ids, sources: doing.sources, onEvent })
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
  return { outcomes: tally.outcomes(), interrupted, atomic: false }
}
