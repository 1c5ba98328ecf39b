import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxMerges, rowBits, thinFeatures } from '../../../src/render/vector_tile/tile_grid.ts'

const run = { seed: 20_240_506, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 300 }

const feature = fc.record({ id: fc.nat(10_000), column: fc.nat(200), row: fc.nat(200) })
const features = fc.uniqueArray(feature, { selector: ({ id }) => id, maxLength: 200 })

const crowdOf = (
  list: readonly { readonly id: number; readonly column: number; readonly row: number }[],
) => ({
  ids: list.map(({ id }) => id),
  cells: list.map(({ column, row }) => (column << rowBits) | row),
})

describe('thinFeatures', () => {
  test('keeps the lowest id of each cell within the limit', () => {
    fc.assert(
      fc.property(features, (list) => {
        const cells = Map.groupBy(list, ({ column, row }) => `${column} ${row}`)
        const lowest = [...cells.values()].map((cell) => Math.min(...cell.map(({ id }) => id)))
        expect(thinFeatures(crowdOf(list), 1000)).toEqual(new Set(lowest))
      }),
      run,
    )
  })

  test('a lower limit keeps a subset; the lowest id is always kept', () => {
    fc.assert(
      fc.property(features, fc.nat(50), fc.nat(50), (list, one, other) => {
        const [few, many] = [one, other]
          .sort((a, b) => a - b)
          .map((limit) => thinFeatures(crowdOf(list), limit))
        for (const id of few ?? []) expect(many?.has(id)).toBe(true)
        if (list.length > 0) expect(few?.has(Math.min(...list.map(({ id }) => id)))).toBe(true)
      }),
      run,
    )
  })

  test('keeps no more than the limit, unless cells cannot be merged further', () => {
    const coarsest = 2 ** maxMerges
    fc.assert(
      fc.property(features, fc.nat(50), (list, limit) => {
        const { size } = thinFeatures(crowdOf(list), limit)
        const last = new Set(list.map(({ column, row }) => `${column >> maxMerges} ${row >> maxMerges}`))
        expect(size).toBeLessThanOrEqual(Math.max(limit, last.size))
        expect(last.size).toBeLessThanOrEqual(Math.ceil(201 / coarsest) ** 2)
      }),
      run,
    )
  })
})
