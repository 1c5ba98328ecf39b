import { expect, test } from 'vitest'
import type { Datatype } from '../../src/contract/geometry.ts'
import { bytesOf } from '../../src/core/bytes.ts'
import { quickDay, quickInteger } from '../../src/gdal/import/quick_value.ts'
import { findConversion } from '../../src/gdal/import/value_convert.ts'

const textValue = (text: string) => {
  const bytes = Buffer.from(text)
  return { ...bytesOf(bytes), column: 0, type: 'String' as const, at: 0, size: bytes.length }
}
const read = (to: Datatype, text: string) => findConversion('STRING', to)(textValue(text))

test.each<[Datatype, string, number | bigint | null | undefined]>([
  ['INTEGER', '42', 42],
  ['INTEGER', ' +42 ', 42],
  ['INTEGER', '-2147483648', -2_147_483_648],
  ['INTEGER', '2147483648', undefined],
  ['INTEGER', '', null],
  ['INTEGER', '  ', null],
  ['INTEGER', '4.0', undefined],
  ['INTEGER', '4x', undefined],
  ['INTEGER', '-', undefined],
  ['BIGINT', '9223372036854775807', 9_223_372_036_854_775_807n],
  ['BIGINT', '9223372036854775808', undefined],
  ['BIGINT', '-15', -15],
  ['REAL', '1.5e3', 1500],
  ['REAL', '.5', 0.5],
  ['REAL', '-0', 0],
  ['REAL', '1e400', undefined],
  ['REAL', '1e-400', undefined],
  ['REAL', '0e-400', 0],
  ['REAL', 'NaN', undefined],
  ['REAL', '1,5', undefined],
  ['DATE', '2000-01-02', 1],
  ['DATE', '2000/01/02', 1],
  ['DATE', '2000/1/2', 1],
  ['DATE', '2019-02-29', undefined],
  ['DATE', '0000-01-01', undefined],
  ['TIME', '10:11', 36_660_000_000],
  ['TIME', '24:00:00', undefined],
  ['DATETIME', '2000-01-02T00:00:01', 86_401_000_000],
  ['DATETIME', '2000-01-02', 86_400_000_000],
  ['DATETIME', '2000-01-02T25:00', undefined],
])('to %s, the string %j is converted as for a changed field', (to, text, value) => {
  expect(read(to, text)).toEqual(value)
})

test('values read from bytes equal values parsed from strings', () => {
  expect(quickInteger(textValue('-123456789012'))).toBe(-123_456_789_012)
  expect(['1 ', '', '-', '+1', '1234567890123456'].map((text) => quickInteger(textValue(text)))).toEqual(
    Array.from({ length: 5 }, () => undefined),
  )
  expect(quickDay(textValue('1999-12-31'))).toBe(-1)
  expect(
    ['1999-12/31', '1999-13-01', '99-12-31', '1999-12-3x'].map((text) => quickDay(textValue(text))),
  ).toEqual(Array.from({ length: 4 }, () => undefined))
})
