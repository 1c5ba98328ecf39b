import { type Dispatcher, interceptors } from 'undici'
import { keyHeader } from '../contract/idempotency.ts'

/** How often and how long apart a request is repeated. */
export interface RetryPolicy {
  /** Repetitions after the first try. */
  readonly times: number
  /** Pause before the first repetition; it doubles from there on, and is shortened by chance to as little as half. */
  readonly firstPauseMs: number
  /** Longest pause, whatever the server asks for. */
  readonly longestPauseMs: number
}

/** Three repetitions within about two seconds. */
export const defaultRetry: RetryPolicy = { times: 3, firstPauseMs: 250, longestPauseMs: 10_000 }

/** Answers that say: not now. */
const busyStatuses = [429, 502, 503, 504]

/** Tells whether a status says that the same request may succeed later. */
export function isBusyStatus(status: number): boolean {
  return busyStatuses.includes(status)
}

/**
 * Gives the pause before a repetition.
 *
 * @param repetition 1 for the first
 * @param askedMs pause that the server asks for
 */
export function pauseMsOf(policy: RetryPolicy, repetition: number, askedMs?: number): number {
  return Math.min(askedMs ?? jitter(policy.firstPauseMs * 2 ** (repetition - 1)), policy.longestPauseMs)
}

/** Failures of the connection after which a request may be sent again. */
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

/** Answer that says, with a Retry-After: an earlier sending of the same request is still at work. */
const inFlightStatus = 409

/**
 * Methods whose repetition does no harm. POST and PATCH are for the caller to repeat, who can look first, unless they
 * carry a key: whoever sends one knows that the server does them once.
 */
const repeatable = ['GET', 'HEAD', 'PUT', 'DELETE']

/** The parts of a request that tell whether it may be repeated. */
interface RepeatableRequest {
  readonly method: string
  readonly headers?: unknown
  readonly body?: unknown
}

function isRepeatable({ method, headers, body }: RepeatableRequest): boolean {
  const isStream = typeof body === 'object' && body !== null && !(body instanceof Uint8Array)
  return !isStream && (repeatable.includes(method) || isKeyed(headers))
}

// As the client writes them: a plain object.
function isKeyed(headers: unknown): boolean {
  return typeof headers === 'object' && headers !== null && keyHeader in headers
}

/** Repeats requests that may be repeated, with growing pauses, minding Retry-After. A streamed body is sent once. */
export function retryIdempotent(policy: RetryPolicy): Dispatcher.DispatcherComposeInterceptor {
  return interceptors.retry({
    // The last answer reaches the caller with its body, which says what is wrong.
    throwOnError: false,
    maxRetries: policy.times,
    statusCodes: [...busyStatuses, inFlightStatus],
    errorCodes: lostConnections,
    retry: (failure, { state, opts }, next) => {
      const { statusCode, code, headers } = failure as Failure
      const asked = parseRetryAfter(headers?.['retry-after'])
      if (
        state.counter > policy.times ||
        countRepetitions(policy, opts, { statusCode, code, headers }) === 0
      ) {
        next(failure)
        return null
      }
      return setTimeout(() => next(null), pauseMsOf(policy, state.counter, asked)) as never
    },
  })
}

/**
 * Counts how often a failed request was repeated, so that its caller does not repeat it as well.
 *
 * @param failure the answer, or the code of the connection's failure
 */
export function countRepetitions(policy: RetryPolicy, request: RepeatableRequest, failure: Failure): number {
  const { statusCode, code, headers } = failure
  const isTransient =
    statusCode === undefined ? isLostConnection(code) : isNotNow(request, { statusCode, headers })
  return isTransient && isRepeatable(request) ? policy.times : 0
}

const isLostConnection = (code = '') => lostConnections.includes(code)

/** The parts of an answer that tell whether the request may succeed later. */
interface AnswerHead {
  readonly statusCode: number
  readonly headers: Failure['headers']
}

function isNotNow({ headers: sent }: RepeatableRequest, { statusCode, headers }: AnswerHead): boolean {
  const isInFlight = statusCode === inFlightStatus && isKeyed(sent)
  return isBusyStatus(statusCode) || (isInFlight && parseRetryAfter(headers?.['retry-after']) !== undefined)
}

interface Failure {
  readonly statusCode?: number | undefined
  readonly code?: string | undefined
  readonly headers?: Readonly<Record<string, string | string[] | undefined>> | undefined
}

/** Reads a Retry-After header into milliseconds. @see RFC 9110 clause 10.2.3 */
export function parseRetryAfter(
  value: string | string[] | undefined,
  nowMs = Date.now(),
): number | undefined {
  if (typeof value !== 'string') return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const moment = Date.parse(value)
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - nowMs)
}

// Many clients that were cut off together must not come back together.
function jitter(pauseMs: number): number {
  return pauseMs * (0.5 + Math.random() / 2)
}
