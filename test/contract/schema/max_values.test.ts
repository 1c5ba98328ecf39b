import { expect, test } from 'vitest'
import { maxValuesIn } from '../../../src/contract/schema/max_values.ts'
import type { Schema } from '../../../src/contract/schema/schema.ts'
import { Type } from '../../../src/contract/schema/type.ts'

const ids = Type.Array(Type.Integer(), { maxItems: 10 })

test.each<[what: string, schema: object, count: number]>([
  ['a scalar', Type.String(), 1],
  ['a list and its items', ids, 11],
  ['an object and its members', Type.Object({ ids, name: Type.Optional(Type.String()) }), 13],
  ['lists in lists', Type.Array(ids, { maxItems: 3 }), 34],
  ['the largest branch of a union', Type.Union([Type.String(), ids]), 11],
  ['a map with few members', Type.Record(Type.String(), Type.Integer(), { maxProperties: 4 }), 5],
  ['a list without a limit', Type.Array(Type.Integer()), Number.POSITIVE_INFINITY],
  ['a list without items', Type.Array(Type.Unknown(), { maxItems: 0 }), 1],
  ['a map without a limit', Type.Record(Type.String(), Type.Integer()), Number.POSITIVE_INFINITY],
  ['any value', Type.Object({ any: Type.Unknown() }), Number.POSITIVE_INFINITY],
  ['any members', Type.Object({}, { additionalProperties: true }), Number.POSITIVE_INFINITY],
])('counts the values of %s', (_, schema, count) => {
  expect(maxValuesIn(schema as Schema)).toBe(count)
})
