import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { problem } from '../contract/problems.ts'
import { authorize, type Credentials, type Token } from './authorize.ts'
import { type FailedRequest, problemOfFailure } from './failure.ts'
import { type LimitOptions, limitSize } from './limit_size.ts'
import { createDispatcher, type ProxySettings } from './proxy.ts'
import { countRetries, defaultRetry, type RetryPolicy, retryIdempotent } from './retry.ts'

/** How a client reaches its server. */
export interface HttpClientOptions {
  /** Scheme, host and port: `https://maps.example.org`. */
  readonly origin: string
  readonly credentials?: Credentials | Token
  readonly retry?: RetryPolicy
  /** Proxies to use; no proxy if absent. */
  readonly proxy?: ProxySettings
  /** Maximum number of concurrent connections. */
  readonly connections?: number
  /** Connection timeout. */
  readonly connectTimeoutMs?: number
  /** Timeout of every request for the response headers, and between two chunks of the body. Without it, requests choose. */
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
  /** Maximum size of the response body. */
  readonly maxResponseBytes?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** A response. The caller reads the body to its end, or aborts the request. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Number of retries if the status is transient, otherwise 0. */
  readonly repeated: number
  /** Response body as a stream; failures while reading are Problems. */
  readonly body: AsyncIterable<Uint8Array>
}

/** An HTTP client for one server with a keep-alive connection pool. */
export interface HttpClient {
  readonly origin: string
  /**
   * Sends a request. Every status resolves, including 4xx and 5xx.
   *
   * @throws {Problem} http/unreachable, http/timeout, http/unexpected, pipeline/interrupted
   */
  send(request: HttpRequest): Promise<HttpAnswer>
  /** Waits for running requests, then closes the connections. */
  close(): Promise<void>
}

const defaultTimeoutMs = 60_000

/** Creates a client for one server: keep-alive pool, credentials, retries, timeouts and size limits. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const connectOptions = {
    connections: options.connections ?? 16,
    keepAliveTimeout: 10_000,
    connect: { timeout: options.connectTimeoutMs ?? 10_000 },
  }
  const agent = createDispatcher(connectOptions, options.proxy)
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
        timeoutMs: options.timeoutMs ?? request.timeoutMs ?? defaultTimeoutMs,
      }),
    close: () => agent.close(),
  }
}

interface SendOptions extends HttpRequest {
  readonly userAgent: string
  readonly timeoutMs: number
  readonly retry: RetryPolicy
}

async function send(dispatcher: Dispatcher, origin: string, request: SendOptions): Promise<HttpAnswer> {
  const { method, path, signal, retry } = request
  const failed: FailedRequest = { origin, method, path, signal }
  try {
    const response = await dispatcher.request(dispatchOptions(origin, request))
    return {
      status: response.statusCode,
      headers: response.headers,
      repeated: countRetries(retry, request, response),
      body: readBody(response.body, failed),
    }
  } catch (error) {
    throw problemOfFailure(error, {
      ...failed,
      countRetries: (code) => countRetries(retry, request, { code }),
    })
  }
}

function dispatchOptions(origin: string, request: SendOptions): Dispatcher.RequestOptions & LimitOptions {
  const { body, signal, maxResponseBytes } = request
  return {
    origin,
    path: request.path,
    method: request.method,
    headers: { 'user-agent': request.userAgent, accept: '*/*', ...request.headers },
    headersTimeout: request.timeoutMs,
    bodyTimeout: request.timeoutMs,
    ...(body === undefined ? {} : { body: bodyOf(body) }),
    ...(signal === undefined ? {} : { signal }),
    ...(maxResponseBytes === undefined ? {} : { maxResponseBytes }),
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
 * Parses the URL of a server. The path is the base path of its routes.
 *
 * @throws {Problem} usage/bad-argument if the URL is not http or https, or contains credentials
 */
export function parseServerUrl(text: string): { readonly origin: string; readonly basePath: string } {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw problem('usage/bad-argument', `"${redactUrl(text)}" is not a server URL.`, {
      hint: 'Use a URL such as http://127.0.0.1:8080.',
    })
  }
  if (url.username !== '' || url.password !== '') {
    throw problem('usage/bad-argument', `The URL of ${url.host} contains credentials.`, {
      hint: 'URLs are written to logs: set LANDFORM_USER and LANDFORM_PASSWORD instead.',
    })
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') }
}

/** Removes user name and password from a URL, for messages. */
export function redactUrl(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//')
}
