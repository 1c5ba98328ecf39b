import { describe, expect, it } from 'vitest'
import { LongNumber, parseExactJson } from '../../src/core/long_number.ts'

describe('parseExactJson', () => {
  it.each(['9007199254740993', '-9223372036854775808', '123456789012345678901234567890'])(
    'keeps the digits of %s at any position',
    (digits) => {
      const long = new LongNumber(digits)
      expect(parseExactJson(digits)).toEqual(long)
      expect(parseExactJson(` [${digits}, {"a":${digits}} ,\n${digits}]`)).toEqual([long, { a: long }, long])
    },
  )

  it.each([
    '9007199254740991',
    '0.1234567890123456789',
    '12345678901234567.5',
    '1e300',
    '9007199254740993e0',
    '{"a":"b: 9007199254740993, "}',
    '{"__proto__":9,"b":[true,null]}',
    '{"a":[1],"a":"last","b":"\\\\"}',
    '1234567890123456 ',
  ])('reads %s as JSON.parse does', (text) => {
    expect(parseExactJson(text)).toEqual(JSON.parse(text))
    expect(parseExactJson(`[${text}, 1]`)).toEqual([JSON.parse(text), 1])
  })

  it('refuses invalid JSON', () => {
    expect(() => parseExactJson('[9007199254740993')).toThrow(SyntaxError)
    expect(() => parseExactJson('{a:1}')).toThrow(SyntaxError)
    expect(() => parseExactJson('{ 9007199254740993 : 1}')).toThrow(SyntaxError)
    expect(() => parseExactJson('[0009007199254740993 ]')).toThrow(SyntaxError)
    expect(() => parseExactJson('[9007199254740993, x]')).toThrow(`Unexpected token 'x'`)
  })

  it('formats the digits unchanged', () => {
    expect(JSON.stringify(parseExactJson('[9007199254740993]'))).toBe('["9007199254740993"]')
  })
})
