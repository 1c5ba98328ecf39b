import { describe, expect, test } from 'vitest'
import type { Value } from '../../../src/style/expression/expression.ts'
import { compileExpression, compileFilter } from '../../../src/style/expression/expression_evaluate.ts'
import { parseExpression } from '../../../src/style/expression/expression_parse.ts'

const attributes = { n: 7, s: 'a', none: null, NAME: 'Ä' }
const evaluate = (text: string) =>
  compileExpression(parseExpression(text))({ attributes, id: 12, scaleDenom: 5000 })

/** Values that QGIS 3.22.16 returns. */
const facts: Readonly<Record<string, readonly (readonly [text: string, value: Value])[]>> = {
  'null and logic': [
    ["NULL || 'a'", null],
    ['NOT NULL', null],
    ['NULL AND false', 0],
    ['NULL OR true', 1],
    ['NULL = NULL', null],
    ['NULL IS NULL', 1],
    ['1 IS NOT NULL', 1],
    ["'a' IS 'b'", 0],
    ['3 IS NOT 4', 1],
    ['NULL IS NOT NULL', 0],
    ['TRUE AND 2', 1],
    ["'x' AND true", null],
    ["'' OR false", null],
    ["'0' OR false", 0],
    ["NOT 'a'", null],
    ['1 < NULL', null],
    ['NULL + 1', null],
    ['-NULL', null],
  ],
  precedence: [
    ['NOT 1 = 2', 1],
    ['NOT 1 IN (2)', 1],
    ['NOT 1 + 1', 0],
    ['NOT NULL IS NULL', 0],
    ['1 = 1 IS NULL', 0],
    ['1 AND 2 OR 0', 1],
    ['1=1 AND NOT 1=2 OR 1=3', 1],
    ['1 < 2 < 3', 1],
    ['5 > 3 > 2', 0],
    ['1 + 2 * 3', 7],
    ['2 - 1 - 1', 0],
    ['8 / 2 / 2', 2],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', 4],
    ['2 * 3 ^ 2', 18],
    ['2 * 7 // 4', 3],
    ['7 % 4 * 2', 6],
    ['- 3 || 4', '-34'],
    ['2 ^ 3 || 4', 17_179_869_184],
    ['1 || 2 + 3', 15],
    ['4 - 2 || 1', -17],
    ["1 + 1 || 'x'", null],
    ["'a' || 'b' = 'ab'", 1],
    ['2--1', 2],
    ['2 - -1', 3],
    ['- -3', 3],
    ['1 /* c */ + 2', 3],
    ['1 -- c', 1],
  ],
  comparisons: [
    ["1 = '1'", 1],
    ["'1.0' = 1", 1],
    ["'1.0' = '1'", 0],
    ["'a' = 1", 0],
    ["'a' = 'A'", 0],
    ["'10' < '9'", 1],
    ["'10' < 9", 0],
    ["'1e2' = 100", 1],
    ["' 7 ' = 7", 1],
    ["'0x10' = 16", 0],
    ['1 = true', 0],
    ["true = 'true'", 1],
    ['true > 0', 1],
    ["1 = ''", 0],
    ["'' IS NULL", 0],
    ['0.1 + 0.2 = 0.3', 1],
    ['1 <> 2', 1],
    ['1 != 2', 1],
  ],
  arithmetic: [
    ["1 + '2'", 3],
    ["'a' + 'b'", 'ab'],
    ["'7' + '8'", '78'],
    ["1 + 'b'", null],
    ['true + 1', 2],
    ['5 / 2', 2.5],
    ['5 // 2', 2],
    ['-5 // 2', -3],
    ['-5 % 3', -2],
    ['7 % -3', 1],
    ['5.5 % 2', 1.5],
    ['1 / 0', null],
    ['1 % 0', null],
    ['5 // 0', null],
    ['.5', 0.5],
    ['1e+3', 1000],
    ['00012', 12],
    ["-'5'", -5],
  ],
  lists: [
    ['3 IN (1,2)', 0],
    ["1 IN ('1')", 1],
    ["'a' IN ('A')", 0],
    ['3 IN (1,NULL)', null],
    ['1 IN (1,NULL)', 1],
    ['NULL IN (1)', null],
    ['3 NOT IN (1,2)', 1],
    ['3 NOT IN (1,NULL)', null],
  ],
  patterns: [
    ["'a' LIKE 'A'", 0],
    ["'a' ILIKE 'A'", 1],
    ["'abc' LIKE 'a%'", 1],
    ["'abc' LIKE 'a_c'", 1],
    ["'a.c' LIKE 'abc'", 0],
    ["'a\nb' LIKE 'a%b'", 1],
    [String.raw`'a%c' LIKE 'a\\%c'`, 1],
    [String.raw`'abc' LIKE 'a\\%c'`, 0],
    ["'a' NOT LIKE 'b'", 1],
    ["'a' NOT ILIKE 'A'", 0],
    ["NULL LIKE 'a'", null],
    ["'abc' ~ 'b'", 1],
    ["'abc' ~ '^b'", 0],
    ["'a\nb' ~ 'a.b'", 0],
    ["'a' ~ NULL", null],
  ],
  strings: [
    ["'it''s'", "it's"],
    [String.raw`'a\'b'`, "a'b"],
    [String.raw`'a\\b\n'`, 'a\\b\n'],
    [String.raw`'a\qb'`, 'a?b'],
    ["'a' || 1", 'a1'],
    ["1.0 || 'x'", '1x'],
    ["'abc' || true", 'abctrue'],
  ],
  branches: [
    ["CASE WHEN 1=1 THEN 'a' END", 'a'],
    ["CASE WHEN NULL THEN 'a' ELSE 'b' END", 'b'],
    ['CASE WHEN false THEN 1 END', null],
  ],
  conversions: [
    ['to_string(7.0)', '7'],
    ['to_string(0.1+0.2)', '0.30000000000000004'],
    ['to_string(1e20)', '1e+20'],
    ['to_string(0.00001234)', '1.234e-05'],
    ['to_string(0.0001)', '0.0001'],
    ['to_string(123456789012345680)', '123456789012345680'],
    ['to_string(true)', 'true'],
    ["to_int('7')", 7],
    ["to_int('7.6')", null],
    ['to_int(7.5)', 8],
    ['to_int(-7.5)', -7],
    ['to_int(true)', 1],
    ["to_real('a')", null],
    ["toreal(' 7 ')", 7],
  ],
  'functions of strings': [
    ["upper('ß')", 'SS'],
    ["title('hello wORLD')", 'Hello World'],
    ['length(123)', 3],
    ["length('😀')", 2],
    ["substr('HELLO',2,3)", 'ELL'],
    ["substr('HELLO',-3,2)", 'LL'],
    ["substr('HELLO',1,-2)", 'HEL'],
    ["substr('HELLO',0,2)", 'HE'],
    ["substr('hello',-10,7)", 'hello'],
    ["replace('abc','','x')", 'xaxbxcx'],
    ["replace('HELLO','L','x')", 'HExxO'],
    ["replace('abc','a',NULL)", null],
    ["left('Hello',-2)", 'Hello'],
    ["left('Hello',2)", 'He'],
    ["right('abc',0)", ''],
    ["right('abc',2)", 'bc'],
    ["lpad('a',5,'xy')", 'xxxxa'],
    ["rpad('abc',2,'x')", 'ab'],
    ["strpos('abc','z')", 0],
    ["concat('a',NULL,'b')", 'ab'],
    ['concat(1,2.5)', '12.5'],
    ['concat(NULL)', null],
    ["regexp_match('abc','b')", 2],
    ["regexp_match('ABC','(?i)b')", 2],
    ["regexp_match('abc','(')", null],
    ["regexp_match(NULL,'z')", null],
  ],
  'functions of numbers': [
    ['round(2.5)', 3],
    ['round(-2.5)', -3],
    ['round(1234.567,-2)', 1200],
    ['round(1.005,2)', 1],
    ['ceil(1.2)', 2],
    ["sqrt('9')", 3],
    ['sqrt(-1)', null],
    ['min(1,2,NULL)', 1],
    ["min('a',2)", null],
    ['max()', null],
    ['clamp(5,3,1)', 5],
    ['clamp(1,NULL,3)', null],
    ['ln(0)', null],
    ['log(2,8)', 3],
    ['scale_linear(15,0,10,0,100)', 100],
    ['scale_linear(5,0,0,0,10)', null],
    ['scale_exp(2.5,0,10,0,100,0.5)', 50],
  ],
  'other functions': [
    ["coalesce(NULL, 'a', 1)", 'a'],
    ['COALESCE()', null],
    ["if(NULL,'a','b')", 'b'],
    ["nullif(1,'1')", null],
    ["year('2012-05-12T01:02:03')", 2012],
    ["month('2012-05-12 10:00:00')", 5],
    ["day('12/05/2012')", null],
  ],
}

