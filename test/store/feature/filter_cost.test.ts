import { expect, test } from 'vitest'
import { checkFilterCost } from '../../../src/store/feature/filter_cost.ts'
import type { FilterExpression } from '../../../src/store/feature/filter_expression.ts'

const like: FilterExpression = { kind: 'like', field: 'name', pattern: '%a%', matchCase: false }
const anyOf = (count: number): FilterExpression => ({
  kind: 'not',
  item: { kind: 'or', items: Array.from({ length: count }, () => like) },
})
const check = (filter: FilterExpression | undefined, total: number) =>
  checkFilterCost(filter, () => Promise.resolve({ total }))

test('refuses many patterns for many features', async () => {
  await expect(check(anyOf(9998), 100_000)).rejects.toMatchObject({
    code: 'request/invalid',
    message: expect.stringContaining('99980 comparisons for each of the 100000 features'),
    hint: 'Use fewer conditions, or send several requests.',
  })
  await expect(check(anyOf(51), 100_000)).rejects.toThrow('the maximum is 500')
})

test('accepts few patterns for any number of features, and many for few', async () => {
  await check(anyOf(50), 1e9)
  await check(anyOf(9998), 200)
  await check(undefined, 1e9)
})

const equal = (matchCase: boolean): FilterExpression => {
  const operands = { left: { field: 'name' }, right: { literal: 'a' } } as const
  return { kind: 'compare', operator: '=', ...operands, matchCase }
}

test('counts comparisons without regard to case as patterns: the values of all features are converted', async () => {
  const anyEqual = (matchCase: boolean): FilterExpression => ({
    kind: 'or',
    items: Array.from({ length: 501 }, () => equal(matchCase)),
  })
  await check(anyEqual(true), 20_000)
  await expect(check(anyEqual(false), 20_000)).rejects.toThrow('5010 comparisons for each of the 20000')
})

test('counts the positions of many geometries: each is read and indexed', async () => {
  const coordinates = Array.from({ length: 800 }, (_, at) => at)
  const geometry = { family: 'LINESTRING', isMulti: false, hasZ: false, parts: [[coordinates]] } as const
  const near: FilterExpression = { kind: 'spatial', operator: 'intersects', srs: 3857, geometry }
  const anyNear = (count: number): FilterExpression => ({
    kind: 'or',
    items: Array.from({ length: count }, () => near),
  })
  await check(anyNear(1000), 400)
  await expect(check(anyNear(1500), 400)).rejects.toThrow('75000 comparisons for each of the 400 features')
  await check(anyNear(50), 1e9)
})
