import { randomUUID } from 'node:crypto'
import type { Api } from '../../api/api.ts'
import { membersOf, type Representation } from '../../contract/bodies/bodies.ts'
import { journalHeader } from '../../contract/bodies/journal.ts'
import type { WireStyleIssue } from '../../contract/bodies/style_issue.ts'
import { decodeResource, encodeResource } from '../../contract/dialect/dialect_codec.ts'
import { findManager, markerKeys } from '../../contract/markers.ts'
import { problem } from '../../contract/problems.ts'
import { isCls } from '../../contract/registry.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import { isRetryable, maxAttempts, sendWithRetries, waitToRetry } from '../../transfer/retry_request.ts'
import { stale } from './stale.ts'

/** A request body in API form, with its class. */
export interface WireBody {
  readonly cls: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Options of requests. */
export interface SendOptions {
  readonly api: Api
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
  /** Change of the journal that the request applies; see `journalHeader`. */
  readonly journal?: string | undefined
  /** Receives the issues of the style that a request writes. */
  readonly onStyleIssues?: (issues: readonly WireStyleIssue[]) => void
}

/**
 * Creates a resource exactly once: after an ambiguous failure, searches for its keyname before a retry, since some
 * servers do not support idempotency keys.
 *
 * @returns the id
 */
export async function createOnce(options: SendOptions, made: WireBody): Promise<number> {
  const { keyname } = made.body.resource as { keyname?: string }
  const request = { ...requestOf(options, made), headers: journalOf(options), key: randomUUID() }
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { id, style_issues: issues } = await options.api.call('resource.create', request)
      if (issues !== undefined) options.onStyleIssues?.(issues)
      return id
    } catch (error) {
      if (!isProblem(error)) throw error
      const look = keyname !== undefined && (attempt > 1 || isAmbiguous(error))
      const found = look ? await findCreated(options, keyname, made) : undefined
      if (found !== undefined) return found
      if (attempt === maxAttempts || !isRetryable(error)) throw await explain(options, keyname, error)
      await waitToRetry(attempt, options.signal)
    }
  }
}

const journalOf = ({ journal }: SendOptions): Record<string, string> =>
  journal === undefined ? {} : { [journalHeader]: journal }

function requestOf({ api, signal, timeoutMs }: SendOptions, { body, cls }: WireBody) {
  const wire = encodeResource(cls, body, api.dialect)
  return { body: wire, signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
}

/** Updates a resource; retries after a conflict with a concurrent change. */
export async function update(
  options: SendOptions,
  id: number,
  changed: WireBody & { readonly ifVersion?: number | undefined },
): Promise<void> {
  const { ifVersion } = changed
  const headers = {
    ...journalOf(options),
    ...(ifVersion === undefined ? {} : { 'if-match': `"${ifVersion}"` }),
  }
  const request = { params: { id }, headers, ...requestOf(options, changed) }
  const answer = await sendWithRetries(() => options.api.call('resource.update', request), {
    signal: options.signal,
    isRetryable: ({ code }) => code === 'database/conflict',
  })
  // The original API answers null.
  if (answer?.style_issues !== undefined) options.onStyleIssues?.(answer.style_issues)
}

/** Deletes a resource; ignores a missing one. */
export async function remove(options: SendOptions, id: number): Promise<void> {
  try {
    const { api, signal } = options
    await api.call('resource.delete', { params: { id }, headers: journalOf(options), signal })
  } catch (error) {
    if (!isProblem(error, 'resource/not-found')) throw error
  }
}

// Accepts only a resource with the marker of this manifest.
async function findCreated(
  { api, signal }: SendOptions,
  keyname: string,
  { body, cls }: WireBody,
): Promise<number | undefined> {
  const query = { serialization: 'full' }
  const [wire] = await api.call('resource.search', { query, more: [['keyname', keyname]], signal })
  if (wire === undefined) return undefined
  const found = decodeResource(wire) as unknown as Representation
  const { items } = (body.resmeta ?? {}) as { items?: Record<string, unknown> }
  const wanted = findManager(items?.[markerKeys.manager])?.manifest
  const there = findManager(found.resmeta?.items?.[markerKeys.manager])?.manifest
  return found.resource.cls === cls && wanted !== undefined && wanted === there
    ? found.resource.id
    : undefined
}

/** Reports whether the server may have executed a failed request. */
export function isAmbiguous(error: Problem): boolean {
  if (error.code === 'http/timeout') return true
  if (error.code === 'http/unreachable') return error.data.sent !== false
  return error.code === 'http/unexpected' || (error.status ?? 0) >= 502
}

async function explain(options: SendOptions, keyname: string | undefined, error: Problem): Promise<Problem> {
  if (error.code === 'http/timeout') {
    return problem('http/timeout', error.message, {
      hint: 'The server may still be running the request: wait, then retry. Completed changes are not repeated.',
    })
  }
  return explainTaken(options, keyname, error)
}

/**
 * Explains why a key or display name that was free during planning is in use: another apply has created the resource, or
 * this account cannot see it. Returns other problems unchanged.
 */
export async function explainTaken(
  { api, signal }: Pick<SendOptions, 'api' | 'signal'>,
  key: string | undefined,
  fault: Problem,
): Promise<Problem> {
  const isKey = fault.code === 'resource/key-taken' || /keyname is not unique/i.test(fault.message)
  if (!isKey && fault.code !== 'resource/name-taken') return fault
  const more = [['keyname', key ?? '']] as const
  const query = { serialization: 'full' }
  const [wire] = key === undefined ? [] : await api.call('resource.search', { query, more, signal })
  if (key !== undefined && wire !== undefined) return createdMeanwhile(key, wire)
  if (isKey) return keyTaken(key)
  return problem('resource/name-taken', fault.message, {
    hint: 'Plan again. If the name is still in use, choose another display name.',
    data: fault.data,
  })
}

/** Names the manifest that has created a resource meanwhile. */
function createdMeanwhile(key: string, wire: Parameters<typeof decodeResource>[0]): Problem {
  const { resmeta } = decodeResource(wire) as unknown as Representation
  const manager = findManager(resmeta?.items?.[markerKeys.manager])
  return stale({ key, creator: manager?.manifest }, 'created')
}

function keyTaken(key: string | undefined): Problem {
  return problem(
    'resource/key-taken',
    `The key "${key}" is in use by a resource that this account cannot see.`,
    {
      hint: 'Use an account that can read the resource, or choose another key.',
    },
  )
}

/** Returns the schemas of the members of a class; empty for unknown classes. */
export function schemasOf(cls: string): Readonly<Record<string, object>> {
  return isCls(cls) ? membersOf(cls) : {}
}
