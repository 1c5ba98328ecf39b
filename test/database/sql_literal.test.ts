import { describe, expect, test } from 'vitest'
import { bindLiterals, formatLiteral } from '../../src/database/database_session.ts'

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
])('%j is formatted as %s', (value, literal) => {
  expect(formatLiteral(value).trim()).toBe(literal)
})

test('a NUL character, which PostgreSQL cannot store, is refused', () => {
  expect(() => formatLiteral('a\0b')).toThrow(expect.objectContaining({ code: 'database/query' }))
})

describe('bindLiterals', () => {
  test.each([
    ['select $1, $2, $1', "select 'a','b','a'"],
    ['select $1::text', "select 'a'::text"],
    ['where a=$1and b', "where a='a'and b"],
    ['select $11', "select 'k'"],
  ])('replaces the parameters of %s', (text, expected) => {
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
  ])('leaves %s unchanged', (text) => {
    expect(bindLiterals(text, ['a'])).toBe(text)
  })

  test('does not replace parameters within values', () => {
    expect(bindLiterals('select $1, $2', ['$2', 'b'])).toBe("select  '$2' ,  'b' ")
  })

  test('reports a parameter without a value', () => {
    expect(() => bindLiterals('select $2', ['a'])).toThrow('no value for parameter $2')
    expect(() => bindLiterals('select $0', ['a'])).toThrow('no value for parameter $0')
  })
})
