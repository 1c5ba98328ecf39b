import { isIP } from 'node:net'
import { Agent, type Dispatcher, errors } from 'undici'
import { problem } from '../contract/problems.ts'
import { startDeadline } from '../core/deadline.ts'
import { isProblem } from '../core/problem.ts'
import { basicHeader, type Credentials } from './authorize.ts'
import { ContentFault, decodeContent } from './decode_content.ts'
import { explainFailure } from './failure.ts'
import { limitSize, TooLargeError } from './limit_size.ts'
import { isPrivateAddress, lookupPublic, PrivateAddressError } from './private_address.ts'
import { depthHeader } from './service_depth.ts'

/** A request to an external service whose URL a user has entered. */
export interface ExternalRequest {
  readonly url: URL
  readonly credentials?: Credentials | undefined
  /** Total timeout, including redirects and reading the body. */
  readonly timeoutMs: number
  /** Maximum size of the response body, both as sent and decoded. */
  readonly limitBytes: number
  readonly signal: AbortSignal
  /** Sent to services that show others, see `depthHeader`. */
  readonly depth?: number
}

/** The response of a service, whose body is read as it arrives. */
export interface ExternalStream {
  readonly status: number
  /** Media type from the Content-Type header; empty if the header is absent. */
  readonly contentType: string
  /** Size of the body as sent, if the service states it. */
  readonly contentLength: number | undefined
  /** Decoded body. Ending the iteration early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>
}

/** Sends requests to external services; requests to the same service share connections. */
export interface ExternalClient {
  /**
   * Sends a GET request and reads the response, within the timeout and the size limit. Follows redirects within the same
   * limits; only the first origin receives the credentials.
   *
   * @throws {Problem} external/unreachable, external/answer, external/refused with `data.reason`; pipeline/interrupted;
   *   what `read` throws
   */
  get<T>(request: ExternalRequest, read: (response: ExternalStream) => Promise<T>): Promise<T>
  /** Closes all connections; aborts running requests. */
  close(): Promise<void>
}

/** Why a request failed, as `data.reason` of the Problem: `connection` if the host cannot be reached. */
export type FailureReason =
  | 'timeout'
  | 'connection'
  | 'response'
  | 'redirect'
  | 'size'
  | 'encoding'
  | 'private'

/** Options of a client. */
export interface ExternalClientOptions {
  readonly connectTimeoutMs: number
  /** Whether a URL may lead to a private network. Otherwise a user could probe the server's own network. */
  readonly allowsPrivate: (url: URL) => boolean
}

const maxRedirects = 5

/** Connections that idle longer are closed: a service is rarely asked again soon. */
const idleMs = 1000

/** Creates a client, which must be closed. */
export function createExternalClient({
  connectTimeoutMs: timeout,
  allowsPrivate,
}: ExternalClientOptions): ExternalClient {
  // With HTTP/2, connections would stay open for as long as the client.
  const options = { keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs, allowH2: false }
  const agents = {
    any: new Agent({ ...options, connect: { timeout } }),
    public: new Agent({ ...options, connect: { timeout, lookup: lookupPublic } }),
  }
  const dispatchers = {
    any: agents.any.compose(limitSize()),
    public: agents.public.compose(limitSize()),
  }
  const dispatcherFor = (url: URL) => {
    if (allowsPrivate(url)) return dispatchers.any
    checkAddress(url)
    return dispatchers.public
  }
  return {
    async get(request, read) {
      const { signal: time, end } = startDeadline(request.timeoutMs)
      const limited = { ...request, signal: AbortSignal.any([request.signal, time]) }
      try {
        return await readResponse(await follow(dispatcherFor, limited), limited, read)
      } catch (error) {
        throw problemOf(error, request, time.aborted)
      } finally {
        end()
      }
    },
    async close() {
      await Promise.all([agents.any.destroy(), agents.public.destroy()])
    },
  }
}

type Response = Dispatcher.ResponseData

async function readResponse<T>(
  { statusCode: status, headers, body }: Response,
  { limitBytes }: ExternalRequest,
  read: (response: ExternalStream) => Promise<T>,
): Promise<T> {
  // The iterator reports the errors of a body that is read; the others do not matter.
  body.on('error', () => undefined)
  const length = Number(headers['content-length'] ?? Number.NaN)
  try {
    return await read({
      status,
      contentType: String(headers['content-type'] ?? ''),
      contentLength: Number.isSafeInteger(length) ? length : undefined,
      body: decodeContent(body, String(headers['content-encoding'] ?? ''), limitBytes),
    })
  } finally {
    body.destroy()
  }
}

async function follow(dispatcherFor: (url: URL) => Dispatcher, request: ExternalRequest): Promise<Response> {
  let { url } = request
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const response = await send(dispatcherFor(url), request, url)
    const { statusCode: status, headers, body } = response
    const location = String(headers.location ?? '')
    const next = status >= 300 && status < 400 ? URL.parse(location, url.href) : null
    if (next === null || location === '') return response
    await body.dump()
    if (!['http:', 'https:'].includes(next.protocol))
      throw fault('redirect', `Cannot follow the redirect of ${url.host} to ${next.protocol}.`)
    url = next
  }
  throw fault('redirect', `${url.host} redirected more than ${maxRedirects} times.`)
}

