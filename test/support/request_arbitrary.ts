import fc from 'fast-check'
import type { OpenApi } from '../../src/contract/openapi/openapi.ts'
import { routeNames, routeOf } from '../../src/contract/routes.ts'
import {
  encodeOdd,
  firstPlaceholder,
  type Operation,
  oddNumbers,
  oddStrings,
  type Schema,
} from './odd_requests.ts'

/** An arbitrary request. */
export interface AnyRequest {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/** Values that do not fit most schemas. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 1e308, ...oddNumbers, '', [], {}, [[]], [null]),
  fc.constantFrom(
    "'; drop table resource; --",
    '$1',
    '%00',
    ...oddStrings,
    '../../etc/passwd',
    '<script>',
    'POINT (1e999 0)',
    'POLYGON ((0 0))',
    '&a;',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constant(Array.from({ length: 40 }).reduce<unknown>((inner) => ({ a: [inner] }), 1)),
)

/** Strings that are valid somewhere in the API. */
const strings = fc.oneof(
  fc.constantFrom(
    'POINT (1 2)',
    'resource_group',
    'vector_layer',
    'name',
    '2020-01-31',
    'a',
    'Ärger',
    '3857',
    'true',
  ),
  fc.string({ maxLength: 12 }),
)

/** Names of free members. */
const keys = fc.oneof({ weight: 6, arbitrary: strings }, fc.constantFrom(...oddStrings))

/** Generates requests to all operations with a JSON body or none, most of them nearly valid. */
export function requestArbitrary(api: OpenApi, excluded: readonly RegExp[]): fc.Arbitrary<AnyRequest> {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const { operationId, requestBody } = operation as Operation
      const isJson = requestBody === undefined || 'application/json' in requestBody.content
      if (!isJson || excluded.some((pattern) => pattern.test(operationId))) return []
      const target = { path, method: method.toUpperCase(), operation: operation as Operation }
      return [requestOf({ api, isClean: true }, target), requestOf({ api, isClean: false }, target)]
    }),
  )
  return fc.oneof(...operations)
}

/** Parameters of the generation; all values of clean requests fit their schemas. */
interface Generation {
  readonly api: OpenApi
  readonly isClean: boolean
}

interface Target {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

function requestOf(generation: Generation, { path, method, operation }: Target): fc.Arbitrary<AnyRequest> {
  const { operationId, parameters, requestBody } = operation
  const schema = requestBody?.content['application/json']?.schema
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const inQuery = parameters.filter(
    ({ in: location, schema: own }) => location === 'query' && own.type !== 'object',
  )
  const values = Object.fromEntries(inPath.map((name) => [name, ids.map(String)]))
  const queries = Object.fromEntries(
    inQuery.map(({ name, schema: own }) => [name, anyOf(generation, own, 3)]),
  )
  return fc
    .record({
      params: fc.record(values),
      query: someOf(queries, []),
      conditions: conditionsOf(generation, operationId),
      body: schema === undefined ? fc.constant(undefined) : anyOf(generation, schema, 8),
    })
    .map(({ params, query, conditions, body }) => {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(params[name] ?? '0'),
      )
      const parameters = [...Object.entries(query), ...conditions]
      const text = parameters.map(([name, value]) => `${encodeOdd(name)}=${encodeValue(value)}`)
      return {
        operation: operationId,
        method,
        path: text.length > 0 ? `${filled}?${text.join('&')}` : filled,
        body,
      }
    })
}

