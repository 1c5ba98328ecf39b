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
