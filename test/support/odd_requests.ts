import type { OpenApi } from '../../src/contract/openapi/openapi.ts'
import { routeNames, routeOf } from '../../src/contract/routes.ts'

/** A request that is right but for one value. */
export interface OddRequest {
  /** Operation, and the place of the odd value. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  /** Class of the resource that the body is of. */
  readonly cls?: string | undefined
}

/** A schema of the document of the interface, as makers of requests read it. */
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

/** An operation of the document. */
export interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** Texts that a database cannot hold, that patterns and parsers trip over, and one that is long. */
export const oddTexts: readonly string[] = [
  '\0',
  'a\0b',
  '\ud800',
  '\udfff a',
  'x\\',
  '%_\\',
  'x'.repeat(5000),
]

/** Numbers at the ends of what 32, 53 and 64 bits hold. */
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

/** Percent-encodes any text; half of a surrogate pair as the bytes that it would have. */
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

/** A place for an odd value within a value that is right otherwise. */
interface Slot {
  readonly place: string
  readonly kind: 'text' | 'number'
  readonly put: (odd: unknown) => unknown
  readonly cls?: string | undefined
}

/** Levels of objects and lists that are looked into. */
const deepest = 7

/**
 * Lists requests to all operations whose body is JSON or nothing: one for each odd value in each place that takes a
 * text or a number, names of free members and parameters included. `{keyname}` and `{key}` in names of parameters are
 * filled with the given words too.
 */
export function listOddRequests(
  api: OpenApi,
  { left, words }: { readonly left: readonly RegExp[]; readonly words: readonly string[] },
): OddRequest[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, described]) => {
      const operation = described as Operation
      const { operationId, requestBody } = operation
      const isJson = requestBody === undefined || 'application/json' in requestBody.content
      if (!isJson || left.some((pattern) => pattern.test(operationId))) return []
      const target = { path, method: method.toUpperCase(), operation }
      return [...oddParameters(target), ...oddConditions(target, words), ...oddBodies(api, target)]
    }),
  )
}

interface Target {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

const valuesOf = ({ kind }: Pick<Slot, 'kind'>): readonly unknown[] =>
  kind === 'text' ? oddTexts : oddNumbers

function oddParameters({ path, method, operation }: Target): OddRequest[] {
  return operation.parameters.flatMap(({ name, in: place, schema }) => {
    if (place === 'header' || schema.type === 'object') return []
    const kind = kindOf(schema.items ?? schema)
    if (kind === undefined) return []
    return valuesOf({ kind }).map((odd) => {
      const text = typeof odd === 'number' ? BigInt(odd).toString() : encodeOdd(String(odd))
      const filled = fillPath(path, place === 'path' ? { [name]: text } : {})
      const query = place === 'query' ? `?${name}=${text}` : ''
      return { name: `${operation.operationId} ${name}`, method, path: filled + query, body: undefined }
    })
  })
}

/** Parameters whose names follow a pattern, as the contract shows them. */
function oddConditions({ path, method, operation }: Target, words: readonly string[]): OddRequest[] {
  const name = routeNames.find((one) => one === operation.operationId)
  const examples = name === undefined ? [] : (routeOf(name).moreQuery?.examples ?? [])
  const asked = examples.flatMap((example) => {
    const parameter = (word: string) => encodeOdd(example.replace(/\{\w+\}/, () => word))
    return [
      ...oddTexts.map((odd) => `${parameter(odd)}=1`),
      ...words.flatMap((word) =>
        [...oddTexts, ...oddNumbers.map((odd) => BigInt(odd).toString()), ...oddJson].map(
          (odd) => `${parameter(word)}=${encodeOdd(odd)}`,
        ),
      ),
    ]
  })
  return [...new Set(asked)].map((query) => ({
    name: `${operation.operationId} ${query.slice(0, 80)}`,
    method,
    path: `${fillPath(path, {})}?${query}`,
    body: undefined,
  }))
}

/** JSON and numbers beyond what the database takes. */
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
  return slotsOf(api, schema, deepest).flatMap((slot) =>
    valuesOf(slot).map((odd) => ({
      name: `${operation.operationId} ${slot.place}`,
      method,
      path: fillPath(path, {}),
      body: slot.put(odd),
      cls: slot.cls,
    })),
  )
}

