import { randomUUID } from 'node:crypto'
import type { TreePart } from '../../api/read_tree.ts'
import type { WireStyleIssue } from '../../contract/bodies/style_issue.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import { loadTimeoutMs } from '../../transfer/prepare_source.ts'
import { isRetryable, maxAttempts, waitToRetry } from '../../transfer/retry_request.ts'
import type { ActualTree } from '../model/actual_tree.ts'
import { computeFromPart } from '../plan/compute_from_part.ts'
import { noPart } from '../plan/partial_tree.ts'
import { liveReader } from '../plan/plan_reader.ts'
import type { Operation } from './batch_operations.ts'
import { isAmbiguous, type SendOptions } from './send_request.ts'

/** All operations of an apply. */
export interface Batch {
  readonly manifestId: string
  readonly operations: readonly Operation[]
  /** Entry of the journal that the batch completes. */
  readonly journal?: number | undefined
}

/** Result of an operation. */
export interface OperationResult {
  readonly id: number
  /** Issues of the style that the operation wrote. */
  readonly style_issues?: readonly WireStyleIssue[]
}

/** A failed batch. */
export interface FailedBatch {
  readonly problem: Problem
  /** The response was lost: either all operations were applied or none. */
  readonly uncertain: boolean
}

/** Result of a batch. */
export type BatchAnswer = { readonly results: readonly OperationResult[] } | FailedBatch

/** Sends a batch of resources exactly once. */
export function sendBatch(options: SendOptions, batch: Batch): Promise<BatchAnswer> {
  const { api, signal } = options
  const { journal } = batch
  const body = { operations: [...batch.operations], ...(journal === undefined ? {} : { journal }) }
  return sendOnce({
    signal,
    send: (key) => api.call('resource.batch', { body, key, signal, timeoutMs: loadTimeoutMs }),
    findResults: async () => {
      const { results } = await computeFromPart({
        reader: liveReader(api, signal),
        part: partOfBatch(batch),
        compute: async ({ actual }) => ({ results: findResults(batch, actual) }),
      })
      return results
    },
  })
}

/** Returns the part of the server that a batch changes. */
function partOfBatch({ operations }: Batch): TreePart {
  return {
    ...noPart,
    keynames: operations.flatMap((one) => (one.op === 'create' ? [one.name] : [])),
    ids: [...new Set(operations.flatMap((one) => (one.op === 'create' ? [] : [one.id])))],
  }
}

/** A request that changes everything or nothing. */
export interface WholeRequest {
  readonly signal?: AbortSignal | undefined
  /** Sends it with an idempotency key. */
  readonly send: (key: string) => Promise<BatchAnswer>
  /** Reads the server for the results of a request whose response was lost; undefined if it was not executed. */
  readonly findResults: () => Promise<OperationResult[] | undefined>
}

/**
 * Sends a batch exactly once: after an ambiguous failure, reads the server before a retry. Each operation has a new key
 * or an old version, so the server rejects a duplicate.
 */
export async function sendOnce(request: WholeRequest): Promise<BatchAnswer> {
  const key = randomUUID()
  let wasLost = false
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(request, key)
    } catch (error) {
      if (!isProblem(error)) throw error
      const isLost = isAmbiguous(error) || isProblem(error, 'pipeline/interrupted')
      wasLost ||= isLost
      const results = wasLost ? await readResults(request) : 'none'
      if (typeof results === 'object') return { results }
      if (attempt === maxAttempts || !isRetryable(error) || !(await waits(attempt, request)))
        return { problem: error, uncertain: isLost || results === 'unknown' }
    }
  }
}

async function send(request: WholeRequest, key: string): Promise<BatchAnswer> {
  try {
    return await request.send(key)
  } catch (error) {
    // The serialized body exceeds the maximum string length.
    if (!(error instanceof RangeError)) throw error
    throw problem('request/too-large', 'The changes exceed the maximum size of a request.', { cause: error })
  }
}

/** Waits for the next attempt; false if interrupted. */
async function waits(attempt: number, { signal }: WholeRequest): Promise<boolean> {
  try {
    await waitToRetry(attempt, signal)
    return true
  } catch (error) {
    if (isProblem(error, 'pipeline/interrupted')) return false
    throw error
  }
}

async function readResults(request: WholeRequest): Promise<OperationResult[] | 'none' | 'unknown'> {
  try {
    return (await request.findResults()) ?? 'none'
  } catch (error) {
    if (isProblem(error)) return 'unknown'
    throw error
  }
}

/** Finds the results of a batch in the tree after a lost response; undefined if the batch was not applied. */
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
