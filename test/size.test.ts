import { describe, expect, test } from 'vitest'
import { checkFileLength, checkFunctions } from './support/source/sizes.ts'
import { parseSource } from './support/source/source.ts'
import { readSources, readTexts } from './support/source/tracked.ts'

test('no source file is too long', () => {
  const code = readTexts().filter(({ path }) => /\.(ts|mts|js|mjs|sql|css|html|sh)$/.test(path))
  expect(code.map(({ path }) => path)).toContain('test/size.test.ts')
  expect(code.flatMap(checkFileLength)).toEqual([])
})

test('no function is too long, nested too deeply or has too many parameters', () => {
  expect(readSources().flatMap(checkFunctions)).toEqual([])
})

describe('checkFileLength', () => {
  test('counts lines, not line feeds', () => {
    expect(checkFileLength({ path: 'a.ts', text: 'x\n'.repeat(400) })).toEqual([])
    expect(checkFileLength({ path: 'a.ts', text: 'x\n'.repeat(401) })).toEqual([
      'a.ts:1 has 401 lines, more than 400',
    ])
  })
})

describe('checkFunctions', () => {
  const check = (code: string, path = 'a.ts') => checkFunctions(parseSource(path, code))
  const body = (lines: number) => `{\n${'x()\n'.repeat(lines - 2)}}`

  test('accepts a function of 60 lines and refuses one of 61', () => {
    expect(check(`function long() ${body(60)}`)).toEqual([])
    expect(check(`function long() ${body(61)}`)).toEqual(['a.ts:1 is a function of 61 lines, more than 60'])
  })

  test.each([
    ['an arrow', `const long = () => ${body(61)}`],
    ['a method', `class A { long() ${body(61)} }`],
    ['the body of a test', `test('long', () => ${body(61)})`],
  ])('refuses %s that is too long', (_, code) => {
    expect(check(code, 'a.test.ts')).toEqual([expect.stringContaining('function of 61 lines')])
  })

  test('accepts a long group of tests in a test file, but not elsewhere', () => {
    expect(check(`describe('a group', () => ${body(61)})`, 'a.test.ts')).toEqual([])
    expect(check(`describe.each([1])('a group', () => ${body(61)})`, 'a.test.ts')).toEqual([])
    expect(check(`describeDrivers('a group', (open) => ${body(61)})`, 'a.test.ts')).toEqual([])
    expect(check(`describe('a group', () => ${body(61)})`)).toHaveLength(1)
  })

  test('refuses a fourth level of nesting, once', () => {
    expect(check('function f() { if (a) { for (;;) { while (b) { c() } } } }')).toEqual([])
    expect(
      check('function f() {\nif (a) { for (;;) { while (b) {\ntry { if (d) e() } finally {} } } } }'),
    ).toEqual(['a.ts:3 nests 4 levels deep, more than 3'])
  })

  test('counts a chain of else if as one level, and each function separately', () => {
    expect(check('if (a) b()\nelse if (c) d()\nelse if (e) f()\nelse if (g) h()\nelse if (i) j()')).toEqual(
      [],
    )
    expect(check('if (a) { if (b) { if (c) { d(() => { if (e) f() }) } } }')).toEqual([])
    expect(check('if (a) {} else if (b) { if (c) { if (d) { if (e) f() } } }')).toHaveLength(1)
  })

  test('refuses a fourth parameter, not counting this', () => {
    expect(check('function f(this: A, b, { c }, ...d) {}')).toEqual([])
    expect(check('const f = (a, b, c, d) => a')).toEqual([expect.stringContaining('has 4 parameters')])
    expect(check('class A { constructor(a, b, c, d) {} }')).toEqual([
      expect.stringContaining('has 4 parameters'),
    ])
  })
})
