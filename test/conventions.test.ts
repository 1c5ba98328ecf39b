import { describe, expect, test } from 'vitest'
import { checkBarrels, checkDefaultExports, checkDocstrings } from './support/source/exports.ts'
import { checkHonesty } from './support/source/honesty.ts'
import { checkLaws } from './support/source/laws.ts'
import { checkNames, checkPath } from './support/source/names.ts'
import { parseSource } from './support/source/source.ts'
import { listTrackedPaths, readSources, readTexts } from './support/source/tracked.ts'
import { checkTypes } from './support/source/types.ts'
import { checkLock, checkWords } from './support/source/words.ts'

const sources = readSources()
const texts = readTexts()

test('no file has a default export or is a barrel', () => {
  expect(sources.flatMap((source) => [...checkDefaultExports(source), ...checkBarrels(source)])).toEqual([])
})

test('every export of src has a docstring', () => {
  expect(sources.filter(({ path }) => path.startsWith('src/')).flatMap(checkDocstrings)).toEqual([])
})

test('no file uses an enum, any or a base class', () => {
  expect(sources.flatMap(checkTypes)).toEqual([])
})

test('names of files and declarations are specific', () => {
  expect([...listTrackedPaths().flatMap(checkPath), ...sources.flatMap(checkNames)]).toEqual([])
})

test('no test mocks, sleeps or is disabled', () => {
  expect(sources.flatMap(checkHonesty)).toEqual([])
})

test('every law has a seed, and more cases in the soak', () => {
  expect(sources.flatMap(checkLaws)).toEqual([])
})

test('no file postpones work or contains machine-specific paths or registry hosts', () => {
  expect(texts.flatMap(checkWords)).toEqual([])
})

test('the lock files contain no hosts and are complete', () => {
  const locks = texts.filter(({ path }) => path.endsWith('package-lock.json'))
  expect(locks.map(({ path }) => path)).toEqual(['package-lock.json', 'scripts/node/package-lock.json'])
  expect(locks.flatMap(checkLock)).toEqual([])
})

describe('the checks can fail', () => {
  const source = (code: string, path = 'src/core/a.ts') => parseSource(path, code)

  test.each(['export default 1', 'const a = 1\nexport { a as default }'])('default export: %s', (code) => {
    expect(checkDefaultExports(source(code))).toEqual([expect.stringContaining('exports a default')])
  })

  test.each([
    "export * from './b.ts'",
    "export { b } from './b.ts'\nexport type { C } from './c.ts'",
    "const a = 1\nexport * as b from './b.ts'",
  ])('barrel: %s', (code) => {
    expect(checkBarrels(source(code))).toHaveLength(1)
    expect(checkBarrels(source(code, 'src/index.ts'))).toEqual([])
  })

  test.each([
    ['a', 'export function a() {}'],
    ['b', '/* not one */ export const b = 1'],
    ['C', '// not one\nexport interface C {}'],
    ['D', '/** too far */\nconst x = 1\nexport type D = string'],
    ['e', 'const e = 1\nexport { e }'],
    ['F', 'export class F {}'],
  ])('docstring of %s: %s', (name, code) => {
    expect(checkDocstrings(source(code))).toEqual([
      expect.stringContaining(`exports ${name} without a docstring`),
    ])
  })

  test.each([
    '/** One. */\nexport function a() {}',
    '/** One. */\nexport function a(b: string): void\nexport function a(b: number): void\nexport function a() {}',
    '/** One. */\nconst e = 1\nexport { e }',
    "const x = 1\nexport { a } from './a.ts'",
  ])('docstring exists: %s', (code) => {
    expect(checkDocstrings(source(code))).toEqual([])
  })

  test.each(['enum A { B }', 'let a: any', 'const f = (a: any[]) => a', 'abstract class A {}'])(
    'type: %s',
    (code) => {
      expect(checkTypes(source(code))).toHaveLength(1)
    },
  )

  test.each([
    'function handleError() {}',
    'const processRows = () => 1',
    'class A { manage() {} }',
    'const a = { handle: () => 1 }',
    'const stringUtils = 1',
    'interface CommonOptions {}',
  ])('name: %s', (code) => {
    expect(checkNames(source(code))).toHaveLength(1)
  })

  test.each([
    'const handle = 1',
    'const processedRows = () => 1',
    'class Manager {}',
    'class A extends B { override handleEvent() {} }',
  ])('accepts the name: %s', (code) => {
    expect(checkNames(source(code))).toEqual([])
  })

  test.each(['src/core/utils.ts', 'src/helpers/a.ts', 'src/geo/bbox-helpers.ts', 'test/support/common.ts'])(
    'path: %s',
    (path) => {
      expect(checkPath(path)).toHaveLength(1)
    },
  )

  test.each([
    "vi.mock('../a.ts')",
    "test.skip('a', () => {})",
    "describe.concurrent.only('a', () => {})",
    "test.skipIf(true)('a', () => {})",
    "test.todo('a')",
    'await new Promise((done) => setTimeout(done, 10))',
    'await vi.waitFor(() => expect(a).toBe(1))',
  ])('honesty: %s', (code) => {
    expect(checkHonesty(source(code, 'test/a.test.ts'))).toHaveLength(1)
  })

  test('law: name, seed and number of cases', () => {
    const law = 'fc.assert(property)'
    const run = 'const run = { seed: 1, numRuns: process.env.LANDFORM_SOAK ? 2 : 1 }'
    expect(checkLaws(source(law, 'test/a.test.ts'))).toHaveLength(3)
    expect(checkLaws(source(law, 'test/a.law.test.ts'))).toHaveLength(2)
    expect(checkLaws(source(`${run}\n${law}`, 'test/a.law.test.ts'))).toEqual([])
    const served = 'await assertLaw(property, { seed: 1, cases: casesOn[driver] })'
    expect(checkLaws(source(served, 'test/a.law.test.ts'))).toEqual([])
    expect(checkLaws(source('await assertLaw(property, runs)', 'test/a.law.test.ts'))).toHaveLength(2)
  })

  test.each([
    ['TO', 'DO: later'],
    ['// FIX', 'ME'],
    ['/wor', 'k/main/src'],
    ['see /ro', 'ot/.npmrc'],
    ['https://regis', 'try.npmjs.org/pg'],
    ['http://mir', 'ror.example:8080/x'],
  ])('word: %s%s', (start, end) => {
    expect(checkWords({ path: 'a.md', text: `first\n${start}${end}\n` })).toEqual([
      expect.stringMatching(/^a\.md:2 /),
    ])
  })

  test.each(['https://example.org/work/list', 'resource/work/x', './root/a'])('accepted word: %s', (text) => {
    expect(checkWords({ path: 'a.md', text })).toEqual([])
  })

  test('lock: a host and a gap', () => {
    const packages = {
      'node_modules/a': { resolved: 'https://example.org/a.tgz', optionalDependencies: { b: '1', c: '1' } },
      'node_modules/a/node_modules/b': {},
    }
    const text = JSON.stringify({ packages })
    expect(checkLock({ path: 'l', text })).toEqual([
      'l:1 node_modules/a is resolved to a host',
      'l:1 lacks c',
    ])
  })
})
