import { expect, it } from 'vitest'
import { summarizeCases } from './law_cases.ts'

it('sums the cases of laws up by file and law', () => {
  const cases = [
    { file: 'test/b.law.test.ts', law: 'an undo on pglite > restores', cases: 30 },
    { file: 'test/a.law.test.ts', law: 'a law', cases: 1000 },
    { file: 'test/a.law.test.ts', law: 'a law', cases: 500 },
  ]
  expect(summarizeCases(cases).split('\n')).toEqual([
    '      1,500 test/a.law.test.ts',
    '      1,500   a law',
    '         30 test/b.law.test.ts',
    '         30   an undo on pglite > restores',
    '      1,530 cases of laws in 2 files',
  ])
})
