import { describe, expect, it, test } from 'vitest'
import { bodySchema } from '../../src/contract/bodies/bodies.ts'
import { WebmapItemSchema } from '../../src/contract/classes/webmap.ts'
import { annotationsOf } from '../../src/contract/descriptor.ts'
import { bodyBytes, bodyLimitOf, statementLimitOf } from '../../src/contract/limits.ts'
import { describeApi } from '../../src/contract/openapi/openapi.ts'
import { parseQuery } from '../../src/contract/query.ts'
import { clsNames } from '../../src/contract/registry.ts'
import type { BodyKind } from '../../src/contract/route.ts'
import { routeNames, routeOf } from '../../src/contract/routes.ts'
import type { Schema } from '../../src/contract/schema/schema.ts'
import { createValidatorCompiler } from '../../src/contract/schema/validate.ts'

/** Names the lists and maps of a schema that have no limit. What only the server writes is read from no request. */
function findUnbounded(schema: Schema, place: string): string[] {
  if (annotationsOf(schema).readOnly) return []
  const { type, items, properties = {}, patternProperties, anyOf = [], oneOf = [] } = schema
  const { maxItems, maxProperties } = schema as { maxItems?: number; maxProperties?: number }
  return [
    ...([type].flat().includes('array') && maxItems === undefined ? [place] : []),
    ...(patternProperties !== undefined && maxProperties === undefined ? [place] : []),
    ...(items === undefined ? [] : findUnbounded(items, `${place}[]`)),
    ...Object.values(patternProperties ?? {}).flatMap((value) => findUnbounded(value, `${place}{}`)),
    ...Object.entries(properties).flatMap(([name, value]) => findUnbounded(value, `${place}.${name}`)),
    ...[...anyOf, ...oneOf].flatMap((branch) => findUnbounded(branch, place)),
  ]
}

test('every list and map of a request has a limit', () => {
  const schemas = [
    ...routeNames.flatMap((name) => {
      const { query, body } = routeOf(name)
      return [query, body].flatMap((schema, at) => (schema ? [[`${name} ${at}`, schema] as const] : []))
    }),
    ...clsNames.map((cls) => [cls, bodySchema(cls, 'create') as Schema] as const),
    ['webmap item', WebmapItemSchema] as const,
  ]
  expect(schemas.flatMap(([name, schema]) => findUnbounded(schema as Schema, name))).toEqual([])
})

test('every operation that buffers its body has a size limit', () => {
  const api = describeApi({ version: '1' })
  for (const name of routeNames) {
    const { path, method, body, bodyKind = 'json' } = routeOf(name)
    const isRead = body !== undefined && (bodyKind === 'json' || bodyKind === 'form')
    const operation = api.paths[path]?.[method.toLowerCase()] as { requestBody?: object }
    if (isRead)
      expect(operation.requestBody, name).toMatchObject({ 'x-max-bytes': bodyLimitOf(routeOf(name)) })
  }
})

const streamed: readonly BodyKind[] = ['raw', 'multipart', 'stream']

test.each(routeNames)('%s declares the cost limits of a request', (name) => {
  const route = routeOf(name)
  const { method, body, bodyKind = 'json' } = route
  const { pglite, postgres } = statementLimitOf(route)
  expect(Math.min(pglite, postgres)).toBeGreaterThan(0)
  expect([pglite, postgres].every(Number.isFinite)).toBe(true)
  // Files have the limit of uploads, and forms those of their parts.
  if (streamed.includes(bodyKind)) expect(['POST', 'PUT', 'PATCH']).toContain(method)
  else expect(bodyLimitOf(route)).toBeLessThanOrEqual(bodyBytes.streamed)
  const operation = describeApi({ version: '1' }).paths[route.path]?.[method.toLowerCase()]
  expect(operation).toMatchObject({ 'x-statement-seconds': { pglite, postgres } })
  if (body !== undefined && !streamed.includes(bodyKind))
    expect(operation).toMatchObject({ requestBody: { 'x-max-bytes': bodyLimitOf(route) } })
})

describe('the limit of a body', () => {
  it('is that of its category, below the maximum of the server', () => {
    expect(bodyLimitOf({ bodySize: 'small' })).toBe(bodyBytes.small)
    expect(bodyLimitOf({})).toBe(bodyBytes.medium)
    expect(bodyLimitOf({ bodySize: 'large' })).toBe(bodyBytes.large)
    expect(bodyLimitOf({ bodySize: 'large' }, 2 ** 40)).toBe(2 ** 40)
    expect(bodyLimitOf({ bodySize: 'small' }, 1000)).toBe(1000)
    expect(bodyLimitOf({}, 2 ** 40)).toBe(bodyBytes.medium)
  })
})

describe('a value that exceeds a limit', () => {
  const compile = createValidatorCompiler({ faults: 'first' })
  it.each([
    [{ type: 'array', maxItems: 2 }, [1, 2, 3], 'the list has 3 items; the limit is 2'],
    [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, 'the object has 2 members; the limit is 1'],
    [{ type: 'string', maxLength: 2 }, '😀😀😀', 'the string has 3 characters; the limit is 2'],
  ])('is reported with its size: %j', (schema, value, message) => {
    expect(compile(schema)(value).map((fault) => fault.message)).toEqual([message])
  })

  const refuse = (raw: Record<string, string | string[]>) => {
    try {
      return parseQuery(routeOf('feature.list'), raw)
    } catch (error) {
      return (error as Error).message
    }
  }
  it.each([
    [{ order_by: Array(21).fill('a').join() }, 'Parameter "order_by" has 21 items; the limit is 20.'],
    [{ like: 'x'.repeat(1001) }, 'Parameter "like" has 1001 characters; the limit is 1000.'],
    [{ fld_a: Array(51).fill('1') }, 'The query has 51 conditions; the limit is 50.'],
  ])('is reported with its size in a query, too', (raw, message) => {
    expect(refuse(raw)).toBe(message)
  })
})
