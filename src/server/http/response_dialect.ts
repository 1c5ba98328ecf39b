import type { IncomingHttpHeaders } from 'node:http'
import { membersOf } from '../../contract/bodies/bodies.ts'
import { type ErrorBody, ErrorSchema } from '../../contract/bodies/error.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import { type Dialect, dialectHeader, dialectName, documentName } from '../../contract/dialect/dialect.ts'
import { isCls } from '../../contract/registry.ts'
import { extraHeaders, type PlainAnswer } from '../../contract/route.ts'
import { type RouteName, routeOf } from '../../contract/routes.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { joinPointer, splitPointer } from '../../core/pointer.ts'
import type { Answer } from './handler.ts'

/** Dialect and extensions of the responses of a server. */
export interface ResponseStyle {
  /** Default dialect of names, which a request header can override. */
  readonly dialect: Dialect
  /** Whether responses omit all extensions of landform. */
  readonly plain: boolean
}

/** Returns the dialect of names for the response to a request. */
export function dialectOf(headers: IncomingHttpHeaders, fallback: Dialect): Dialect {
  const requested = headers[dialectHeader]
  if (requested === 'ngw') return 'nextgis'
  return requested === 'document' ? 'document' : fallback
}

/** Returns the headers of a response without those of landform. */
export function plainHeaders({ headers = {} }: Pick<Answer, 'headers'>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([header]) => !extraHeaders.includes(header)))
}

/** Removes the extensions of landform from a response. */
export function plainAnswer(name: RouteName, answer: Answer): Answer {
  const { plain = {}, response } = routeOf(name)
  const headers = plainHeaders(answer)
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
  if (pattern !== undefined) return omit(json as JsonObject, (key) => pattern.test(key))
  return omitExtensions(schema, json)
}

/** Removes the members that a schema marks as extensions from an object, and from the items of its lists. */
function omitExtensions({ properties = {} }: Partial<Schema>, json: unknown): unknown {
  const isExtension = (key: string) => annotationsOf(properties[key] ?? {})['x-extension'] === true
  const names = Object.keys(properties)
  const lists = names.filter((name) =>
    Object.values(properties[name]?.items?.properties ?? {}).some(isMarked),
  )
  if (lists.length === 0 && !names.some(isExtension)) return json
  const kept = omit(json as JsonObject, isExtension)
  const items = lists.flatMap((name) => {
    const list = kept[name]
    return Array.isArray(list)
      ? [[name, list.map((item) => omitExtensions(properties[name]?.items ?? {}, item))]]
      : []
  })
  return { ...kept, ...Object.fromEntries(items) }
}

const isMarked = (schema: Schema) => annotationsOf(schema)['x-extension'] === true

function plainRepresentation(body: JsonObject): JsonObject {
  const { cls } = body.resource as { readonly cls: string }
  const known = documentName(cls)
  const members = isCls(known) ? membersOf(known) : {}
  return Object.fromEntries(
    Object.entries(body).map(([member, values]) => [
      member,
      omitExtensions(members[documentName(member)] ?? {}, values),
    ]),
  )
}

function omit(values: JsonObject, isOmitted: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isOmitted(key)))
}

/** Encodes an error body, with the class and member names of the dialect. */
export function encodeError(body: ErrorBody, { dialect, plain }: ResponseStyle): object {
  const translated = dialect === 'document' ? body : translateError(body, dialect)
  return plain ? (omitExtensions(ErrorSchema, translated) as object) : translated
}

/** Members of an error's data that are class names. */
const classMembers = ['cls', 'parent_cls']

function translateError(fault: ErrorBody, dialect: Dialect): ErrorBody {
  const entries = Object.entries(fault.data).map(([key, value]) => {
    const isName = classMembers.includes(key) && typeof value === 'string'
    return [key, isName ? dialectName(value, dialect) : value] as const
  })
  const body = { ...fault, data: Object.fromEntries(entries) }
  const { location } = body.data as { readonly location?: readonly unknown[] }
  const [part, pointer] = location ?? []
  if (part !== 'body' || typeof pointer !== 'string') return body
  const [member = '', ...rest] = splitPointer(pointer)
  const name = dialectName(member, dialect)
  // Matches the format of `invalidAt`.
  const message = body.message.replace(` - at $.${member}`, () => ` - at $.${name}`)
  return { ...body, message, data: { ...body.data, location: [part, joinPointer('', name, ...rest)] } }
}
