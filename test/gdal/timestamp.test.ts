import { expect, test } from 'vitest'
import { parseTimestamp } from '../../src/gdal/import/timestamp.ts'

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

test('reads the time of a timestamp without a date', () => {
  expect(parseTimestamp('0000-00-00T10:11:12')?.microseconds).toBe(36_672_000_000)
})

test.each(['', 'yesterday', '2020', '2020-1-2'])('rejects %j', (text) => {
  expect(parseTimestamp(text)).toBeUndefined()
})
