import { randomUUID } from 'node:crypto'
import type { Dialect } from '../contract/dialect.ts'
import { keyHeader } from '../contract/idempotency.ts'
import { problem } from '../contract/problems.ts'
import { formatParameter } from '../contract/query.ts'
import type { AnswerOf, BodyOf, ParamsOf, QueryOf } from '../contract/route.ts'
import { type RouteName, routeOf, type routes } from '../contract/routes.ts'
import type { Credentials, Token } from '../http/authorize.ts'
import { createHttpClient, type HttpAnswer, type HttpClient, parseServerUrl } from '../http/client.ts'
import type { ProxySettings } from '../http/proxy.ts'
import type { RetryPolicy } from '../http/retry.ts'
import { problemOfAnswer } from './failure.ts'
import { readText } from './lines.ts'
import { offers } from './server.ts'

type Routes = typeof routes

/** Path parameters of an operation; needed where its path has placeholders. */
type ParamsPart<R extends RouteName> = keyof ParamsOf<Routes[R]> extends never
  ? { readonly params?: undefined }
  : { readonly params: ParamsOf<Routes[R]> }

/** What goes along with a call. */
export type CallOptions<R extends RouteName> = ParamsPart<R> & {
  readonly query?: QueryOf<Routes[R]>
  /** Parameters of the operation's `moreQuery`, in order. */
  readonly more?: readonly (readonly [name: string, value: string])[]
  readonly body?: BodyOf<Routes[R]>
  /** Bytes to send in the place of a JSON body; sent once, never repeated. */
  readonly stream?: AsyncIterable<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
  /** Asks for the head of the answer alone. */
  readonly head?: boolean
  /** What names a creation that its caller may send again: one for all attempts. One is made up where absent. */
  readonly key?: string
  readonly signal?: AbortSignal | undefined
  /** Longest wait for the head of the answer, and between two pieces of it. */
  readonly timeoutMs?: number
}

type Arguments<R extends RouteName> = keyof ParamsOf<Routes[R]> extends never
  ? [options?: CallOptions<R>]
  : [options: CallOptions<R>]

/** A server, as its operations. */
export interface Api {
  /** Address, without a final slash. */
  readonly url: string
  /**
   * Calls an operation that answers with JSON. Any 2xx is a success; an empty body counts as null.
   *
   * @throws {Problem} with the server's own code, or http/unreachable, http/timeout, http/unexpected
   */
  call<R extends RouteName>(name: R, ...options: Arguments<R>): Promise<AnswerOf<Routes[R]>>
  /**
   * Calls an operation that answers with a stream or a file; read the body to its end.
   *
   * @throws {Problem} as `call`
   */
  open<R extends RouteName>(name: R, ...options: Arguments<R>): Promise<HttpAnswer>
  /** Which names the server reads; `document` until something else is found out. */
  readonly dialect: Dialect
  /** Uses the names and paths of another dialect from here on. */
  speak(dialect: Dialect): void
  close(): Promise<void>
}

/** Where a server is and how to talk to it. */
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

/** Largest JSON answer that is taken into memory. */
const answerLimitBytes = 256 * 1024 * 1024

/**
 * Connects to a server; nothing is sent until the first call.
 *
 * @throws {Problem} usage/bad-argument where the address is none
 */
export function createApi({ url, credentials, dialect = 'document', ...rest }: ApiOptions): Api {
  const { origin, basePath } = parseServerUrl(url)
  const client = createHttpClient({ origin, ...rest, ...(credentials ? { credentials } : {}) })
  const spoken = { dialect }
  const send = (name: RouteName, options: Loose = {}) =>
    sendCall({ client, basePath, name, dialect: spoken.dialect }, options)
  const keyed = createKeyed(() => offers(api, 'instance.keys', undefined))
  const api: Api = {
    url: origin + basePath,
    get dialect() {
      return spoken.dialect
    },
    speak: (next) => {
      spoken.dialect = next
    },
    open: (name, ...[options]) => send(name, options),
    call: async (name, ...[options]) => {
      const headers = await keyed(name, options)
      const answer = await send(name, { ...options, headers, answerLimitBytes })
      return (await readJson(answer, `${routeOf(name).method} ${routeOf(name).path} on ${origin}`)) as never
    },
    close: () => client.close(),
  }
  return api
}

type Headers = Readonly<Record<string, string>>

/**
 * Makes what adds a key to the headers of a creation, where the server does those once: then they are repeated like what
 * does no harm. Which server does is found out at the first of them. A stream is sent once, with or without.
 */
function createKeyed(
  findOut: () => Promise<boolean>,
): (name: RouteName, options?: Loose) => Promise<Headers> {
  let keeps: Promise<boolean> | undefined
  return async (name, { headers = {}, key = randomUUID(), stream } = {}) => {
    if (routeOf(name).takesKey !== true || stream !== undefined) return headers
    keeps ??= findOut()
    try {
      return (await keeps) ? { [keyHeader]: key, ...headers } : headers
    } catch (error) {
      keeps = undefined
      throw error
    }
  }
}

interface Loose {
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
  readonly answerLimitBytes?: number
}

interface Target {
  readonly client: HttpClient
  readonly basePath: string
  readonly name: RouteName
  readonly dialect: Dialect
}

async function sendCall(target: Target, options: Loose): Promise<HttpAnswer> {
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
    answerLimitBytes: options.answerLimitBytes,
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

function pathOf(name: RouteName, dialect: Dialect, params: Loose['params']): string {
  const { path, aliases = [] } = routeOf(name)
  const template =
    dialect === 'sister' ? (aliases.find((alias) => alias.includes('/component/pyramid/')) ?? path) : path
  return template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    encodeURIComponent(String(params?.[parameter])),
  )
}

function queryOf({ query = {}, more = [] }: Loose): string {
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
    const type = String(answer.headers['content-type'] ?? 'something without a type')
    throw problem('http/unexpected', `${what} was answered with ${type}, which is no JSON.`)
  }
}
