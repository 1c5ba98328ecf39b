import { randomUUID } from 'node:crypto'
import { keyHeader } from '../contract/bodies/idempotency.ts'
import type { Dialect } from '../contract/dialect/dialect.ts'
import { problem } from '../contract/problems.ts'
import { formatParameter } from '../contract/query.ts'
import type { AnswerOf, BodyOf, ParamsOf, QueryOf } from '../contract/route.ts'
import { type RouteName, routeOf, type routes } from '../contract/routes.ts'
import type { Credentials, Token } from '../http/authorize.ts'
import { createHttpClient, type HttpAnswer, type HttpClient, parseServerUrl } from '../http/client.ts'
import type { ProxySettings } from '../http/proxy.ts'
import type { RetryPolicy } from '../http/retry.ts'
import { supportsRoute } from './detect_server.ts'
import { problemOfAnswer } from './failure.ts'
import { readText } from './read_lines.ts'

type Routes = typeof routes

/** Path parameters of an operation; required if its path has placeholders. */
type ParamsPart<R extends RouteName> = keyof ParamsOf<Routes[R]> extends never
  ? { readonly params?: undefined }
  : { readonly params: ParamsOf<Routes[R]> }

/** Parameters, body and options of a call. */
export type CallOptions<R extends RouteName> = ParamsPart<R> & {
  readonly query?: QueryOf<Routes[R]>
  /** Parameters of the operation's `moreQuery`, in order. */
  readonly more?: readonly (readonly [name: string, value: string])[]
  readonly body?: BodyOf<Routes[R]>
  /** Bytes to send instead of a JSON body; never retried. */
  readonly stream?: AsyncIterable<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
  /** Requests the headers only. */
  readonly head?: boolean
  /** Idempotency key, the same for all attempts of a creation. Generated if absent. */
  readonly key?: string
  readonly signal?: AbortSignal | undefined
  /** Maximum wait for the response headers, and between two chunks of the body. */
  readonly timeoutMs?: number
}

type Arguments<R extends RouteName> = keyof ParamsOf<Routes[R]> extends never
  ? [options?: CallOptions<R>]
  : [options: CallOptions<R>]

/** Client of a server. */
export interface Api {
  /** Address, without a final slash. */
  readonly url: string
  /**
   * Calls an operation with a JSON response. Any 2xx status is a success; an empty body is parsed as null.
   *
   * @throws {Problem} with the code sent by the server, or http/unreachable, http/timeout, http/unexpected
   */
  call<R extends RouteName>(name: R, ...options: Arguments<R>): Promise<AnswerOf<Routes[R]>>
  /**
   * Calls an operation that returns a stream or a file; the caller has to read the body to the end.
   *
   * @throws {Problem} as `call`
   */
  open<R extends RouteName>(name: R, ...options: Arguments<R>): Promise<HttpAnswer>
  /** Dialect of the server; `document` until another one is detected. */
  readonly dialect: Dialect
  /** Sets the dialect of later calls. */
  setDialect(dialect: Dialect): void
  close(): Promise<void>
}

/** Address of a server, and options of the connection. */
export interface ApiOptions {
  readonly url: string
  readonly credentials?: Credentials | Token | undefined
  readonly dialect?: Dialect
  readonly retry?: RetryPolicy
  readonly proxy?: ProxySettings
  readonly timeoutMs?: number
  readonly connections?: number
  readonly userAgent?: string
}

/** Maximum size of a JSON response, which is held in memory. */
const maxResponseBytes = 256 * 1024 * 1024

/**
 * Creates a client of a server; nothing is sent until the first call.
 *
 * @throws {Problem} usage/bad-argument if the address is not a valid URL
 */
