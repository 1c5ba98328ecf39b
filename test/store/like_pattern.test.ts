import { expect, test } from 'vitest'
import { maxSearchText, maxWildcards } from '../../src/contract/limits.ts'
import { checkLikePattern } from '../../src/store/like_pattern.ts'

test.each([
  ['a%%%b', 'a%b', 'a%b'],
  ['%_%%_%a', '__%a', '__%a'],
  ['____', '____', '____'],
  [String.raw`\%%%\\%%`, String.raw`\%%\\%`, String.raw`\%\\%`],
  ['', '', ''],
])('adjacent wildcards of %j are merged: %j with escapes, %j without', (text, escaped, plain) => {
  expect(checkLikePattern(text, { hasEscapes: true })).toEqual({ pattern: escaped })
  expect(checkLikePattern(text, { hasEscapes: false })).toEqual({ pattern: plain })
})

test('patterns with more wildcards or characters than the limit are refused', () => {
  const options = { hasEscapes: true }
  const most = '%a'.repeat(maxWildcards)
  expect(checkLikePattern(most, options)).toEqual({ pattern: most })
  expect(checkLikePattern(`${most}%`, options)).toEqual({
    fault: `the pattern has ${maxWildcards + 1} wildcards %, more than ${maxWildcards}`,
  })
  expect(checkLikePattern(String.raw`\%`.repeat(maxWildcards + 1), options)).toHaveProperty('pattern')
  expect(checkLikePattern('%'.repeat(maxSearchText), options)).toEqual({ pattern: '%' })
  expect(checkLikePattern('a'.repeat(maxSearchText + 1), options)).toEqual({
    fault: `the pattern has ${maxSearchText + 1} characters, more than ${maxSearchText}`,
  })
  const fault = 'the pattern ends with a backslash, which escapes nothing'
  expect(checkLikePattern('a\\', options)).toEqual({ fault })
  expect(checkLikePattern('a\\', { hasEscapes: false })).toEqual({ pattern: 'a\\' })
})