describe.each(Object.entries(facts))('evaluates %s as QGIS', (_, rows) => {
  test.each(rows)('%s', (text, value) => {
    expect(evaluate(text)).toEqual(value)
  })
})

test.each([
  ['"n" + n', 14],
  ['"name"', 'Ä'],
  ['"missing"', null],
  ['$id', 12],
  ['@map_scale > 1000', 1],
  ['5 BETWEEN 1 AND 10 AND true', 1],
  ['5 NOT BETWEEN 1 AND 10', 0],
  ['5 BETWEEN NULL AND 3', 0],
  ['5 BETWEEN NULL AND 10', null],
])('evaluates %s', (text, value) => {
  expect(evaluate(text)).toBe(value)
})

test.each([
  ['"s"', false],
  ["'1'", true],
  ['0.4', false],
  ['0.6', true],
  ['"n" > NULL', false],
  ['"zz" = 1', false],
  ["1 + 'b'", false],
])('the filter %s selects as in QGIS: %s', (text, selected) => {
  expect(compileFilter(parseExpression(text))({ attributes })).toBe(selected)
})

describe('parseExpression refuses', () => {
  test.each([
    ['', 'unexpected end of expression', 0],
    ['1 == 2', 'unexpected "="', 3],
    ['1.', 'unexpected "1"', 0],
    ['0x10', 'unexpected "0"', 0],
    ["'a", "unexpected ', which is not closed", 0],
    ['(1', 'expected ")", got end of expression', 2],
    ['1)', 'unexpected ")"', 1],
    ['1 IN ()', 'unexpected ")"', 6],
    ['AND 1', 'unexpected "AND"', 0],
    ['CASE 1 WHEN 1 THEN 2 END', 'expected WHEN, got "1"', 5],
    ['"a" > foo(1)', 'function foo() is not supported', 6],
    ['"a" || $area', '$area is not supported', 7],
    ['1 < @x', '@x is not supported', 4],
    ['if(1,2)', 'if() expects 3 arguments, got 2', 0],
    ['left()', 'left() expects 2 arguments, got 0', 0],
    ['a.b', 'unexpected "."', 1],
  ])('%j', (text, message, offset) => {
    expect(() => parseExpression(text)).toThrow(expect.objectContaining({ message, offset }))
  })

  test.each([
    ['parentheses', '('.repeat(10_000)],
    ['negations', 'NOT '.repeat(10_000)],
    ['signs', '- '.repeat(10_000)],
    ['powers', '2^'.repeat(10_000)],
    ['sums', `1${'+1'.repeat(10_000)}`],
    ['suffixes', `1${' IS 1'.repeat(10_000)}`],
    ['calls', 'abs('.repeat(10_000)],
    ['branches', 'CASE WHEN '.repeat(6000)],
  ])('deep %s', (_, text) => {
    expect(() => parseExpression(text)).toThrow('nested deeper than 200 levels')
  })

  test('long text', () => {
    expect(() => parseExpression(' '.repeat(10_000_000))).toThrow('longer than 65536 characters')
  })
})

test('evaluates long chains and lists', () => {
  expect(evaluate(`false${' OR "n" = 7'.repeat(5000)}`)).toBe(1)
  expect(evaluate(`"s" IN ('b'${",'x'".repeat(10_000)},'a')`)).toBe(1)
})

test('strings that double do not exhaust the memory', () => {
  let text = "'aaaaaaaaaa'"
  for (let depth = 0; depth < 60; depth += 1) text = `replace(${text},'a','aaaa')`
  expect(evaluate(text)).toBeNull()
})

test('searches a regular expression in linear time', () => {
  expect(evaluate(`'${'a'.repeat(5000)}!' ~ '^(a+)+$'`)).toBe(0)
  expect(evaluate(`'${'a'.repeat(5000)}' ~ '(a|aa)*b|(x?){40}c'`)).toBe(0)
})