function encodeValue(value: unknown): string {
  return encodeOdd(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** Parameters whose names follow a pattern, from the examples of the contract, with valid and invalid values. */
function conditionsOf(
  { isClean }: Generation,
  operationId: string,
): fc.Arbitrary<(readonly [string, unknown])[]> {
  const name = routeNames.find((one) => one === operationId)
  const examples = name === undefined ? [] : (routeOf(name).moreQuery?.examples ?? [])
  if (examples.length === 0) return fc.constant([])
  const [word, value] = isClean
    ? [strings, strings]
    : [fc.oneof(strings, fc.constantFrom(...oddStrings)), fc.oneof(strings, junk)]
  const condition = fc
    .tuple(fc.constantFrom(...examples), word, value)
    .map(([example, key, text]) => [example.replace(/\{\w+\}/, () => key), text] as const)
  return fc.array(condition, { maxLength: 2 })
}

/** Mostly placeholders of existing resources, sometimes ids that do not exist. */
const ids = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: firstPlaceholder, max: firstPlaceholder + 99 }) },
  fc.constantFrom(-1, 0, 1, 2, 99_999, 1.5, ...oddNumbers),
)

/** Replaces placeholders by the ids of existing resources. */
export function fillPlaceholders(request: AnyRequest, existing: readonly number[]): AnyRequest {
  const fill = (digits: string) =>
    String(existing[(Number(digits) - firstPlaceholder) % existing.length] ?? 0)
  const text = JSON.stringify({ path: request.path, body: request.body }).replaceAll(/\b90000\d\d\b/g, fill)
  return { ...request, ...(JSON.parse(text) as Pick<AnyRequest, 'path' | 'body'>) }
}

function anyOf(generation: Generation, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const fitting = fittingOf(generation, schema, depth)
  return generation.isClean
    ? fitting
    : fc.oneof({ weight: 12, arbitrary: fitting }, { weight: 1, arbitrary: junk })
}

function fittingOf(generation: Generation, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (depth <= 0) return fc.constant(null)
  const { $ref: reference, properties, items } = schema
  if (reference !== undefined) {
    const named = generation.api.components.schemas[reference.slice(reference.lastIndexOf('/') + 1)]
    return fittingOf(
      generation,
      { ...(named as Schema), ...(schema.required ? { required: schema.required } : {}) },
      depth - 1,
    )
  }
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined)
    return fc.oneof(...branches.map((branch) => anyOf(generation, branch, depth - 1)))
  if (schema.allOf !== undefined)
    return fc
      .tuple(...schema.allOf.map((part) => fittingOf(generation, part, depth)))
      .map((parts) => merge(parts))
  if (properties !== undefined) {
    const members = Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, anyOf(generation, member, depth - 1)]),
    )
    return someOf(members, schema.required ?? [])
  }
  if (items !== undefined) return fc.array(anyOf(generation, items, depth - 1), { maxLength: 3 })
  return scalarOf(generation, schema)
}

/** All required members and some optional ones: the more members, the less likely is a valid request. */
function someOf(
  members: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  required: readonly string[],
): fc.Arbitrary<object> {
  const absent = Symbol('absent')
  const entries = Object.entries(members).map(([name, arbitrary]) => {
    const isRequired = required.includes(name)
    return [name, isRequired ? arbitrary : fc.oneof({ weight: 3, arbitrary: fc.constant(absent) }, arbitrary)]
  })
  return fc
    .record(Object.fromEntries(entries) as Record<string, fc.Arbitrary<unknown>>)
    .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== absent)))
}

function scalarOf(generation: Generation, schema: Schema): fc.Arbitrary<unknown> {
  if (schema['x-ref'] !== undefined || schema['x-principal']) return ids
  switch ([schema.type].flat()[0]) {
    case 'integer':
      return ids
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(strings, { maxLength: 3 })
    case 'object':
      return fc.dictionary(generation.isClean ? strings : keys, fc.oneof(strings, ids), { maxKeys: 3 })
    default:
      return strings
  }
}

function merge(parts: readonly unknown[]): unknown {
  const [first, ...rest] = parts
  let merged = first
  for (const part of rest) merged = mergeTwo(merged, part)
  return merged
}

function mergeTwo(left: unknown, right: unknown): unknown {
  if (!isObject(left) || !isObject(right)) return right
  const merged = { ...left }
  for (const [name, value] of Object.entries(right))
    merged[name] = Object.hasOwn(left, name) ? mergeTwo(left[name], value) : value
  return merged
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
