import { randomUUID } from 'node:crypto'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import { loadTimeoutMs } from '../../transfer/prepare_source.ts'
import { isRetryable, maxAttempts, waitToRetry } from '../../transfer/retry_request.ts'
import type { ActualTree } from '../model/actual_tree.ts'
import { readActualTree } from '../plan/plan_manifest.ts'
import type { Operation } from './batch_operations.ts'
import { isAmbiguous, type SendOptions } from './send_request.ts'

/** All operations of an apply, and whose they are. */
export interface Batch {
  readonly manifestId: string
  readonly operations: readonly Operation[]
}

/** What became of one operation. */
export interface OperationResult {
  readonly id: number
}

/** A batch that was not done, as far as is known. */
export interface FailedBatch {
  readonly problem: Problem
  /** The answer was lost: all was done, or nothing. */
  readonly uncertain: boolean
}

/** What became of a batch. */
export type BatchAnswer = { readonly results: readonly OperationResult[] } | FailedBatch

/**
 * Sends a batch once: after a failure that leaves open whether it was done, looks before trying again. Every operation
 * carries a new key or an old version, so that the server would refuse a second time.
 */
export async function sendBatch(options: SendOptions, batch: Batch): Promise<BatchAnswer> {
  const key = randomUUID()
  let wasLost = false
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(options, batch, key)
    } catch (error) {
      if (!isProblem(error)) throw error
      const isLost = isAmbiguous(error) || isProblem(error, 'pipeline/interrupted')
      wasLost ||= isLost
      const results = wasLost ? await lookForResults(options, batch) : 'none'
      if (typeof results === 'object') return { results }
      if (attempt === maxAttempts || !isRetryable(error) || !(await waits(attempt, options)))
        return { problem: error, uncertain: isLost || results === 'unknown' }
    }
  }
}

async function send({ api, signal }: SendOptions, { operations }: Batch, key: string): Promise<BatchAnswer> {
  const body = { operations: [...operations] }
  try {
    return await api.call('resource.batch', { body, key, signal, timeoutMs: loadTimeoutMs })
  } catch (error) {
    // No text can be that long.
    if (!(error instanceof RangeError)) throw error
    throw problem('request/too-large', 'The changes are larger than any request.', { cause: error })
  }
}

/** Waits for the next attempt; false where somebody does not want to. */
async function waits(attempt: number, { signal }: SendOptions): Promise<boolean> {
  try {
    await waitToRetry(attempt, signal)
    return true
  } catch (error) {
    if (isProblem(error, 'pipeline/interrupted')) return false
    throw error
  }
}

async function lookForResults(
  { api, signal }: SendOptions,
  batch: Batch,
): Promise<OperationResult[] | 'none' | 'unknown'> {
  try {
    return findResults(batch, await readActualTree(api, signal)) ?? 'none'
  } catch (error) {
    if (isProblem(error)) return 'unknown'
    throw error
  }
}

/** Finds in the tree what became of a batch whose answer was lost; undefined where it was not done. */
export function findResults(
  { operations, manifestId }: Batch,
  { byId, byKeyname }: Pick<ActualTree, 'byId' | 'byKeyname'>,
): OperationResult[] | undefined {
  const deleted = new Set(operations.flatMap((one) => (one.op === 'delete' ? [one.id] : [])))
  const isDone = (operation: Operation) => {
    if (operation.op === 'create') return byKeyname.get(operation.name)?.manager === manifestId
    const { id, if_version: version } = operation
    const there = byId.get(id)
    if (there === undefined || deleted.has(id)) return there === undefined && deleted.has(id)
    return version === undefined || (there.version ?? 0) > version
  }
  if (!operations.every(isDone)) return undefined
  return operations.map((one) => ({ id: one.op === 'create' ? (byKeyname.get(one.name)?.id ?? 0) : one.id }))
}
