import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { datatypeCodecs, daySeconds, type FieldScalar } from '../../src/contract/datatype_codec.ts'
import type { Datatype } from '../../src/contract/geometry.ts'

describe('a string of a datatype', () => {
  test.each<[Datatype, string, number | bigint | string]>([
    ['INTEGER', '-2147483648', -2_147_483_648],
    ['INTEGER', '+7', 7],
    ['INTEGER', '007', 7],
    ['BIGINT', '9223372036854775807', 9_223_372_036_854_775_807n],
    ['BIGINT', '-15', -15],
    ['REAL', '-1.5e3', -1500],
    ['REAL', '.5', 0.5],
    ['REAL', '0e-400', 0],
    ['REAL', '5e-324', 5e-324],
    ['STRING', '', ''],
    ['DATE', '2000-01-02', 1],
    ['DATE', '2000/1/2', 1],
    ['DATE', '0001-01-01', -730_119],
    ['DATE', '2024-02-29', 8825],
    ['TIME', '23:59:59', 86_399],
    ['TIME', '10:11', 36_660],
    ['TIME', '23:59:59.9', 86_399],
    ['DATETIME', '2000-01-02', daySeconds],
    ['DATETIME', '2000-01-02T00:00:01', daySeconds + 1],
    ['DATETIME', '2000-01-02 00:01', daySeconds + 60],
    ['DATETIME', '1999-12-31T23:59:59.5Z', -1],
    ['DATETIME', '2000-01-01T10:00:00+03:00', 36_000],
    ['DATETIME', '9999-12-31T23:59:59', 2_921_939 * daySeconds + 86_399],
  ])('%s %j is parsed', (datatype, text, value) => {
    expect(datatypeCodecs[datatype].parse(text)).toBe(value)
  })

  test.each<[Datatype, string]>([
    ['INTEGER', '2147483648'],
    ['INTEGER', '1.0'],
    ['INTEGER', ''],
    ['INTEGER', '-'],
    ['BIGINT', '9223372036854775808'],
    ['REAL', 'NaN'],
    ['REAL', '1e400'],
    ['REAL', '1e-400'],
    ['REAL', '1,5'],
    ['STRING', 'a\0'],
    ['STRING', '\ud800'],
    ['DATE', '2023-02-29'],
    ['DATE', '2023-13-01'],
    ['DATE', '0000-01-01'],
    ['DATE', '2023-01/01'],
    ['DATE', '2023-01-01T00:00:00'],
    ['TIME', '24:00:00'],
    ['TIME', '10:60'],
    ['TIME', '10:00:00Z'],
    ['DATETIME', '2000-01-02T25:00'],
    ['DATETIME', '2023-02-29T00:00:00'],
    ['DATETIME', 'now'],
  ])('%s %j is refused', (datatype, text) => {
    expect(datatypeCodecs[datatype].parse(text)).toBeUndefined()
  })
})

test('a formatted value parses to itself', () => {
  const values = {
    INTEGER: fc.integer(),
    BIGINT: fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .filter((one) => !Number.isSafeInteger(Number(one))),
    REAL: fc.double({ noNaN: true, noDefaultInfinity: true }),
    STRING: fc.string(),
    DATE: fc.integer({ min: -730_119, max: 2_921_939 }),
    TIME: fc.integer({ min: 0, max: 86_399 }),
    DATETIME: fc.integer({ min: -730_119 * daySeconds, max: 2_921_939 * daySeconds }),
  }
  for (const [datatype, arbitrary] of Object.entries(values)) {
    const { parse, print } = datatypeCodecs[datatype as Datatype]
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<FieldScalar>, (value) => {
        expect(parse(print(value))).toEqual(value === 0 ? 0 : value)
      }),
      { seed: 20_261_123, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 300 },
    )
  }
})

test('dates follow the calendar', () => {
  const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(dates, (date) => {
      const midnight = Math.floor(date.getTime() / 86_400_000) - 10_957
      expect(datatypeCodecs.DATE.parse(date.toISOString().slice(0, 10))).toBe(midnight)
    }),
    { seed: 1, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 500 },
  )
})
