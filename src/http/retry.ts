import { type Dispatcher, interceptors } from 'undici'
import { keyHeader } from '../contract/bodies/idempotency.ts'

/** Number of retries and the backoff between them. */
export interface RetryPolicy {
  /** Maximum number of retries after the first attempt. */
  readonly times: number
  /** Delay before the first retry. It doubles with every retry; jitter shortens it by up to half. */
  readonly firstDelayMs: number
  /** Maximum delay, also for Retry-After. */
  readonly maxDelayMs: number
}

/** Three retries within about two seconds. */
export const defaultRetry: RetryPolicy = { times: 3, firstDelayMs: 250, maxDelayMs: 10_000 }

/** Statuses of transient failures. */
const busyStatuses = [429, 502, 503, 504]

/** Reports whether the same request may succeed later. */
export function isBusyStatus(status: number): boolean {
  return busyStatuses.includes(status)
}

/**
 * Returns the delay before a retry.
 *
 * @param attempt 1 for the first retry
 * @param retryAfterMs value of the Retry-After header
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, retryAfterMs?: number): number {
  return Math.min(retryAfterMs ?? jitter(policy.firstDelayMs * 2 ** (attempt - 1)), policy.maxDelayMs)
}

/** Error codes of connection failures after which an idempotent request is retried. */
const lostConnections = [
  'ECONNRESET',
  'ECONNREFUSED',
  'ENETDOWN',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EPIPE',
  'UND_ERR_SOCKET',
]

/** With a Retry-After header: an earlier attempt of the same keyed request is still running. */
const inFlightStatus = 409

/**
 * Idempotent methods. POST and PATCH are retried only with an idempotency key; otherwise the caller checks the state
 * before retrying.
 */
const idempotentMethods = ['GET', 'HEAD', 'PUT', 'DELETE']

/** The parts of a request that decide whether a retry is safe. */
interface RetryableRequest {
  readonly method: string
  readonly headers?: unknown
  readonly body?: unknown
}

function isRetryable({ method, headers, body }: RetryableRequest): boolean {
  const isStream = typeof body === 'object' && body !== null && !(body instanceof Uint8Array)
  return !isStream && (idempotentMethods.includes(method) || isKeyed(headers))
}

// The client of this folder always passes headers as a plain object.
function isKeyed(headers: unknown): boolean {
  return typeof headers === 'object' && headers !== null && keyHeader in headers
}

/** Retries idempotent requests with exponential backoff or after Retry-After. Streamed bodies are sent only once. */
export function retryIdempotent(policy: RetryPolicy): Dispatcher.DispatcherComposeInterceptor {
  return interceptors.retry({
    // The caller receives the last response with its error body.
    throwOnError: false,
    maxRetries: policy.times,
    statusCodes: [...busyStatuses, inFlightStatus],
    errorCodes: lostConnections,
    retry: (failure, { state, opts }, next) => {
      const { statusCode, code, headers } = failure as Failure
      const retryAfterMs = parseRetryAfter(headers?.['retry-after'])
      if (state.counter > policy.times || countRetries(policy, opts, { statusCode, code, headers }) === 0) {
        next(failure)
        return null
      }
      return setTimeout(() => next(null), retryDelayMs(policy, state.counter, retryAfterMs)) as never
    },
  })
}

/**
 * Returns the number of retries of a failed request, so that its caller does not retry it as well.
 *
 * @param failure the response, or the error code of the connection
 */
export function countRetries(policy: RetryPolicy, request: RetryableRequest, failure: Failure): number {
  const { statusCode, code, headers } = failure
  const isTransient =
    statusCode === undefined ? isLostConnection(code) : isTransientStatus(request, { statusCode, headers })
  return isTransient && isRetryable(request) ? policy.times : 0
}

const isLostConnection = (code = '') => lostConnections.includes(code)

/** The parts of a response that decide whether the request may succeed later. */
interface ResponseHead {
  readonly statusCode: number
  readonly headers: Failure['headers']
}

function isTransientStatus(
  { headers: sent }: RetryableRequest,
  { statusCode, headers }: ResponseHead,
): boolean {
  const isInFlight = statusCode === inFlightStatus && isKeyed(sent)
  return isBusyStatus(statusCode) || (isInFlight && parseRetryAfter(headers?.['retry-after']) !== undefined)
}

interface Failure {
  readonly statusCode?: number | undefined
  readonly code?: string | undefined
  readonly headers?: Readonly<Record<string, string | string[] | undefined>> | undefined
}

/** Parses a Retry-After header, in milliseconds. @see RFC 9110 clause 10.2.3 */
export function parseRetryAfter(
  value: string | string[] | undefined,
  nowMs = Date.now(),
): number | undefined {
  if (typeof value !== 'string') return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const dateMs = Date.parse(value)
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs)
}

// Clients that lose the connection at the same time must not retry at the same time.
function jitter(delayMs: number): number {
  return delayMs * (0.5 + Math.random() / 2)
}
