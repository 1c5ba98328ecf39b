import type { TObject } from 'typebox'
import { keyHeader, keyPattern } from '../bodies/idempotency.ts'
import { bodyLimitOf, formLimits, statementLimitOf } from '../limits.ts'
import type { BodyKind, MoreQuery, RouteDescriptor } from '../route.ts'
import { type RouteName, routeOf } from '../routes.ts'
import { schemaReference } from './bodies.ts'

/** Returns the tag of an operation: the first part of its name. */
export function tagOf(name: RouteName): string {
  return name.split('.')[0] ?? name
}

/** Describes an operation. */
export function operationOf(name: RouteName): object {
  const route = routeOf(name)
  const body = requestBody(name, route)
  return {
    operationId: name,
    summary: route.summary,
    tags: [tagOf(name)],
    'x-statement-seconds': statementLimitOf(route),
    ...(route.permission === undefined ? {} : { 'x-permission': route.permission }),
    ...(route.aliases === undefined ? {} : { 'x-aliases': route.aliases }),
    parameters: [
      ...parametersOf(route.params, 'path'),
      ...parametersOf(route.query, 'query'),
      ...(route.moreQuery === undefined ? [] : [moreParameters(route.moreQuery)]),
      ...(route.takesKey === true ? [keyParameter] : []),
    ],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...successOf(name, route), default: failureOf(route) },
  }
}

function parametersOf(schema: TObject | undefined, place: 'path' | 'query'): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = property as { description?: string; type?: string }
    return {
      name,
      in: place,
      ...(place === 'path' ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema: rest,
      // Lists are comma-separated.
      ...(rest.type === 'array' ? { style: 'form', explode: false } : {}),
    }
  })
}

const keyParameter = {
  name: keyHeader,
  in: 'header',
  description:
    'Identifies the request: a repeated request with the same key gets the same response and is not executed again.',
  schema: { type: 'string', pattern: keyPattern },
}

function moreParameters({ examples, maxCount }: MoreQuery): object {
  return {
    name: 'conditions',
    in: 'query',
    description: `Up to ${maxCount} further parameters: ${examples.join(', ')}.`,
    style: 'form',
    explode: true,
    schema: { type: 'object', maxProperties: maxCount, additionalProperties: { type: 'string' } },
  }
}

/** Bodies whose schema depends on the class of the resource. */
const composed: Readonly<Partial<Record<RouteName, { readonly body?: string; readonly response?: string }>>> =
  {
    'resource.get': { response: 'Resource' },
    'resource.create': { body: 'ResourceCreation' },
    'resource.update': { body: 'ResourceChange' },
  }

const binary = { type: 'string', format: 'binary' }

/** Media types of bodies other than JSON. */
const mediaTypes: Readonly<Record<Exclude<BodyKind, 'json' | 'form' | 'multipart'>, string>> = {
  raw: 'application/octet-stream',
  stream: 'application/x-ndjson',
  html: 'text/html',
  file: 'application/octet-stream',
  tile: 'application/vnd.mapbox-vector-tile',
  image: 'image/png',
}

function requestBody(name: RouteName, route: RouteDescriptor): object | undefined {
  const { body, bodyKind = 'json' } = route
  const limited = { 'x-max-bytes': bodyLimitOf(route) }
  const reference = composed[name]?.body
  if (reference !== undefined)
    return { ...limited, required: true, content: json(schemaReference(reference)) }
  if (bodyKind === 'multipart') {
    const files = { type: 'array', maxItems: formLimits.files, items: binary }
    const file = { type: 'object', properties: { file: files } }
    return { required: true, content: { 'multipart/form-data': { schema: file } } }
  }
  if (bodyKind === 'raw') return { required: true, content: { [mediaTypes.raw]: { schema: binary } } }
  if (body === undefined) return undefined
  const form = bodyKind === 'form' ? { 'application/x-www-form-urlencoded': { schema: body } } : {}
  return { ...limited, content: { ...json(body), ...form } }
}

function successOf(name: RouteName, { response, responseKind = 'json' }: RouteDescriptor): object {
  const reference = composed[name]?.response
  const schema = reference === undefined ? response : schemaReference(reference)
  const isJson = responseKind === 'json' || responseKind === 'form' || responseKind === 'multipart'
  const content =
    schema !== undefined || isJson ? json(schema ?? {}) : { [mediaTypes[responseKind]]: { schema: binary } }
  const done = { '200': { description: 'Success.', content } }
  return responseKind === 'tile' ? { ...done, '204': { description: 'Empty tile.' } } : done
}

const json = (schema: object) => ({ 'application/json': { schema } })

const failureOf = ({ service }: RouteDescriptor) =>
  service === 'catalog'
    ? { description: 'Error.', content: json(schemaReference('CatalogError')) }
    : { description: 'Error, with its reason and a hint.', content: json(schemaReference('Error')) }
