import { expect, test } from 'vitest'
import { bytesOf } from '../../src/core/bytes.ts'
import type { Value } from '../../src/gdal/flatgeobuf/value.ts'
import { parseTimestamp } from '../../src/gdal/import/timestamp.ts'
import { roundingConversions } from '../../src/gdal/import/value_convert.ts'

test.each([
  ['2000-01-01T00:00:00', 0, 0],
  ['1999/12/31', -1, 0],
  ['2024-02-29T10:00:00.5+03:00', 8825, 36_000_000_000],
  ['0001-01-01', -730_119, 0],
  ['9999-12-31T23:59:59', 2_921_939, 86_399_000_000],
  ['2020-01-02 03:04', 7306, 11_040_000_000],
])('reads %s', (text, days, microseconds) => {
  expect(parseTimestamp(text)).toEqual({ days, microseconds })
})

test.each([
  ['2024-12-31T23:59:59.9', 9131, 86_399_000_000],
  ['2024-12-31T23:59:59.5', 9131, 86_399_000_000],
  // An error of a floating-point number.
  ['2024-12-31T12:00:29.999', 9131, 43_230_000_000],
])('reads %s of a floating-point number', (text, days, microseconds) => {
  expect(parseTimestamp(text, true)).toEqual({ days, microseconds })
})

test.each(['23:59:59.5', '23:59:59.9', '23:59:59.999'])('the time %s of a sheet has no hour 24', (text) => {
  const bytes = Buffer.from(`0000-00-00T${text}`)
  const value: Value = { ...bytesOf(bytes), column: 0, at: 0, size: bytes.length, type: 'DateTime' }
  expect(roundingConversions.TIME?.(value)).toBe(86_399_000_000)
})

test('reads the time of a timestamp without a date', () => {
  expect(parseTimestamp('0000-00-00T10:11:12')?.microseconds).toBe(36_672_000_000)
})

test.each(['', 'yesterday', '2020', '2020-1-2'])('rejects %j', (text) => {
  expect(parseTimestamp(text)).toBeUndefined()
})
