import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findFunction } from '../../../src/style/expression/expression_functions.ts'

const guide = readFileSync(new URL('../../../docs/styles.md', import.meta.url), 'utf8')
const documented = /```text\n(coalesce[^`]*)```/.exec(guide)?.[1]?.split(/\s+/).filter(Boolean) ?? []

test('the guide lists functions that exist', () => {
  expect(documented.length).toBeGreaterThan(40)
  expect(documented.filter((name) => findFunction(name)?.name !== name)).toEqual([])
})

test.each(['TOINT', 'Coalesce', 'tostring'])(
  '%s is found without regard to case, also by its older name',
  (name) => {
    expect(findFunction(name)).toBeDefined()
  },
)

test.each(['constructor', '__proto__', '#number ', 'foo', ''])('%s is not a function', (name) => {
  expect(findFunction(name)).toBeUndefined()
})
