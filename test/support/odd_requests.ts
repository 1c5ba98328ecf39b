import type { OpenApi } from '../../src/contract/openapi/openapi.ts'
import { routeNames, routeOf } from '../../src/contract/routes.ts'

/** A request that is valid except for one odd value. */
export interface OddRequest {
  /** Operation, and the path of the odd value. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  /** Class of the resource in the body. */
  readonly cls?: string | undefined
}

/** The part of a schema of the OpenAPI document that request generators use. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly 'x-ref'?: object
  readonly 'x-principal'?: true
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
}

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** Strings that a database cannot store, special characters of patterns and parsers, and a long string. */
export const oddStrings: readonly string[] = [
  '\0',
  'a\0b',
  '\ud800',
  '\udfff a',
  'x\\',
  '%_\\',
  'x'.repeat(5000),
]

/** Numbers at the limits of 32, 53 and 64 bits. */
export const oddNumbers: readonly number[] = [
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  2 ** 64,
  1e21,
]

/** Percent-encodes any string; an unpaired surrogate as the three bytes of its code point. */
export function encodeOdd(text: string): string {
  return [...text]
    .map((one) => {
      const code = one.charCodeAt(0)
      if (one.length > 1 || code < 0xd800 || code > 0xdfff) return encodeURIComponent(one)
      const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
      return bytes.map((byte) => `%${byte.toString(16)}`).join('')
    })
    .join('')
}

/** A position for an odd value within an otherwise valid value. */
interface Slot {
  readonly position: string
  readonly kind: 'string' | 'number'
  readonly put: (odd: unknown) => unknown
  readonly cls?: string | undefined
}

/** Maximum nesting depth of slots. */
const maxDepth = 7

/**
 * Lists requests to all operations with a JSON body or none: one for each odd value at each position of a string or
 * number, including names of free members and parameters. Placeholders such as `{keyname}` in names of parameters are
 * also replaced by the given names.
 */
export function listOddRequests(
  api: OpenApi,
  { excluded, names }: { readonly excluded: readonly RegExp[]; readonly names: readonly string[] },
): OddRequest[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, described]) => {
      const operation = described as Operation
      const { operationId, requestBody } = operation
      const isJson = requestBody === undefined || 'application/json' in requestBody.content
      if (!isJson || excluded.some((pattern) => pattern.test(operationId))) return []
      const target = { path, method: method.toUpperCase(), operation }
      return [...oddParameters(target), ...oddConditions(target, names), ...oddBodies(api, target)]
    }),
  )
}

interface Target {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

const valuesOf = ({ kind }: Pick<Slot, 'kind'>): readonly unknown[] =>
  kind === 'string' ? oddStrings : oddNumbers

function oddParameters({ path, method, operation }: Target): OddRequest[] {
  return operation.parameters.flatMap(({ name, in: location, schema }) => {
    if (location === 'header' || schema.type === 'object') return []
    const kind = kindOf(schema.items ?? schema)
    if (kind === undefined) return []
    return valuesOf({ kind }).map((odd) => {
      const text = typeof odd === 'number' ? BigInt(odd).toString() : encodeOdd(String(odd))
      const filled = fillPath(path, location === 'path' ? { [name]: text } : {})
      const query = location === 'query' ? `?${name}=${text}` : ''
      return { name: `${operation.operationId} ${name}`, method, path: filled + query, body: undefined }
    })
  })
}

/** Requests with parameters whose names follow a pattern, from the examples of the contract. */
function oddConditions({ path, method, operation }: Target, names: readonly string[]): OddRequest[] {
  const name = routeNames.find((one) => one === operation.operationId)
  const examples = name === undefined ? [] : (routeOf(name).moreQuery?.examples ?? [])
  const queries = examples.flatMap((example) => {
    const parameter = (value: string) => encodeOdd(example.replace(/\{\w+\}/, () => value))
    return [
      ...oddStrings.map((odd) => `${parameter(odd)}=1`),
      ...names.flatMap((value) =>
        [...oddStrings, ...oddNumbers.map((odd) => BigInt(odd).toString()), ...oddJson].map(
          (odd) => `${parameter(value)}=${encodeOdd(odd)}`,
        ),
      ),
    ]
  })
  return [...new Set(queries)].map((query) => ({
    name: `${operation.operationId} ${query.slice(0, 80)}`,
    method,
    path: `${fillPath(path, {})}?${query}`,
    body: undefined,
  }))
}

/** Invalid JSON, and numbers beyond the limits of the database. */
const oddJson = [
  '"\\u0000"',
  '{"\\ud800":1}',
  '1e400000',
  `${'['.repeat(9000)}${']'.repeat(9000)}`,
  '1e999',
  '{',
]

function oddBodies(api: OpenApi, { path, method, operation }: Target): OddRequest[] {
  const schema = operation.requestBody?.content['application/json']?.schema
  if (schema === undefined) return []
  return slotsOf(api, schema, maxDepth).flatMap((slot) =>
    valuesOf(slot).map((odd) => ({
      name: `${operation.operationId} ${slot.position}`,
      method,
      path: fillPath(path, {}),
      body: slot.put(odd),
      cls: slot.cls,
    })),
  )
}

/** First placeholder for ids of existing resources in paths and bodies. */
export const firstPlaceholder = 9_000_000

function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => values[name] ?? (name === 'id' ? String(firstPlaceholder) : '1'),
  )
}

