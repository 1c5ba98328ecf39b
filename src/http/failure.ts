import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { TooLargeError } from './limit_size.ts'

const timeouts = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']

/** Reasons by error code, of failures before the server can have received the request. */
const unsentReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ENOTFOUND: 'the host name could not be resolved',
  EAI_AGAIN: 'the host name could not be resolved because the name server did not respond',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not use TLS; try http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not use TLS; try http://',
}

/** Reasons by error code. */
const reasons: Readonly<Record<string, string>> = {
  ...unsentReasons,
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  EHOSTDOWN: 'the host is down',
  ENETDOWN: 'the network is down',
  ETIMEDOUT: 'the connection timed out',
}

/** Hints by error code; other codes use the general hint of http/unreachable. */
const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start the server with "landform serve", or set its URL with --server or LANDFORM_SERVER.',
  ENOTFOUND: 'Correct the host name given with --server or LANDFORM_SERVER.',
  EAI_AGAIN: 'Check the network and its name servers, then retry.',
}

/** The request that failed. */
export interface FailedRequest {
  /** Scheme, host and port. */
  readonly origin: string
  readonly method: string
  readonly path: string
  readonly signal?: AbortSignal | undefined
  /** Returns the number of retries after a connection failure with this code. */
  readonly countRetries?: (code: string) => number
}

/** Data of the Problem: whether the server may have received the request, and the number of retries. */
const factsOf = (sent: boolean, repeated: number) => ({ sent, ...(repeated > 0 ? { repeated } : {}) })

/**
 * Converts the error of a request to a Problem: http/unreachable, http/timeout, http/unexpected, or
 * pipeline/interrupted if the caller aborted it. `data.sent` is false if the server cannot have received the request.
 * A Problem, such as one thrown by the request body, is returned unchanged.
 */
export function problemOfFailure(error: unknown, failed: FailedRequest): Problem {
  const { origin, method, path, signal, countRetries = () => 0 } = failed
  const what = `${method} ${path.split('?')[0]}`
  if (isProblem(error)) return error
  if (signal?.aborted) return problem('pipeline/interrupted', `${what} was interrupted.`)
  const code = codeOf(error)
  if (timeouts.includes(code)) {
    return problem('http/timeout', `${origin} did not respond to ${what} in time.`, { data: { sent: true } })
  }
  if (error instanceof TooLargeError) {
    return problem(
      'http/unexpected',
      `The response of ${origin} to ${what} exceeds ${error.limitBytes} bytes.`,
    )
  }
  const { reason, isSent } = explainFailure(error)
  if (reasons[code] === undefined) {
    return problem('http/unexpected', `${what} on ${origin} failed: ${reason}.`, {
      data: { sent: true },
      cause: error,
    })
  }
  return problem('http/unreachable', `Cannot reach ${origin}: ${reason}.`, {
    ...(hints[code] === undefined ? {} : { hint: hints[code] }),
    data: factsOf(isSent, countRetries(code)),
  })
}

/** Returns the reason of a failure, and whether the server may have received the request. */
export function explainFailure(error: unknown): { readonly reason: string; readonly isSent: boolean } {
  const code = codeOf(error)
  return { reason: reasons[code] ?? messageOf(error), isSent: unsentReasons[code] === undefined }
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  if (typeof code === 'string') return code
  return cause === undefined ? '' : codeOf(cause)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
