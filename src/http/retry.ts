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

function isRepeatable({ method, headers }: Dispatcher.DispatchOptions): boolean {
  return repeatable.includes(String(method)) || isKeyed(headers)
}

// As the client writes them: a plain object.
function isKeyed(headers: Dispatcher.DispatchOptions['headers']): boolean {
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
      const isInFlight = statusCode === inFlightStatus && asked !== undefined && isKeyed(opts.headers)
      const transient =
        isInFlight ||
        (statusCode === undefined ? lostConnections.includes(code ?? '') : busyStatuses.includes(statusCode))
      if (!transient || state.counter > policy.times || !isRepeatable(opts)) {
        next(failure)
        return null
      }
      const pauseMs = asked ?? jitter(policy.firstPauseMs * 2 ** (state.counter - 1))
      return setTimeout(() => next(null), Math.min(pauseMs, policy.longestPauseMs)) as never
    },
  })
}

interface Failure {
  readonly statusCode?: number
  readonly code?: string
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>
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
