import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../auth/caller.ts'
import { findAuthorization, findSessionSecret } from '../auth/credentials.ts'
import type { ServerContext } from '../context.ts'
import { defaultHeaders, statusOf } from './answer.ts'
import type { AnswerAgain, QuickAnswer, RepeatedRequest } from './handler.ts'
import { logAnswered, requestIdOf } from './request_log.ts'
import { dialectOf, plainHeaders } from './response_dialect.ts'
import { securityHeaders } from './security_headers.ts'
import { clientLimitsOf, limitSlowness } from './slow_client.ts'
import { addVary } from './vary.ts'

/** How requests for a URL are answered again. */
interface KnownUrl {
  /** Path template of the contract. */
  readonly template: string | undefined
  readonly again: AnswerAgain
}

/**
 * Answers requests for URLs that were answered before, such as those of warm tiles, without the steps that only find out what
 * a URL means. The caller, and what is current, are looked up for each request; the answers are those of the operations.
 */
export interface QuickAnswers {
  /** Remembers how to answer requests for a URL. */
  remember(url: string, known: KnownUrl): void
  /** Returns a listener that answers what it can, and leaves other requests to the given one. */
  before(handle: RequestListener, isListening: () => boolean): RequestListener
}

/** Maximum size of what is remembered of all URLs, and of one without the URL itself, in bytes. */
const limits = { bytes: 32 * 2 ** 20, urlBytes: 3000 }

/** Headers of requests that are left to the operations: they have a body, or responses with other headers. */
const otherHeaders = ['content-length', 'transfer-encoding', 'expect', 'upgrade', 'origin'] as const

/** Creates the quick answers of an application. */
export function createQuickAnswers(context: ServerContext): QuickAnswers {
  const urls = new LRUCache<string, KnownUrl>({
    maxSize: limits.bytes,
    sizeCalculation: (_known, url) => limits.urlBytes + 2 * url.length,
  })
  const always = securityHeaders()
  const hasOrigins = context.corsOrigins.length > 0
  const answerQuickly = (request: IncomingMessage, response: ServerResponse): boolean => {
    const known = request.method === 'GET' ? urls.get(request.url ?? '') : undefined
    if (known === undefined || otherHeaders.some((name) => request.headers[name] !== undefined)) return false
    const start = performance.now()
    const { headers } = request
    const caller = findKnownCaller(context, request)
    const answer = caller && answerAgain(context, known, { caller, headers })
    if (answer === undefined) return false
    const id = requestIdOf(request)
    const sent = context.plain ? { ...answer, headers: plainHeaders(answer) } : answer
    // As answers of the operations have it, which depend on the origin.
    const vary = hasOrigins ? { vary: addVary(sent.headers?.vary, 'Origin') } : {}
    const varied = { ...sent, headers: { ...sent.headers, ...vary } }
    const bytes = send(response, varied, { ...always, 'x-request-id': id })
    // What the connection did not take at once waits for the client.
    if (request.socket.writableLength > 0)
      limitSlowness({ request, response, refuse: () => undefined }, clientLimitsOf(context))
    const { template } = known
    logAnswered(context.log, {
      ...{ id, method: 'GET', template, status: response.statusCode, user: caller?.keyname, bytes },
      milliseconds: performance.now() - start,
    })
    return true
  }
  return {
    remember: (url, known) => urls.set(url, known),
    before: (handle, isListening) => (request, response) => {
      // The last responses of a server that stops close their connections.
      if (!isListening() || !answerQuickly(request, response)) handle(request, response)
    },
  }
}

/** Answers again; undefined, too, for what fails: the operation reports it. */
function answerAgain(
  context: ServerContext,
  { again }: KnownUrl,
  { caller, headers }: Omit<RepeatedRequest, 'dialect'>,
): QuickAnswer | undefined {
  try {
    return again({ caller, headers, dialect: dialectOf(headers, context.dialect) })
  } catch (error) {
    context.log.error({ error }, 'a quick answer failed')
    return undefined
  }
}

function findKnownCaller(
  { authenticator, trustedProxies }: ServerContext,
  request: IncomingMessage,
): Caller | undefined {
  const { cookie } = request.headers
  // The name of the cookie depends on the protocol that a proxy tells.
  if (cookie !== undefined && trustedProxies.length > 0) return undefined
  const session = findSessionSecret({ cookie, secure: false })
  try {
    return authenticator.known({ session, authorization: findAuthorization(request) })
  } catch {
    // The operation reports the header.
    return undefined
  }
}

/** Sends an answer, and returns the number of bytes of its body. */
function send(
  response: ServerResponse,
  answer: QuickAnswer,
  headers: Readonly<Record<string, string>>,
): number {
  const status = statusOf(answer)
  const bytes = 'bytes' in answer ? answer.bytes : undefined
  const length = bytes?.length ?? 0
  response.writeHead(status, {
    ...headers,
    ...defaultHeaders,
    ...answer.headers,
    ...('bytes' in answer ? { 'content-type': answer.mediaType } : {}),
    ...(status === 204 || status === 304 ? {} : { 'content-length': length }),
  })
  response.end(bytes)
  return length
}
