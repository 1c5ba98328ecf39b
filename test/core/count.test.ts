import { expect, it } from 'vitest'
import { countOf } from '../../src/core/count.ts'

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
