import type { Static, TObject, TSchema } from 'typebox'
import type { BodySize, DatabaseUse } from './limits.ts'
import type { PermissionName } from './permissions.ts'
import { Type } from './schema/type.ts'

/** HTTP methods of the API. HEAD is available for every GET. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Kind of a request or response body; defaults to JSON. A `form` may be sent as JSON too. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'raw' | 'stream' | 'html' | 'file' | 'tile' | 'image'

/** OGC services whose errors are exception reports. */
export type ServiceProtocol = 'wfs' | 'wms' | 'wmts'

/** Query parameters whose names match a pattern. */
export interface MoreQuery {
  /** Regular expression of the names. */
  readonly pattern: string
  /** Supported names; `{keyname}` and `{key}` are placeholders for names in the data. */
  readonly examples: readonly string[]
  /** Maximum number in a request; repeated names count each time. */
  readonly maxCount: number
}

/** Differences of responses in plain mode, which behaves like the original API. */
export interface PlainAnswer {
  /** HTTP status of success; defaults to 200. */
  readonly status?: 201
  /** Whether the response is null. */
  readonly isNull?: true
  /** Whether the response has resources, without the members that `x-extension` marks in their classes. */
  readonly holdsResources?: true
  /** Regular expression of members to omit, in addition to those that `x-extension` marks. */
  readonly omits?: string
}

/** Response headers that the original API does not have. */
export const extraHeaders: readonly string[] = ['etag', 'x-total-count', 'x-complete']

/** Regular expression of the names of operations that the original API does not have. */
export const extraRoutes = '^landform\\.'

/** Tells whether the original API does not have an operation. */
export function isExtraRoute({ route, path }: RouteDescriptor): boolean {
  return new RegExp(extraRoutes).test(route) && path.startsWith('/api/')
}

/** HTTP operation. */
export interface RouteDescriptor {
  /** Name in the response of `/api/component/core/route`; operations on one path share it. */
  readonly route: string
  readonly method: Method
  /** Path with `{name}` placeholders; a trailing slash is optional in requests. */
  readonly path: string
  /** Other paths of the same operation. */
  readonly aliases?: readonly string[]
  /** Additional names in the `route` response, with their paths, for clients that look them up. */
  readonly otherRoutes?: Readonly<Record<string, string>>
  readonly summary: string
  /**
   * Service other than the resource service. The catalog has a base path or an address of its own, answers scripts of any
   * site, and has error bodies of its own; an empty query parameter is an absent one.
   */
  readonly service?: 'catalog'
  /**
   * Guests without permission are asked for credentials, as clients of OGC services expect. Errors of services other than
   * OGC API are exception reports.
   */
  readonly errors?: ServiceProtocol | 'ogcapi'
  /** Required permission on the resource `{id}` of the path; operations may check more. */
  readonly permission?: PermissionName
  /** Rejects guests before the body is read. */
  readonly forUsers?: true
  /** Does not authenticate the caller, and therefore works while the database is unavailable. */
  readonly isAnonymous?: true
  /** Starts or ends a session: cross-site requests are always rejected. */
  readonly changesSession?: true
  readonly plain?: PlainAnswer
  /**
   * Accepts an Idempotency-Key: a repeated request gets the stored response and is not executed again. Responses with
   * secrets are not stored: a repeated request is rejected with request/answer-lost.
   */
  readonly takesKey?: true
  readonly params?: TObject
  readonly query?: TObject
  /** Additional query parameters, whose names match a pattern. */
  readonly moreQuery?: MoreQuery
  readonly body?: TSchema
  readonly bodyKind?: BodyKind
  /** Maximum size of the body. @default medium */
  readonly bodySize?: BodySize
  /** Database load, which determines the statement timeout. @default query */
  readonly databaseUse?: DatabaseUse
  /** Integers beyond 2^53 in the JSON body keep their digits, for BIGINT values. */
  readonly hasLongNumbers?: true
  readonly response?: TSchema
  readonly responseKind?: BodyKind
}

/** Schema of the path parameter `{id}`. */
export const IdParams = Type.Object({ id: Type.Integer({ minimum: 0, description: 'Resource.' }) })

/** Schema of the path parameters `{id}` and `{fid}`. */
export const FeatureParams = Type.Object({
  id: Type.Integer({ minimum: 0, description: 'Resource.' }),
  fid: Type.Integer({ description: 'Feature.' }),
})

/** Schema of an empty object. */
export const EmptySchema = Type.Object({})

/** Schema of any JSON object, for bodies that depend on the class. */
export const AnyObjectSchema = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

/** Returns the schema of optional query parameters. */
export function query<P extends Record<string, TSchema>>(
  properties: P,
): TObject<{ [K in keyof P]: ReturnType<typeof Type.Optional<P[K]>> }> {
  const optional = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]),
  )
  return Type.Object(optional) as unknown as TObject<{
    [K in keyof P]: ReturnType<typeof Type.Optional<P[K]>>
  }>
}

/** Returns the schema of a comma-separated list in a query; the empty string is the empty list. */
export function list<T extends TSchema>(
  items: T,
  { maxItems, description }: { readonly maxItems: number; readonly description: string },
) {
  return Type.Array(items, { maxItems, description })
}

type StaticOr<S, Fallback> = S extends TSchema ? Static<S> : Fallback

/** Path parameters of an operation. */
export type ParamsOf<R extends RouteDescriptor> = StaticOr<R['params'], Record<never, never>>
/** Named query parameters of an operation, parsed. */
export type QueryOf<R extends RouteDescriptor> = StaticOr<R['query'], Record<never, never>>
/** JSON body of an operation's request. */
export type BodyOf<R extends RouteDescriptor> = StaticOr<R['body'], unknown>
/** JSON body of an operation's response. */
export type AnswerOf<R extends RouteDescriptor> = StaticOr<R['response'], unknown>
