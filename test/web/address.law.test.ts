import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatAddress, parseAddress } from '../../src/web/address.ts'

test('the state of an address reads back as it was written', () => {
  const state = fc.record({
    lon: fc.integer({ min: -1_800_000, max: 1_800_000 }).map((value) => value / 10_000),
    lat: fc.integer({ min: -900_000, max: 900_000 }).map((value) => value / 10_000),
    zoom: fc.integer({ min: 0, max: 2200 }).map((value) => value / 100),
    angle: fc.integer({ min: 1, max: 359 }),
    styles: fc.array(fc.integer({ min: 1, max: 1e9 }), { maxLength: 5 }),
    opacity: fc
      .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 0, max: 100 })), {
        ...{ minLength: 1, maxLength: 5 },
        selector: ([style]) => style,
      })
      .map((pairs) => new Map(pairs)),
  })
  fc.assert(
    fc.property(state, (written) => {
      expect(parseAddress(formatAddress('', written))).toEqual(written)
    }),
    { seed: 20260302, numRuns: process.env.LANDFORM_SOAK ? 10_000 : 200 },
  )
})
