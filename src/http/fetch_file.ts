import { isIP } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
import { problem } from '../contract/problems.ts'
import { isProblem } from '../core/problem.ts'
import { basicHeader, type Credentials } from './authorize.ts'
import { problemOfFailure } from './failure.ts'
import { limitSize, TooLargeError } from './limit_size.ts'
import { isPrivateAddress, lookupPublic } from './private_address.ts'

/** What is fetched from a service that a user has named. */
export interface FetchRequest {
  readonly url: URL
  readonly credentials?: Credentials | undefined
  /** Longest time for all of it, redirections included. */
  readonly timeoutMs: number
  /** Most bytes of the answer. */
  readonly limitBytes: number
  /** Whether it may lie in a private network: whoever names an address could look around there otherwise. */
  readonly allowPrivate: boolean
  readonly signal: AbortSignal
}

/** What a service answered: any status, and the whole body. */
export interface FetchedAnswer {
  readonly status: number
  /** Media type as the service told it; empty where it told none. */
  readonly contentType: string
  readonly body: Buffer
}

const mostRedirections = 5

/**
 * Fetches from a service that a user has named, within limits of time, size and place. Follows redirections, each
 * within the same limits; credentials go to the first host only.
 *
 * @throws {Problem} external/unreachable, external/answer, external/refused, pipeline/interrupted
 */
export async function fetchExternal(request: FetchRequest): Promise<FetchedAnswer> {
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

async function follow(dispatcher: Dispatcher, request: FetchRequest): Promise<FetchedAnswer> {
  let { url } = request
  for (let hops = 0; hops <= mostRedirections; hops += 1) {
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
      throw problem('external/answer', `${url.host} leads on to ${next.protocol}, which is not followed.`)
    url = next
  }
  throw problem('external/answer', `${url.host} leads on more than ${mostRedirections} times.`)
}

function send(dispatcher: Dispatcher, request: FetchRequest, url: URL) {
  const { credentials, limitBytes, timeoutMs, signal } = request
  const knows = credentials !== undefined && url.origin === request.url.origin
  const options = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET' as const,
    headers: {
      'user-agent': 'landform',
      accept: '*/*',
      ...(knows ? { authorization: basicHeader(credentials) } : {}),
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    answerLimitBytes: limitBytes,
    signal,
  }
  return dispatcher.request(options)
}

/** Names are looked up when the connection is made; addresses never are. */
function checkHost({ hostname, host }: URL, { allowPrivate }: FetchRequest): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (!allowPrivate && isIP(address) !== 0 && isPrivateAddress(address)) throw refused(host)
}

function refused(host: string) {
  return problem('external/refused', `${host} lies in a private network, which this server does not ask.`)
}

function problemOf(error: unknown, { url, timeoutMs, signal }: FetchRequest, timedOut: boolean): unknown {
  if (isProblem(error)) return error
  if (codeOf(error) === 'LANDFORM_PRIVATE_ADDRESS') return refused(url.host)
  if (signal.aborted) return problem('pipeline/interrupted', `Asking ${url.host} was interrupted.`)
  if (timedOut)
    return problem('external/unreachable', `${url.host} did not answer within ${timeoutMs / 1000} seconds.`)
  if (error instanceof TooLargeError)
    return problem('external/answer', `${url.host} answered with more than ${error.limitBytes} bytes.`)
  // What has no code was not thrown by a socket: it is a fault of ours.
  if (codeOf(error) === undefined) return error
  const { message } = problemOfFailure(error, { origin: url.origin, method: 'GET', path: url.pathname })
  return problem('external/unreachable', message, { cause: error })
}

function codeOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  return code ?? (cause === undefined ? undefined : codeOf(cause))
}
