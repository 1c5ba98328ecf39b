import { isIP } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
import { problem } from '../contract/problems.ts'
import { isProblem } from '../core/problem.ts'
import { basicHeader, type Credentials } from './authorize.ts'
import { problemOfFailure } from './failure.ts'
import { limitSize, TooLargeError } from './limit_size.ts'
import { isPrivateAddress, lookupPublic } from './private_address.ts'

/** A request to an external service whose URL a user has entered. */
export interface FetchRequest {
  readonly url: URL
  readonly credentials?: Credentials | undefined
  /** Total timeout, including redirects. */
  readonly timeoutMs: number
  /** Maximum size of the response body. */
  readonly limitBytes: number
  /** Whether private networks are allowed. Otherwise a user could probe the server's own network. */
  readonly allowPrivate: boolean
  readonly signal: AbortSignal
}

/** The response of a service, with its complete body. */
export interface ExternalResponse {
  readonly status: number
  /** Media type from the Content-Type header; empty if the header is absent. */
  readonly contentType: string
  readonly body: Buffer
}

const maxRedirects = 5

/**
 * Fetches a URL that a user has entered, with a timeout, a size limit and a check for private networks. Follows
 * redirects within the same limits; only the first origin receives the credentials.
 *
 * @throws {Problem} external/unreachable, external/answer, external/refused, pipeline/interrupted
 */
export async function fetchExternal(request: FetchRequest): Promise<ExternalResponse> {
  const agent = new Agent({
    connect: { timeout: request.timeoutMs, ...(request.allowPrivate ? {} : { lookup: lookupPublic }) },
  })
  const time = AbortSignal.timeout(request.timeoutMs)
  try {
    const dispatcher = agent.compose(limitSize())
    return await follow(dispatcher, { ...request, signal: AbortSignal.any([request.signal, time]) })
  } catch (error) {
    throw problemOf(error, request, time.aborted)
  } finally {
    await agent.destroy()
  }
}

async function follow(dispatcher: Dispatcher, request: FetchRequest): Promise<ExternalResponse> {
  let { url } = request
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    checkHost(url, request)
    const { statusCode: status, headers, body } = await send(dispatcher, request, url)
    const location = String(headers.location ?? '')
    const next = status >= 300 && status < 400 ? URL.parse(location, url.href) : null
    if (next === null) {
      const contentType = String(headers['content-type'] ?? '')
      return { status, contentType, body: Buffer.from(await body.arrayBuffer()) }
    }
    await body.dump()
    if (!['http:', 'https:'].includes(next.protocol))
      throw problem('external/answer', `Cannot follow the redirect of ${url.host} to ${next.protocol}.`)
    url = next
  }
  throw problem('external/answer', `${url.host} redirected more than ${maxRedirects} times.`)
}

function send(dispatcher: Dispatcher, request: FetchRequest, url: URL) {
  const { credentials, limitBytes, timeoutMs, signal } = request
  const isTrusted = credentials !== undefined && url.origin === request.url.origin
  const options = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET' as const,
    headers: {
      'user-agent': 'landform',
      accept: '*/*',
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
function checkHost({ hostname, host }: URL, { allowPrivate }: FetchRequest): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (!allowPrivate && isIP(address) !== 0 && isPrivateAddress(address)) throw refused(host)
}

function refused(host: string) {
  return problem('external/refused', `Cannot fetch from ${host}: it is in a private network.`)
}

function problemOf(error: unknown, { url, timeoutMs, signal }: FetchRequest, timedOut: boolean): unknown {
  if (isProblem(error)) return error
  if (codeOf(error) === 'LANDFORM_PRIVATE_ADDRESS') return refused(url.host)
  if (signal.aborted) return problem('pipeline/interrupted', `The request to ${url.host} was interrupted.`)
  if (timedOut)
    return problem('external/unreachable', `${url.host} did not respond within ${timeoutMs / 1000} seconds.`)
  if (error instanceof TooLargeError)
    return problem('external/answer', `The response of ${url.host} exceeds ${error.limitBytes} bytes.`)
  // An error without a code does not come from a socket: it is a bug, and is thrown as it is.
  if (codeOf(error) === undefined) return error
  const { message } = problemOfFailure(error, { origin: url.origin, method: 'GET', path: url.pathname })
  return problem('external/unreachable', message, { cause: error })
}

function codeOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  return code ?? (cause === undefined ? undefined : codeOf(cause))
}
