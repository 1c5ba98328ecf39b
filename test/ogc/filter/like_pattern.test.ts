import { expect, test } from 'vitest'
import { sqlPattern } from '../../../src/ogc/filter/read_filter.ts'

const syntax = { wildCard: '*', singleChar: '?', escapeChar: '!' }

test.each([
  ['a*b?c', 'a%b_c'],
  ['100%_\\', '100\\%\\_\\\\'],
  ['!*!?!!', '*?!'],
  ['!%', '\\%'],
  ['a!', 'a!'],
])('converts %s', (pattern, sql) => {
  expect(sqlPattern(pattern, syntax)).toBe(sql)
})

test('accepts special characters of any length, and none', () => {
  expect(sqlPattern('a.*b\\.*', { wildCard: '.*', singleChar: '#', escapeChar: '\\' })).toBe('a%b.*')
  expect(sqlPattern('%a_', { wildCard: '%', singleChar: '_', escapeChar: '' })).toBe('%a_')
})