function kindOf({ type, enum: values, const: value }: Schema): Slot['kind'] | undefined {
  const [first] = [type].flat()
  if (values !== undefined || value !== undefined) return undefined
  if (first === 'integer' || first === 'number') return 'number'
  return first === 'string' ? 'string' : undefined
}

function slotsOf(api: OpenApi, schema: Schema, depth: number): Slot[] {
  if (depth <= 0) return []
  const { $ref: reference, items, properties, patternProperties, type } = schema
  if (reference !== undefined) return slotsOfNamed(api, schema, depth)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return branches.flatMap((branch) => slotsOf(api, branch, depth))
  if (schema.allOf !== undefined) return slotsOfAll(api, schema.allOf, depth)
  const kind = kindOf(schema)
  if (kind !== undefined) return [{ position: '', kind, put: (odd) => odd }]
  if (items !== undefined) return within(slotsOf(api, items, depth - 1), '[]', (value) => [value])
  if (properties !== undefined) return slotsOfObject(api, schema, depth)
  const [values = {}] = Object.values(patternProperties ?? {})
  if ([type].flat()[0] !== 'object') return []
  const name: Slot = {
    position: '{name}',
    kind: 'string',
    put: (odd) => ({
      [String(odd)]: patternProperties === undefined ? 1 : minimalOf(api, values, depth - 1),
    }),
  }
  return [name, ...within(slotsOf(api, values, depth - 1), '{}', (value) => ({ name: value }))]
}

function slotsOfNamed(api: OpenApi, { $ref: reference = '', ...rest }: Schema, depth: number): Slot[] {
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  const [, cls] = /^(\w+)_(?:creation|change)$/.exec(name) ?? []
  const slots = slotsOf(api, { ...(api.components.schemas[name] as Schema), ...rest }, depth)
  return cls === undefined ? slots : slots.map((slot) => ({ ...slot, cls }))
}

function slotsOfAll(api: OpenApi, parts: readonly Schema[], depth: number): Slot[] {
  return parts.flatMap((part, at) => {
    const others = parts.filter((_, other) => other !== at).map((other) => minimalOf(api, other, depth))
    return within(slotsOf(api, part, depth), '', (value) => others.reduce(mergeObjects, value))
  })
}

function slotsOfObject(api: OpenApi, schema: Schema, depth: number): Slot[] {
  const { properties = {}, required = [] } = schema
  return casesOf(schema).flatMap((discriminator) => {
    const minimal = { ...(minimalOf(api, { ...schema, required }, depth) as object), ...discriminator }
    return Object.entries(properties).flatMap(([name, member]) =>
      within(slotsOf(api, member, depth - 1), `.${name}`, (value) => ({ ...minimal, [name]: value })),
    )
  })
}

