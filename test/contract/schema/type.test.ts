import TypeBox from 'typebox'
import { describe, expect, test } from 'vitest'
import { Type } from '../../../src/contract/schema/type.ts'
import { readTexts } from '../../support/source/tracked.ts'

type Builders = typeof Type

const schemas: readonly [name: string, build: (from: Builders) => object][] = [
  ['texts', (from) => from.String({ minLength: 1, description: 'A name.' })],
  ['numbers', (from) => from.Union([from.Integer({ minimum: 0 }), from.Number(), from.Null()])],
  ['lists', (from) => from.Array(from.Boolean({ default: false }), { maxItems: 3 })],
  ['objects', (from) => from.Object({ a: from.String(), b: from.Optional(from.Unknown()) })],
  ['objects without a needed member', (from) => from.Object({ a: from.Optional(from.Null()) })],
  ['maps', (from) => from.Record(from.String(), from.Integer(), { default: {} })],
  ['schemas of our own', (from) => from.Unsafe<string>({ type: 'string', enum: ['a'] })],
  ['members of our own', (from) => from.Object({ a: from.Unsafe(from.Optional(from.String())) })],
  [
    'words that override',
    (from) => from.Object({ a: from.Integer() }, { required: [], additionalProperties: false }),
  ],
]

describe('the builders of schemas', () => {
  test.each(schemas)('return for %s the schema of TypeBox', (_, build) => {
    expect(JSON.stringify(build(Type))).toBe(JSON.stringify(build(TypeBox as Builders)))
  })

  test('do not change a schema when they make it optional', () => {
    const name = Type.String()
    Type.Optional(name)
    expect(Type.Object({ name }).required).toEqual(['name'])
  })
})

test('no file loads TypeBox at run time, only its types', () => {
  const sources = readTexts().filter(({ path }) => path.startsWith('src/'))
  const loading = sources.filter(({ text }) => /^import (?!type\b).*from 'typebox/m.test(text))
  expect(loading.map(({ path }) => path)).toEqual([])
})
