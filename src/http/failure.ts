import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { TooLargeError } from './limit_size.ts'

const timeouts = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  ENOTFOUND: 'the host name could not be resolved',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  EHOSTUNREACH: 'the host cannot be reached',
  EHOSTDOWN: 'the host is down',
  ENETDOWN: 'the network is down',
  ETIMEDOUT: 'the connection timed out',
  ENETUNREACH: 'the network cannot be reached',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS, try http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS, try http://',
}

/** What to do about a reason; without one, what to do about any server that cannot be reached. */
const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start it with "landform serve", or give its address with --server or LANDFORM_SERVER.',
  ENOTFOUND: 'Correct the host name given with --server or LANDFORM_SERVER.',
  EAI_AGAIN: 'Check the network and its name servers, then try again.',
}

/** The request a failure belongs to. */
export interface FailedRequest {
  /** Scheme, host and port. */
  readonly origin: string
  readonly method: string
  readonly path: string
  readonly signal?: AbortSignal | undefined
  /** Counts how often the client has repeated it after a failure of the connection. */
  readonly countRepetitions?: (code: string) => number
}

/** Facts of a failed request: whether the server may have seen it, and how often it was repeated. */
const factsOf = (sent: boolean, repeated: number) => ({ sent, ...(repeated > 0 ? { repeated } : {}) })

/**
 * Turns what a request failed with into a Problem: http/unreachable, http/timeout, http/unexpected, or
 * pipeline/interrupted where the caller aborted it. `data.sent` is false where the server never saw the request. What
 * the body itself failed with stays what it is.
 */
export function problemOfFailure(error: unknown, failed: FailedRequest): Problem {
  const { origin, method, path, signal, countRepetitions = () => 0 } = failed
  const what = `${method} ${path.split('?')[0]}`
  if (isProblem(error)) return error
  if (signal?.aborted) return problem('pipeline/interrupted', `${what} was interrupted.`)
  const code = codeOf(error)
  if (timeouts.includes(code)) {
    return problem('http/timeout', `${origin} did not answer ${what} in time.`, { data: { sent: true } })
  }
  if (error instanceof TooLargeError) {
    return problem('http/unexpected', `${origin} answered ${what} with more than ${error.limitBytes} bytes.`)
  }
  const reason = reasons[code]
  if (reason === undefined) {
    return problem('http/unexpected', `${what} on ${origin} failed: ${messageOf(error)}.`, {
      data: { sent: true },
      cause: error,
    })
  }
  return problem('http/unreachable', `Cannot reach ${origin}: ${reason}.`, {
    ...(hints[code] === undefined ? {} : { hint: hints[code] }),
    data: factsOf(!unsent.includes(code), countRepetitions(code)),
  })
}

const unsent = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  if (typeof code === 'string') return code
  return cause === undefined ? '' : codeOf(cause)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
