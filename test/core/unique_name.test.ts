import { expect, test } from 'vitest'
import { uniqueName, uniqueNameIgnoringCase } from '../../src/core/unique_name.ts'

test.each([
  ['a', [], 'a'],
  ['a', ['a'], 'a_1'],
  ['a', ['a_1', 'a', 'a_2'], 'a_3'],
  ['GEOM', ['geom'], 'GEOM'],
])('%s beside %j becomes %s', (wanted, names, expected) => {
  expect(uniqueName(wanted, { isTaken: (name) => (names as string[]).includes(name) })).toBe(expected)
})

test('starts at the given number', () => {
  expect(uniqueName('a', { isTaken: (name) => name === 'a', firstNumber: 2 })).toBe('a_2')
})

test.each([
  ['GEOM', ['GEOM'], 'GEOM_1'],
  ['GEOM', ['geom', 'Geom_1'], 'GEOM_2'],
  ['geom', ['GEOM'], 'geom_1'],
  ['fid', ['id'], 'fid'],
])('%s beside %j becomes %s where case does not count', (wanted, names, expected) => {
  expect(uniqueNameIgnoringCase(wanted, names)).toBe(expected)
})
