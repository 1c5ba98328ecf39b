import { expect, it } from 'vitest'
import { countOf, joinFirst } from '../../src/core/count.ts'

it.each([
  [0, 'feature', '0 features'],
  [1, 'feature', '1 feature'],
  [2, 'feature', '2 features'],
  [1, 'entry', '1 entry'],
  [3, 'entry', '3 entries'],
  [3, 'key', '3 keys'],
  [59_999, 'feature', '59,999 features'],
  [1_234_567, 'value', '1,234,567 values'],
])('writes %i of %s as %s', (count, noun, text) => {
  expect(countOf(count, noun)).toBe(text)
})

it.each([
  [[], 2, ''],
  [['a', 'b'], 2, 'a, b'],
  [['a', 'b', 'c'], 2, 'a, b and 1 more'],
  [Array.from({ length: 1_236 }, () => 'a'), 2, 'a, a and 1,234 more'],
])('lists the first of %j', (names, most, text) => {
  expect(joinFirst(names, most)).toBe(text)
})
