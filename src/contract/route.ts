import type { Static, TObject, TSchema } from 'typebox'
import type { BodySize, DatabaseUse } from './limits.ts'
import type { PermissionName } from './permissions.ts'
import { Type } from './type.ts'

/** HTTP methods of the API. HEAD works wherever GET does. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What the body of a request or an answer is, when it is not JSON. A `form` may be sent as JSON too. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'raw' | 'stream' | 'html' | 'file' | 'tile' | 'image'

/** Parameters of a query whose names follow a pattern. */
export interface MoreQuery {
  /** Regular expression of the names. */
  readonly pattern: string
  /** Every form of name that has a meaning; `{keyname}` and `{key}` stand for words of the data. */
  readonly examples: readonly string[]
  /** Most of them in one request; a repeated name counts each time. */
  readonly maxCount: number
}

/** What a server in plain mode, which behaves like the original, answers differently. */
export interface PlainAnswer {
  /** Status of a success; 200 where absent. */
  readonly status?: 201
  /** Whether it answers null. */
  readonly isNull?: true
  /** Whether it answers a resource or a list of them, without what `x-extra` marks in their classes. */
  readonly holdsResources?: true
  /** Regular expression of the members that it leaves out, beside those that `x-extra` marks. */
  readonly omits?: string
}

/** Headers of answers that the original does not have. */
export const extraHeaders: readonly string[] = ['etag', 'x-total-count', 'x-complete']

/** Regular expression of the names of our own operations. */
export const extraRoutes = '^landform\\.'

/** Tells whether an operation of the API is one that the original does not have. */
export function isExtraRoute({ route, path }: RouteDescriptor): boolean {
  return new RegExp(extraRoutes).test(route) && path.startsWith('/api/')
}

/** One HTTP operation. */
export interface RouteDescriptor {
  /** Name in the `route` answer; operations on one path share it. */
  readonly route: string
  readonly method: Method
  /** Path with `{name}` placeholders; a final slash is optional for callers. */
  readonly path: string
  /** Other paths of the same operation. */
  readonly aliases?: readonly string[]
  /** Other names in the `route` answer that clients look up, each with its path. */
  readonly otherRoutes?: Readonly<Record<string, string>>
  readonly summary: string
  /** Permission on the resource `{id}` of the path; further checks are the operation's own. */
  readonly permission?: PermissionName
  /** Refuses guests, before it reads the body. */
  readonly forUsers?: true
  /** Answers without finding out who the caller is, even while the database with all users is away. */
  readonly isAnonymous?: true
  /** Starts or ends a session: a request from a page of another site is refused, whoever the caller is. */
  readonly changesSession?: true
  readonly plain?: PlainAnswer
  /**
   * Takes an Idempotency-Key: sent again under the same key, it is answered again, and not done again. An answer with a
   * secret is not repeated: the request is refused with request/answer-lost then.
   */
  readonly takesKey?: true
  readonly params?: TObject
  readonly query?: TObject
  /** Parameters beyond the named ones that the operation reads. */
  readonly moreQuery?: MoreQuery
  readonly body?: TSchema
  readonly bodyKind?: BodyKind
  /** Largest body that is read as a whole. @default medium */
  readonly bodySize?: BodySize
  /** How long one statement may take. @default query */
  readonly databaseUse?: DatabaseUse
  /** Whole numbers of the JSON body that are beyond 2^53 keep their digits: clients write BIGINT so. */
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

/** Schema of an empty object answer. */
export const EmptySchema = Type.Object({})

/** Schema of any JSON object; used where the class decides the shape. */
export const AnyObjectSchema = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

/** Optional query parameters by name. */
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

/** A list in a query: values between commas; the empty string is the empty list. */
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
/** JSON body of an operation's answer. */
export type AnswerOf<R extends RouteDescriptor> = StaticOr<R['response'], unknown>
