import type { IncomingHttpHeaders } from 'node:http'
import { membersOf } from '../../contract/bodies.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import { type Dialect, dialectHeader, dialectName, documentName } from '../../contract/dialect.ts'
import { type ErrorBody, ErrorSchema } from '../../contract/error.ts'
import { isCls } from '../../contract/registry.ts'
import { extraHeaders, type PlainAnswer } from '../../contract/route.ts'
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

/** Gives an answer as the original would have it. */
export function plainAnswer(name: RouteName, answer: Answer): Answer {
  const { plain = {}, response } = routeOf(name)
  const kept = Object.entries(answer.headers ?? {}).filter(([header]) => !extraHeaders.includes(header))
  const headers = Object.fromEntries(kept)
  if (!('json' in answer)) return { ...answer, headers }
  const status = plain.status === undefined ? {} : { status: plain.status }
  return { ...answer, headers, ...status, json: plainJson(plain, (response ?? {}) as Schema, answer.json) }
}

type JsonObject = Readonly<Record<string, unknown>>

function plainJson({ isNull, holdsResources, omits }: PlainAnswer, schema: Schema, json: unknown): unknown {
  if (isNull) return null
  if (holdsResources)
    return Array.isArray(json) ? json.map(plainRepresentation) : plainRepresentation(json as JsonObject)
  const pattern = omits === undefined ? undefined : new RegExp(omits)
  if (pattern !== undefined) return without(json as JsonObject, (key) => pattern.test(key))
  return withoutExtras(schema, json)
}

/** Leaves out of an object what its schema marks as ours. */
function withoutExtras({ properties = {} }: Partial<Schema>, json: unknown): unknown {
  const isOurs = (key: string) => annotationsOf(properties[key] ?? {})['x-extra'] === true
  return Object.keys(properties).some(isOurs) ? without(json as JsonObject, isOurs) : json
}

function plainRepresentation(body: JsonObject): JsonObject {
  const { cls } = body.resource as { readonly cls: string }
  const known = documentName(cls)
  const members = isCls(known) ? membersOf(known) : {}
  return Object.fromEntries(
    Object.entries(body).map(([member, values]) => [
      member,
      withoutExtras(members[documentName(member)] ?? {}, values),
    ]),
  )
}

function without(values: JsonObject, leaves: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !leaves(key)))
}

/** Gives the body of a failure as a server speaks: what of the request it names, by the names of the dialect. */
export function speakError(body: ErrorBody, { dialect, plain }: Speech): object {
  const told = dialect === 'document' ? body : translateError(body, dialect)
  return plain ? (withoutExtras(ErrorSchema, told) as object) : told
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
