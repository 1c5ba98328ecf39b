import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxMerges, rowBits, thinFeatures } from '../../../src/render/vector_tile/tile_grid.ts'

const run = { seed: 20_240_506, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 300 }

const feature = fc.record({
  id: fc.nat(10_000),
  ...{ column: fc.nat(200), row: fc.nat(200) },
  rank: fc.nat(3),
})
const features = fc.uniqueArray(feature, { selector: ({ id }) => id, maxLength: 200 })

interface Ranked {
  readonly id: number
  readonly column: number
  readonly row: number
  readonly rank: number
}

const crowdOf = (list: readonly Ranked[]) => ({
  ids: list.map(({ id }) => id),
  cells: list.map(({ column, row }) => (column << rowBits) | row),
  ranks: list.map(({ rank }) => rank),
})

/** Returns the id of the most important feature. */
const bestOf = (list: readonly Ranked[]) => [...list].sort((a, b) => b.rank - a.rank || b.id - a.id)[0]?.id

describe('thinFeatures', () => {
  test('keeps the feature of the highest rank of each cell within the limit, and among equals the last', () => {
    fc.assert(
      fc.property(features, (list) => {
        const cells = Map.groupBy(list, ({ column, row }) => `${column} ${row}`)
        expect(thinFeatures(crowdOf(list), 1000)).toEqual(new Set([...cells.values()].map(bestOf)))
      }),
      run,
    )
  })

  test('a lower limit keeps a subset; the most important feature is always kept', () => {
    fc.assert(
      fc.property(features, fc.nat(50), fc.nat(50), (list, one, other) => {
        const [few, many] = [one, other]
          .sort((a, b) => a - b)
          .map((limit) => thinFeatures(crowdOf(list), limit))
        for (const id of few ?? []) expect(many?.has(id)).toBe(true)
        if (list.length > 0) expect(few?.has(bestOf(list) ?? -1)).toBe(true)
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
