import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTimestamp } from '../../src/gdal/import/timestamp.ts'

test('counts days by the calendar', () => {
  const days = fc.date({ min: new Date('1600-01-01'), max: new Date('9999-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(days, (date) => {
      const midnight = Math.floor(date.getTime() / 86_400_000) - 10_957
      expect(parseTimestamp(date.toISOString())?.days).toBe(midnight)
    }),
    { seed: 1, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 500 },
  )
})
