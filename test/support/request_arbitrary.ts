import fc from 'fast-check'
import type { OpenApi } from '../../src/contract/openapi/openapi.ts'

/** An arbitrary request. */
export interface AnyRequest {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly body: unknown
}

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly 'x-ref'?: object
  readonly 'x-principal'?: true
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** Values that do not fit most schemas. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 1e308, 2 ** 31, 2 ** 53, '', [], {}, [[]], [null]),
  fc.constantFrom(
    "'; drop table resource; --",
    '$1',
    '%00',
    '\u0000',
    '\ud800',
    '../../etc/passwd',
    '<script>',
    'POINT (1e999 0)',
    'POLYGON ((0 0))',
    'x'.repeat(3000),
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
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const values = Object.fromEntries(inPath.map((name) => [name, ids.map(String)]))
  const queries = Object.fromEntries(
    inQuery.map(({ name, schema: own }) => [name, anyOf(generation, own, 3)]),
  )
  return fc
    .record({
      params: fc.record(values),
      query: someOf(queries, []),
      body: schema === undefined ? fc.constant(undefined) : anyOf(generation, schema, 8),
    })
    .map(({ params, query, body }) => {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(params[name] ?? '0'),
      )
      const text = Object.entries(query).map(([name, value]) => `${name}=${encodeSafely(value)}`)
      return {
        operation: operationId,
        method,
        path: text.length > 0 ? `${filled}?${text.join('&')}` : filled,
        body,
      }
    })
}

function encodeSafely(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return encodeURIComponent(text.toWellFormed())
}

/** First placeholder: replaced by the nth existing resource when the request is sent. */
const firstPlaceholder = 9_000_000

/** Mostly placeholders of existing resources, sometimes ids that do not exist. */
const ids = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: firstPlaceholder, max: firstPlaceholder + 99 }) },
  fc.constantFrom(-1, 0, 1, 2, 99_999, 2 ** 31, 2 ** 53, 1.5),
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
  return scalarOf(schema)
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

function scalarOf(schema: Schema): fc.Arbitrary<unknown> {
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
      return fc.dictionary(strings, fc.oneof(strings, ids), { maxKeys: 3 })
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
