import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { PermissionMask } from '../../access/permission_mask.ts'
import type { Dialect } from '../../contract/dialect.ts'
import type { AnswerOf, BodyOf, ParamsOf, QueryOf } from '../../contract/route.ts'
import type { RouteName, routes } from '../../contract/routes.ts'
import type { Log } from '../../core/log.ts'
import type { Caller } from '../auth/caller.ts'
import type { ServerContext } from '../context.ts'
import type { Once } from './idempotent_request.ts'

type Routes = typeof routes

/** One request, read and checked against its operation in the contract. */
export interface ApiRequest<R extends RouteName = RouteName> {
  readonly context: ServerContext
  /** Names the request in logs and error bodies. */
  readonly id: string
  readonly log: Log
  /** Who asks. */
  readonly caller: Caller
  /** Where the client is, as far as proxies are believed. */
  readonly address: string
  /** Whether the client came by https. */
  readonly secure: boolean
  /** Names the answer uses. */
  readonly dialect: Dialect
  /** Header fields, by lower-case name. */
  readonly headers: IncomingHttpHeaders
  /** What the caller may do with the resource `{id}` of the path; nothing where the operation asks for no permission. */
  readonly mask: PermissionMask
  readonly params: ParamsOf<Routes[R]>
  readonly query: QueryOf<Routes[R]>
  /** Query parameters of the operation's `moreQuery`, as text, in order. */
  readonly more: readonly (readonly [name: string, value: string])[]
  /** JSON body; undefined where none was sent, or where the operation reads `raw` itself. */
  readonly body: BodyOf<Routes[R]>
  readonly raw: IncomingMessage
  /** Keeps the answer for a request that comes again; it has begun where the body is JSON. */
  readonly once: Once
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
}

/** What an operation answers. Streams and bytes carry their own media type. */
export type Answer<Json = unknown> = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
} & (
  | { readonly json: Json }
  | { readonly stream: AsyncIterable<Uint8Array>; readonly mediaType: string }
  | { readonly bytes: Uint8Array; readonly mediaType: string }
  | { readonly empty: true }
)

/** Does one operation. Its permission on `{id}`, where the contract names one, was checked before. */
export type Handler<R extends RouteName> = (request: ApiRequest<R>) => Promise<Answer<AnswerOf<Routes[R]>>>

/** Operations of one area. */
export type Handlers<R extends RouteName> = { readonly [N in R]: Handler<N> }
