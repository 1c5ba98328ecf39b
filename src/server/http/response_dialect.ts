import type { IncomingHttpHeaders } from 'node:http'
import { membersOf } from '../../contract/bodies.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import { type Dialect, dialectHeader, dialectName, documentName } from '../../contract/dialect.ts'
import type { ErrorBody } from '../../contract/error.ts'
import { isCls } from '../../contract/registry.ts'
import { type RouteName, routeOf } from '../../contract/routes.ts'
import type { Schema } from '../../contract/schema.ts'
import { joinPointer, splitPointer } from '../../core/pointer.ts'
import type { Answer } from './handler.ts'

/** How a server speaks. */
export interface Speech {
  /** Names that answers use, unless a request asks for others. */
  readonly dialect: Dialect
  /** Whether it behaves like the original, without anything of ours. */
  readonly plain: boolean
}

/** Tells which names the answer to a request is to have. */
export function dialectOf(headers: IncomingHttpHeaders, fallback: Dialect): Dialect {
  const asked = headers[dialectHeader]
  if (asked === 'ngw') return 'sister'
  return asked === 'document' ? 'document' : fallback
}

/** Tells whether an operation is an extra of ours that programs ask for. */
export function isExtra(name: RouteName): boolean {
  const { route, path } = routeOf(name)
  return route.startsWith(extraPrefix) && path.startsWith('/api/')
}

const extraPrefix = 'landform.'

/** Creations that the original answers with 201. */
const createdRoutes: ReadonlySet<RouteName> = new Set<RouteName>([
  'resource.create',
  'upload.raw',
  'auth.user_create',
  'auth.group_create',
])

/** Changes that the original answers with null. */
const silentRoutes: ReadonlySet<RouteName> = new Set<RouteName>(['resource.update', 'resource.delete'])

/** Headers of ours. */
const extraHeaders = ['etag', 'x-total-count', 'x-complete']

/** Gives an answer as the original would have it. */
export function plainAnswer(name: RouteName, answer: Answer): Answer {
  const kept = Object.entries(answer.headers ?? {}).filter(([header]) => !extraHeaders.includes(header))
  const headers = Object.fromEntries(kept)
  if (!('json' in answer)) return { ...answer, headers }
  const status = createdRoutes.has(name) ? { status: 201 } : {}
  return { ...answer, headers, ...status, json: plainJson(name, answer.json) }
}

type JsonObject = Readonly<Record<string, unknown>>

function plainJson(name: RouteName, json: unknown): unknown {
  if (silentRoutes.has(name)) return null
  if (name === 'resource.create') return without(json as JsonObject, (key) => key === 'report')
  if (name === 'instance.version') return without(json as JsonObject, (key) => key === 'landform')
  if (name === 'instance.routes') return without(json as JsonObject, (key) => key.startsWith(extraPrefix))
  if (name === 'resource.get') return plainRepresentation(json as JsonObject)
  if (name === 'resource.list' || name === 'resource.search')
    return (json as JsonObject[]).map(plainRepresentation)
  const { properties = {} } = (routeOf(name).response ?? {}) as Schema
  const isOurs = (key: string) => annotationsOf(properties[key] ?? {})['x-extra'] === true
  return Object.keys(properties).some(isOurs) ? without(json as JsonObject, isOurs) : json
}

function plainRepresentation(body: JsonObject): JsonObject {
  const { cls } = body.resource as { readonly cls: string }
  const known = documentName(cls)
  const members = isCls(known) ? membersOf(known) : {}
  return Object.fromEntries(
    Object.entries(body).map(([member, values]) => {
      const { properties = {} } = members[documentName(member)] ?? {}
      const isOurs = (key: string) => annotationsOf(properties[key] ?? {})['x-extra'] === true
      return [member, without(values as JsonObject, isOurs)]
    }),
  )
}

function without(values: JsonObject, leaves: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !leaves(key)))
}

/** What the original does not tell of a failure. */
const ours: readonly string[] = ['code', 'hint']

/** Gives the body of a failure as a server speaks: what of the request it names, by the names of the dialect. */
export function speakError(body: ErrorBody, { dialect, plain }: Speech): object {
  const told = dialect === 'document' ? body : translateError(body, dialect)
  return plain ? without({ ...told }, (key) => ours.includes(key)) : told
}

/** Facts of a failure that are names of classes. */
const classFacts = ['cls', 'parent_cls']

function translateError(fault: ErrorBody, dialect: Dialect): ErrorBody {
  const facts = Object.entries(fault.data).map(([key, value]) => {
    const isName = classFacts.includes(key) && typeof value === 'string'
    return [key, isName ? dialectName(value, dialect) : value] as const
  })
  const body = { ...fault, data: Object.fromEntries(facts) }
  const { location } = body.data as { readonly location?: readonly unknown[] }
  const [part, pointer] = location ?? []
  if (part !== 'body' || typeof pointer !== 'string') return body
  const [member = '', ...rest] = splitPointer(pointer)
  const name = dialectName(member, dialect)
  // As `invalidAt` writes it.
  const message = body.message.replace(` - at $.${member}`, () => ` - at $.${name}`)
  return { ...body, message, data: { ...body.data, location: [part, joinPointer('', name, ...rest)] } }
}