/** Variants of an object by a required member with few values, such as the operation of a batch. */
function casesOf({ properties = {}, required = [] }: Schema): object[] {
  const [name, values] =
    Object.entries(properties)
      .map(([member, { enum: choices = [] }]) => [member, choices] as const)
      .find(([member, choices]) => required.includes(member) && choices.length > 1 && choices.length < 4) ??
    []
  return name === undefined ? [{}] : (values ?? []).map((value) => ({ [name]: value }))
}

function within(slots: readonly Slot[], position: string, wrap: (value: unknown) => unknown): Slot[] {
  return slots.map((slot) => ({
    ...slot,
    position: position + slot.position,
    put: (odd) => wrap(slot.put(odd)),
  }))
}

/** Returns the minimal value of a schema, with required members only. */
function minimalOf(api: OpenApi, schema: Schema, depth: number): unknown {
  const { $ref: reference, type, properties = {}, required = [] } = schema
  if (depth <= 0) return null
  if (reference !== undefined) {
    const name = reference.slice(reference.lastIndexOf('/') + 1)
    const { $ref: _, ...rest } = schema
    return minimalOf(api, { ...(api.components.schemas[name] as Schema), ...rest }, depth)
  }
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [branch] = schema.anyOf ?? schema.oneOf ?? []
  if (branch !== undefined) return minimalOf(api, branch, depth)
  if (schema.allOf !== undefined)
    return schema.allOf.map((part) => minimalOf(api, part, depth)).reduce(mergeObjects)
  const names = [...new Set([...required, ...(hasConst(properties) ? Object.keys(properties) : [])])]
  const byType: Readonly<Record<string, () => unknown>> = {
    object: () =>
      Object.fromEntries(names.map((name) => [name, minimalOf(api, properties[name] ?? {}, depth - 1)])),
    array: () => [],
    string: () => 'a',
    integer: () => firstPlaceholder,
    number: () => 1,
    boolean: () => true,
  }
  const [first = 'object'] = [type].flat()
  return byType[first]?.() ?? null
}

/** Reports whether members have constants: a schema that only fixes a class does not list them as required. */
const hasConst = (properties: Readonly<Record<string, Schema>>): boolean =>
  Object.values(properties).some((one) => one.const !== undefined || hasConst(one.properties ?? {}))

function mergeObjects(left: unknown, right: unknown): unknown {
  if (!isObject(left) || !isObject(right)) return left
  const merged: Record<string, unknown> = { ...right }
  for (const [name, value] of Object.entries(left))
    merged[name] = isObject(value) && isObject(right[name]) ? mergeObjects(value, right[name]) : value
  return merged
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Finds the code of an error: of the catalog, whose errors have none, `catalog/error` if the body has a reason; of its
 * page, which shows the form again, `page/error` if it shows a reason.
 */
export function findErrorCode(path: string, text: string): string {
  if (path.startsWith('/catalog/') && text.startsWith('<!doctype html>'))
    return /<p id="count" role="status" class="fault">[^<]+</.test(text) ? 'page/error' : ''
  if (text.startsWith('<?xml')) {
    // WMS has no code for what does not exist.
    const reason = /<ServiceException>[^<]+</.test(text) ? 'exception' : ''
    const code = /(?:exceptionCode|ServiceException code)="(\w+)"/.exec(text)?.[1] ?? reason
    return code === '' ? '' : `wfs/${code.toLowerCase()}`
  }
  const body = JSON.parse(text) as Record<string, unknown>
  if (!path.startsWith('/api/v1')) return String(body.code ?? '')
  const reasons = Object.values(body).flat()
  const isTold = reasons.length > 0 && reasons.every((reason) => typeof reason === 'string' && reason !== '')
  return isTold ? 'catalog/error' : ''
}
