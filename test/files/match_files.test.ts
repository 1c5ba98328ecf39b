import { expect, test } from 'vitest'
import { findPatternFault } from '../../src/files/match_files.ts'

test.each([
  ['photos/**/*.{jpg,jpeg,png}', undefined],
  ['{a,b}/{1..100}/*-*-*.tif', undefined],
  ['{1..1001}.tif', 'has braces for more than 1000 patterns'],
  ['{a,b}'.repeat(18), 'has braces for more than 1000 patterns'],
  [`${'{a,'.repeat(12)}b${'}'.repeat(12)}`, 'has braces for more than 1000 patterns'],
  ['{{a},b,c,d,e,f,g,h,i,j,k}'.repeat(3), 'has braces for more than 1000 patterns'],
  ['*a*a*a*a*b', 'has more than 4 * in a name'],
])('a pattern is matched in a moment, or refused: %s', (pattern, fault) => {
  expect(findPatternFault(pattern)).toBe(fault)
})