/** Stands in paths and bodies for resources that are there. */
export const standIn = 9_000_000

function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => values[name] ?? (name === 'id' ? String(standIn) : '1'),
  )
}

function kindOf({ type, enum: words, const: only }: Schema): Slot['kind'] | undefined {
  const [first] = [type].flat()
  if (words !== undefined || only !== undefined) return undefined
  if (first === 'integer' || first === 'number') return 'number'
  return first === 'string' ? 'text' : undefined
}

function slotsOf(api: OpenApi, schema: Schema, depth: number): Slot[] {
  if (depth <= 0) return []
  const { $ref: reference, items, properties, patternProperties, type } = schema
  if (reference !== undefined) return slotsOfNamed(api, schema, depth)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return branches.flatMap((branch) => slotsOf(api, branch, depth))
  if (schema.allOf !== undefined) return slotsOfAll(api, schema.allOf, depth)
  const kind = kindOf(schema)
  if (kind !== undefined) return [{ place: '', kind, put: (odd) => odd }]
  if (items !== undefined) return within(slotsOf(api, items, depth - 1), '[]', (value) => [value])
  if (properties !== undefined) return slotsOfObject(api, schema, depth)
  const [values = {}] = Object.values(patternProperties ?? {})
  if ([type].flat()[0] !== 'object') return []
  const name: Slot = {
    place: '{name}',
    kind: 'text',
    put: (odd) => ({ [String(odd)]: patternProperties === undefined ? 1 : plainOf(api, values, depth - 1) }),
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
    const others = parts.filter((_, other) => other !== at).map((other) => plainOf(api, other, depth))
    return within(slotsOf(api, part, depth), '', (value) => others.reduce(mergeObjects, value))
  })
}

function slotsOfObject(api: OpenApi, schema: Schema, depth: number): Slot[] {
  const { properties = {}, required = [] } = schema
  return casesOf(schema).flatMap((words) => {
    const plain = { ...(plainOf(api, { ...schema, required }, depth) as object), ...words }
    return Object.entries(properties).flatMap(([name, member]) =>
      within(slotsOf(api, member, depth - 1), `.${name}`, (value) => ({ ...plain, [name]: value })),
    )
  })
}

/** What an object may be by a word that it needs, such as the operation of a batch. */
function casesOf({ properties = {}, required = [] }: Schema): object[] {
  const [name, words] =
    Object.entries(properties)
      .map(([one, { enum: known = [] }]) => [one, known] as const)
      .find(([one, known]) => required.includes(one) && known.length > 1 && known.length < 4) ?? []
  return name === undefined ? [{}] : (words ?? []).map((word) => ({ [name]: word }))
}

function within(slots: readonly Slot[], place: string, wrap: (value: unknown) => unknown): Slot[] {
  return slots.map((slot) => ({ ...slot, place: place + slot.place, put: (odd) => wrap(slot.put(odd)) }))
}

/** The plainest value of a schema: what is required, and nothing else. */
function plainOf(api: OpenApi, schema: Schema, depth: number): unknown {
  const { $ref: reference, type, properties = {}, required = [] } = schema
  if (depth <= 0) return null
  if (reference !== undefined) {
    const name = reference.slice(reference.lastIndexOf('/') + 1)
    const { $ref: _, ...rest } = schema
    return plainOf(api, { ...(api.components.schemas[name] as Schema), ...rest }, depth)
  }
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [branch] = schema.anyOf ?? schema.oneOf ?? []
  if (branch !== undefined) return plainOf(api, branch, depth)
  if (schema.allOf !== undefined)
    return schema.allOf.map((part) => plainOf(api, part, depth)).reduce(mergeObjects)
  const names = [...new Set([...required, ...(hasConst(properties) ? Object.keys(properties) : [])])]
  const plain: Readonly<Record<string, () => unknown>> = {
    object: () =>
      Object.fromEntries(names.map((name) => [name, plainOf(api, properties[name] ?? {}, depth - 1)])),
    array: () => [],
    string: () => 'a',
    integer: () => standIn,
    number: () => 1,
    boolean: () => true,
  }
  const [first = 'object'] = [type].flat()
  return plain[first]?.() ?? null
}

/** A schema that only names a class has no word for what it requires. */
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