export function createApi({ url, credentials, dialect = 'document', ...rest }: ApiOptions): Api {
  const { origin, basePath } = parseServerUrl(url)
  const client = createHttpClient({ origin, ...rest, ...(credentials ? { credentials } : {}) })
  let current = dialect
  const send = (name: RouteName, options: UntypedOptions = {}) =>
    sendCall({ client, basePath, name, dialect: current }, options)
  const keyHeaders = createKeyHeaders(() => supportsRoute(api, 'instance.keys', undefined))
  const api: Api = {
    url: origin + basePath,
    get dialect() {
      return current
    },
    setDialect: (next) => {
      current = next
    },
    open: (name, ...[options]) => send(name, options),
    call: async (name, ...[options]) => {
      const headers = await keyHeaders(name, options)
      const answer = await send(name, { ...options, headers, maxResponseBytes })
      return (await readJson(answer, `${routeOf(name).method} ${routeOf(name).path} on ${origin}`)) as never
    },
    close: () => client.close(),
  }
  return api
}

type Headers = Readonly<Record<string, string>>

/**
 * Returns a function that adds an idempotency key to the headers of a creation, so that it can be retried, if the server
 * supports keys. That is detected with the first creation. Streams get no key, because they are never retried.
 */
function createKeyHeaders(
  detect: () => Promise<boolean>,
): (name: RouteName, options?: UntypedOptions) => Promise<Headers> {
  let supported: Promise<boolean> | undefined
  return async (name, { headers = {}, key = randomUUID(), stream } = {}) => {
    if (routeOf(name).takesKey !== true || stream !== undefined) return headers
    supported ??= detect()
    try {
      return (await supported) ? { [keyHeader]: key, ...headers } : headers
    } catch (error) {
      supported = undefined
      throw error
    }
  }
}

interface UntypedOptions {
  readonly key?: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query?: Readonly<Record<string, unknown>>
  readonly more?: readonly (readonly [string, string])[]
  readonly body?: unknown
  readonly stream?: AsyncIterable<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
  readonly head?: boolean
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
  readonly maxResponseBytes?: number
}

interface Target {
  readonly client: HttpClient
  readonly basePath: string
  readonly name: RouteName
  readonly dialect: Dialect
}

async function sendCall(target: Target, options: UntypedOptions): Promise<HttpAnswer> {
  const method = options.head ? 'HEAD' : routeOf(target.name).method
  const path = target.basePath + pathOf(target.name, target.dialect, options.params) + queryOf(options)
  const body = options.stream ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  const json = body !== undefined && options.stream === undefined
  const answer = await target.client.send({
    method,
    path,
    headers: { ...(json ? { 'content-type': 'application/json' } : {}), ...options.headers },
    ...(body === undefined ? {} : { body }),
    timeoutMs: options.timeoutMs,
    maxResponseBytes: options.maxResponseBytes,
    signal: options.signal,
  })
  if (answer.status >= 200 && answer.status < 300) return answer
  throw problemOfAnswer({
    status: answer.status,
    origin: target.client.origin,
    what: `${method} ${path.split('?')[0]}`,
    text: await readText(answer.body),
    repeated: answer.repeated,
    location: answer.status < 400 ? String(answer.headers.location ?? '') || undefined : undefined,
  })
}

function pathOf(name: RouteName, dialect: Dialect, params: UntypedOptions['params']): string {
  const { path, aliases = [] } = routeOf(name)
  const template =
    dialect === 'nextgis' ? (aliases.find((alias) => alias.includes('/component/pyramid/')) ?? path) : path
  return template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    encodeURIComponent(String(params?.[parameter])),
  )
}

function queryOf({ query = {}, more = [] }: UntypedOptions): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.append(name, formatParameter(value))
  for (const [name, value] of more) parameters.append(name, value)
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

async function readJson(answer: HttpAnswer, what: string): Promise<unknown> {
  const text = await readText(answer.body)
  if (text.trim() === '') return null
  try {
    return JSON.parse(text)
  } catch {
    const type = String(answer.headers['content-type'] ?? 'no content type')
    throw problem('http/unexpected', `${what} returned ${type} instead of JSON.`)
  }
}
