import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import { discardSource } from '../../transfer/prepare_source.ts'
import type { Step } from '../model/change.ts'
import { readActualTree } from '../plan/plan_manifest.ts'
import { type Attempt, applyBatch, type BatchTarget } from './apply_batch.ts'
import type { ApplyOptions } from './apply_options.ts'
import { type OperationsInput, sortSteps, writeOperations } from './batch_operations.ts'
import type { Report } from './outcome.ts'
import { prepareLoads } from './prepare_loads.ts'
import { sendBatch } from './send_batch.ts'
import { explainTaken } from './send_request.ts'
import { explainStale, findStale, stale, staleHint } from './stale.ts'

/**
 * Applies the changes to resources in one transaction: uploads and checks all data, then sends all changes in one
 * request. A failure rolls back everything; with `partial`, stale changes and their dependents are skipped.
 *
 * @throws {Problem} apply/failed if changes depend on each other
 */
export async function applyAtOnce(options: ApplyOptions): Promise<Report> {
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
    findStale: async (changes) => findStale(changes, await readActualTree(api, signal)),
  }
}

async function explain(
  { api, partial, signal }: ApplyOptions,
  fault: Problem,
  { change }: Step,
): Promise<Problem> {
  const hint = staleHint(partial)
  if (fault.code === 'resource/stale') return explainStale(api, change, { hint, signal })
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
