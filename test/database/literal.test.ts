import { describe, expect, test } from 'vitest'
import { bindLiterals, formatLiteral } from '../../src/database/literal.ts'

test.each([
  [null, 'null'],
  [undefined, 'null'],
  [1, "'1'"],
  [-1.5, "'-1.5'"],
  [true, "'true'"],
  ["it's", "'it''s'"],
  [String.raw`a\b'c`, String.raw`E'a\\b''c'`],
  [[1, null], `'{1,NULL}'`],
  [{ a: "'" }, `'{"a":"''"}'`],
  [new Uint8Array([255]), String.raw`E'\\xff'`],
])('%j is written as %s', (value, literal) => {
  expect(formatLiteral(value).trim()).toBe(literal)
})

test('a zero character, which PostgreSQL cannot hold, is refused', () => {
  expect(() => formatLiteral('a\0b')).toThrow(expect.objectContaining({ code: 'database/query' }))
})

describe('a literal takes the place of a value', () => {
  test.each([
    ['select $1, $2, $1', "select 'a','b','a'"],
    ['select $1::text', "select 'a'::text"],
    ['where a=$1and b', "where a='a'and b"],
    ['select $11', "select 'k'"],
  ])('in %s', (text, expected) => {
    const values = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']
    expect(bindLiterals(text, values).replaceAll(/ +/g, '')).toBe(expected.replaceAll(/ +/g, ''))
  })

  test.each([
    ["select '$1'"],
    ["select 'it''s $1'"],
    [String.raw`select e'\'$1'`],
    ['select "$1"'],
    ['select "a""$1"'],
    ['select 1 -- $1'],
    ['select 1 /* $1 */'],
    ['select $$ $1 $$'],
    ["select $tag$ '$1' $$ $tag$"],
    ['select a$1 from t'],
  ])('not in %s', (text) => {
    expect(bindLiterals(text, ['a'])).toBe(text)
  })

  test('and what looks like one inside a value stays', () => {
    expect(bindLiterals('select $1, $2', ['$2', 'b'])).toBe("select  '$2' ,  'b' ")
  })

  test('or the lack of a value is told', () => {
    expect(() => bindLiterals('select $2', ['a'])).toThrow('there is no value for $2')
    expect(() => bindLiterals('select $0', ['a'])).toThrow('there is no value for $0')
  })
})
