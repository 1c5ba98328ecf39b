import { expect, test } from 'vitest'
import { fieldsOf } from '../../../src/style/expression/expression.ts'
import { compileFilter } from '../../../src/style/expression/expression_evaluate.ts'
import { parseMapserverExpression } from '../../../src/style/mapserver/mapserver_expression.ts'
import { expressionOfFilter } from '../../../src/style/mapserver/mapserver_filter.ts'

const holds = (expression: string, attributes: Record<string, unknown>) =>
  compileFilter(expressionOfFilter(parseMapserverExpression(expression, undefined)))({ attributes })

test.each([
  ['([n] > 5)', { n: 6 }, true],
  ['([n] > 5)', { n: '6' }, true],
  ['([n] > 5)', { n: 5 }, false],
  ['([n] > 5)', {}, false],
  ['([n] > 5)', { n: 'many' }, false],
  // Of MapServer 8.0, where null values are empty strings.
  ['([n] = 0)', { n: '' }, true],
  ['([n] = 0)', { n: null }, true],
  ['([n] != 0)', { n: null }, false],
  ['(NOT ([n] > 5))', { n: 'abc' }, true],
  ['([n] > 5)', { n: '12 km' }, true],
  ["('[n]' > '5')", { n: '10' }, false],
  ["('[n]' eq 'x' OR [n] > 3)", { n: null }, false],
  ['([n] % 2 = 0)', { n: 4 }, true],
  ['([n] % 0 = 0)', { n: 4 }, false],
  ['([n] + 1 * 2 = 6)', { n: 4 }, true],
  ['(length("[s]") = 3)', { s: 'abc' }, true],
  ['(upper("[s]") = "ABC")', { s: 'abc' }, true],
  ['([n] > [m])', { n: 10, m: 9 }, true],
  ['("[n]" > "[m]")', { n: 10, m: 9 }, false],
  ['(5 < [n])', { n: 6 }, true],
  ["([s] = 'a')", { s: 'a' }, true],
  ["('[s]' = 'a')", { s: 'b' }, false],
  ["([s] >= 'b')", { s: 'c' }, true],
  ["([s] =* 'A.B')", { s: 'a.b' }, true],
  ["([s] =* 'A.B')", { s: 'axb' }, false],
  ["([s] ~ '^a+$')", { s: 'aaa' }, true],
  ["([s] ~* '^A+$')", { s: 'aaa' }, true],
  ["([s] IN 'a,b')", { s: 'b' }, true],
  ["([s] IN 'a, b')", { s: 'b' }, false],
  ["([s] IN 'a,b')", {}, false],
  ["([s] = '')", { s: null }, true],
  ["([s] ~ '^[[:upper:]]+$')", { s: 'AB' }, true],
  ["([s] ~ '^[[:upper:]]+$')", { s: 'Ab' }, false],
  ["(not ([s] = 'a') and ([n] lt 3 or [n] gt 7))", { s: 'b', n: 8 }, true],
  ["(!([s] == 'a') && ([n] < 3 || [n] > 7))", { s: 'b', n: 5 }, false],
])('%s of %j is %s', (expression, attributes, expected) => {
  expect(holds(expression, attributes)).toBe(expected)
})

test.each([
  ['([a] = 1', 'unclosed parenthesis'],
  ['([a] = )', 'unexpected )'],
  ['([a])', 'expected a value, got end of expression'],
  ['([a] or 1)', 'unknown operator OR'],
  ["('a' ~ [a])", 'operator ~ requires a field in brackets and a value'],
  ['(1 = foo)', 'unexpected FOO'],
  [`([a] ${'+ 1 '.repeat(60)} = 1)`, 'more than 50 operators in a row'],
  [`(${'length('.repeat(60)}`, 'nested deeper than 50 levels'],
  ['([a] = 1) x', 'unexpected X in ([a] = 1) x'],
  ['([a] = 1', 'unclosed parenthesis'],
  ['([a] % 1)', 'expected a value, got end of expression'],
  ['([a] # 1)', 'cannot read # 1)'],
  ["([a] ~ '(')", '/(/ is not a regular expression that is supported'],
  ['('.repeat(60), 'nested deeper than 50 levels'],
  ['"[art]" = "Schule"', '"[art]" = "Schule" is not in parentheses'],
  ['plain', 'plain requires a <classitem> in the layer'],
])('refuses %s', (expression, message) => {
  expect(() => parseMapserverExpression(expression, undefined)).toThrow(message)
})

test.each([
  '"[art]" = "Schule"',
  '[n] > 1000',
  "[n] >= 1 AND [s] IN 'a,b'",
  'NOT ([n] = 1)',
  '5 < [n]',
  '[n] > ',
])('refuses %s without parentheses, also with a class item', (expression) => {
  expect(() => parseMapserverExpression(expression, 'art')).toThrow(`${expression} is not in parentheses`)
})

test.each([
  ['"[n] > 1000"', '[n] > 1000'],
  ['[draft]', '[draft]'],
  ['Road [closed]', 'Road [closed]'],
  ['a = b', 'a = b'],
])('takes %s for a value of the class item', (expression, value) => {
  expect(parseMapserverExpression(expression, 'art')).toEqual({ op: 'eq', field: 'art', value })
})

test('tells how a logical expression without parentheses is written', () => {
  expect(() => parseMapserverExpression('"[art]" = "Schule"', undefined)).toThrow(
    expect.objectContaining({ hint: 'write ("[art]" = "Schule")' }),
  )
})

test('lists the fields that a filter reads', () => {
  expect(
    fieldsOf(
      expressionOfFilter(parseMapserverExpression('(([a] = 1 or [b] = 2) and not [a] = 3)', undefined)),
    ),
  ).toEqual(['a', 'b'])
})