function send(dispatcher: Dispatcher, request: ExternalRequest, url: URL): Promise<Response> {
  const { credentials, limitBytes, timeoutMs, signal, depth } = request
  const isTrusted = credentials !== undefined && url.origin === request.url.origin
  const options = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET' as const,
    headers: {
      'user-agent': 'landform',
      accept: '*/*',
      'accept-encoding': 'identity, gzip',
      ...(depth === undefined ? {} : { [depthHeader]: String(depth) }),
      ...(isTrusted ? { authorization: basicHeader(credentials) } : {}),
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseBytes: limitBytes,
    signal,
  }
  return dispatcher.request(options)
}

/** Checks a host that is an IP address: `lookupPublic` checks host names, but is not called for addresses. */
function checkAddress({ hostname, host }: URL): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) !== 0 && isPrivateAddress(address)) throw refused(host)
}

function refused(host: string) {
  return problem('external/refused', `Cannot fetch from ${host}: it is in a private network.`, {
    data: { reason: 'private' satisfies FailureReason },
  })
}

function fault(reason: FailureReason, message: string) {
  return problem('external/answer', message, { data: { reason } })
}

function unreachable(reason: FailureReason, message: string, cause?: unknown) {
  return problem('external/unreachable', message, { data: { reason }, cause })
}

function problemOf(
  error: unknown,
  { url, timeoutMs, signal, limitBytes }: ExternalRequest,
  timedOut: boolean,
): unknown {
  if (isProblem(error)) return error
  if (error instanceof PrivateAddressError) return refused(error.host)
  if (signal.aborted) return problem('pipeline/interrupted', `The request to ${url.host} was interrupted.`)
  if (timedOut)
    return unreachable('timeout', `${url.host} did not respond within ${timeoutMs / 1000} seconds.`)
  if (error instanceof TooLargeError)
    return fault('size', `The response of ${url.host} exceeds ${limitBytes} bytes.`)
  if (error instanceof ContentFault)
    return fault('encoding', `The response of ${url.host} cannot be decoded: ${error.message}.`)
  // An error without a code does not come from a socket: it is a bug, and is thrown as it is.
  if (codeOf(error) === undefined) return error
  // The path may contain a key, and callers may not be allowed to read it.
  const { reason, isSent } = explainFailure(error)
  if (isSent) return unreachable('response', `The request to ${url.host} failed: ${reason}.`, error)
  return unreachable('connection', `Cannot reach ${url.origin}: ${reason}.`, error)
}

function codeOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  // A response that is not HTTP.
  if (error instanceof errors.HTTPParserError) return code ?? error.name
  return code ?? (cause === undefined ? undefined : codeOf(cause))
}
