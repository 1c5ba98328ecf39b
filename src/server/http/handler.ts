import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { PermissionMask } from '../../access/permission_mask.ts'
import type { Dialect } from '../../contract/dialect/dialect.ts'
import type { AnswerOf, BodyOf, ParamsOf, QueryOf } from '../../contract/route.ts'
import type { RouteName, routes } from '../../contract/routes.ts'
import type { Log } from '../../core/log.ts'
import type { Caller } from '../auth/caller.ts'
import type { ServerContext } from '../context.ts'
import type { Idempotency } from './idempotent_request.ts'

type Routes = typeof routes

/** A request, parsed and validated against its route in the contract. */
export interface ApiRequest<R extends RouteName = RouteName> {
  readonly context: ServerContext
  /** Request id in logs and error bodies. */
  readonly id: string
  readonly log: Log
  readonly caller: Caller
  /** Address of the client, by X-Forwarded-For of trusted proxies. */
  readonly address: string
  /** URL of the request, with the scheme and host that the client uses. */
  readonly url: string
  /** Whether the client uses https. */
  readonly secure: boolean
  /** Dialect of names in the response. */
  readonly dialect: Dialect
  /** Header fields, by lower-case name. */
  readonly headers: IncomingHttpHeaders
  /** Permissions of the caller on the resource `{id}` of the path; 0 if the route requires no permission. */
  readonly mask: PermissionMask
  readonly params: ParamsOf<Routes[R]>
  readonly query: QueryOf<Routes[R]>
  /** Query parameters of the route's `moreQuery`, as strings, in order. */
  readonly more: readonly (readonly [name: string, value: string])[]
  /** JSON body; undefined if absent, or if the operation reads `raw` itself. */
  readonly body: BodyOf<Routes[R]>
  readonly raw: IncomingMessage
  /** Stores the response for repeated requests with the same key; already begun if the body is JSON. */
  readonly idempotency: Idempotency
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** What differs between requests for one URL. */
export type RepeatedRequest = Pick<ApiRequest, 'caller' | 'headers' | 'dialect'>

/** An answer from memory. */
export type QuickAnswer = Exclude<Answer, { readonly json: unknown } | { readonly stream: unknown }>

/** Answers a request for the same URL as its handler does, from memory; undefined if anything else is needed. */
export type AnswerAgain = (request: RepeatedRequest) => QuickAnswer | undefined

/** Result of an operation. Streams and bytes carry their own media type. */
export type Answer<Json = unknown> = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** For operations that are often repeated: it spares further requests for the URL most work. */
  readonly again?: AnswerAgain
} & (
  | { readonly json: Json }
  | { readonly stream: AsyncIterable<Uint8Array>; readonly mediaType: string }
  | { readonly bytes: Uint8Array; readonly mediaType: string }
  | { readonly empty: true }
)

/** Executes one operation. The permission that the contract requires on `{id}` is already checked. */
export type Handler<R extends RouteName> = (request: ApiRequest<R>) => Promise<Answer<AnswerOf<Routes[R]>>>

/** Handlers of a group of routes. */
export type Handlers<R extends RouteName> = { readonly [N in R]: Handler<N> }
