import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { problem } from '../contract/problems.ts'
import { authorize, type Credentials, type Token } from './authorize.ts'
import { type FailedRequest, problemOfFailure } from './failure.ts'
import { type LimitOptions, limitSize } from './limit_size.ts'
import { createDispatcher, type ProxySettings } from './proxy.ts'
import { countRepetitions, defaultRetry, type RetryPolicy, retryIdempotent } from './retry.ts'

/** How a client reaches its server. */
export interface HttpClientOptions {
  /** Scheme, host and port: `https://maps.example.org`. */
  readonly origin: string
  readonly credentials?: Credentials | Token
  readonly retry?: RetryPolicy
  /** Proxies on the way; none where absent. */
  readonly proxy?: ProxySettings
  /** Most connections at once. */
  readonly connections?: number
  /** Longest wait for a connection. */
  readonly connectTimeoutMs?: number
  /** Longest wait for the head of an answer, and between two pieces of its body, unless a request says otherwise. */
  readonly timeoutMs?: number
  /** Product token of the User-Agent header. */
  readonly userAgent?: string
}

/** One request. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, from the root of the origin. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>
  readonly timeoutMs?: number | undefined
  /** Most bytes of the answer. */
  readonly answerLimitBytes?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** The head of an answer, and its body: read it to the end, or abort. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** How often the client has repeated the request, where the status says that it may succeed later. */
  readonly repeated: number
  /** Bytes as they come; failures on the way are Problems. */
  readonly body: AsyncIterable<Uint8Array>
}

/** Talks to one server over a pool of kept connections. */
export interface HttpClient {
  readonly origin: string
  /**
   * Sends a request; any status is an answer.
   *
   * @throws {Problem} http/unreachable, http/timeout, http/unexpected, pipeline/interrupted
   */
  send(request: HttpRequest): Promise<HttpAnswer>
  /** Waits for what runs, then closes the connections. */
  close(): Promise<void>
}

/** Makes a client of one server: keep-alive pool, credentials, repetition, time and size limits. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const timeoutMs = options.timeoutMs ?? 60_000
  const connecting = {
    connections: options.connections ?? 16,
    keepAliveTimeout: 10_000,
    connect: { timeout: options.connectTimeoutMs ?? 10_000 },
  }
  const agent = createDispatcher(connecting, options.proxy)
  const retry = options.retry ?? defaultRetry
  const layers = [limitSize(), retryIdempotent(retry)]
  if (options.credentials) layers.unshift(authorize(options.credentials, options.origin))
  const dispatcher = agent.compose(layers)
  const userAgent = options.userAgent ?? 'landform'
  return {
    origin: options.origin,
    send: (request) =>
      send(dispatcher, options.origin, {
        ...request,
        userAgent,
        retry,
        timeoutMs: request.timeoutMs ?? timeoutMs,
      }),
    close: () => agent.close(),
  }
}

interface Sending extends HttpRequest {
  readonly userAgent: string
  readonly timeoutMs: number
  readonly retry: RetryPolicy
}

async function send(dispatcher: Dispatcher, origin: string, request: Sending): Promise<HttpAnswer> {
  const { method, path, signal, retry } = request
  const failed: FailedRequest = { origin, method, path, signal }
  try {
    const answer = await dispatcher.request(dispatchOptions(origin, request))
    return {
      status: answer.statusCode,
      headers: answer.headers,
      repeated: countRepetitions(retry, request, answer),
      body: readBody(answer.body, failed),
    }
  } catch (error) {
    throw problemOfFailure(error, {
      ...failed,
      countRepetitions: (code) => countRepetitions(retry, request, { code }),
    })
  }
}

function dispatchOptions(origin: string, request: Sending): Dispatcher.RequestOptions & LimitOptions {
  const { body, signal, answerLimitBytes } = request
  return {
    origin,
    path: request.path,
    method: request.method,
    headers: { 'user-agent': request.userAgent, accept: '*/*', ...request.headers },
    headersTimeout: request.timeoutMs,
    bodyTimeout: request.timeoutMs,
    ...(body === undefined ? {} : { body: bodyOf(body) }),
    ...(signal === undefined ? {} : { signal }),
    ...(answerLimitBytes === undefined ? {} : { answerLimitBytes }),
  }
}

function bodyOf(body: string | Uint8Array | AsyncIterable<Uint8Array>): string | Uint8Array | Readable {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  return Readable.from(body, { objectMode: false })
}

async function* readBody(body: AsyncIterable<Uint8Array>, failed: FailedRequest): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk
  } catch (error) {
    throw problemOfFailure(error, failed)
  }
}

/**
 * Reads the address of a server. A path stays: servers may stand below one.
 *
 * @throws {Problem} usage/bad-argument where it is no http address, or carries a password
 */
export function parseServerUrl(text: string): { readonly origin: string; readonly basePath: string } {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw problem('usage/bad-argument', `"${redactUrl(text)}" is no address of a server.`, {
      hint: 'Write it like http://127.0.0.1:8080.',
    })
  }
  if (url.username !== '' || url.password !== '') {
    throw problem('usage/bad-argument', `The address of ${url.host} carries a login.`, {
      hint: 'Addresses end up in logs: set LANDFORM_USER and LANDFORM_PASSWORD instead.',
    })
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') }
}

/** Takes login and password out of an address, for messages. */
export function redactUrl(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//')
}
