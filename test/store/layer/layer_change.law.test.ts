import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Bbox } from '../../../src/geo/bbox.ts'
import { findChangesSince, type LayerChange, mergeChanges } from '../../../src/store/layer/layer_change.ts'

const run = { seed: 20_261_124, numRuns: process.env.LANDFORM_SOAK ? 5000 : 300 }

/** A version: the positions of its changes, `whole` if it changed all, `unknown` if nothing was recorded. */
const version = fc.oneof(
  { weight: 8, arbitrary: fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom('whole' as const, 'unknown' as const) },
)

const boxAt = (x: number): Bbox => [x, 0, x, 0]

test('changes since a version cover all later ones, or are unknown, however they were merged', () => {
  fc.assert(
    fc.property(
      fc.array(version, { minLength: 1, maxLength: 20 }),
      fc.array(fc.nat(20), { maxLength: 3 }),
      (versions, merges) => {
        const records = versions.flatMap((one, at): LayerChange[] => {
          if (one === 'unknown') return []
          return [{ since: at + 1, version: at + 2, boxes: one === 'whole' ? null : one.flatMap(boxAt) }]
        })
        const dataVersion = versions.length + 1
        const changes = merges.reduce(mergeUpTo, records)
        for (let since = 1; since <= dataVersion; since += 1) {
          const later = versions.slice(since - 1)
          const found = findChangesSince({ dataVersion, changes }, since)
          if (later.some((one) => typeof one === 'string')) expect(found).toBeUndefined()
          else for (const x of later.flat()) expect(found?.some((box) => covers(box, Number(x)))).toBe(true)
        }
      },
    ),
    run,
  )
})

const covers = ([minX, , maxX]: Bbox, x: number) => minX <= x && x <= maxX

/** Merges the changes up to a version, as the database does. */
function mergeUpTo(changes: readonly LayerChange[], last: number): LayerChange[] {
  const merged = mergeChanges(changes.filter((one) => one.version <= last))
  return [...(merged === undefined ? [] : [merged]), ...changes.filter((one) => one.version > last)]
}

test('without a change, nothing changed; without a record, the whole layer', () => {
  expect(findChangesSince({ dataVersion: 3, changes: [] }, 3)).toEqual([])
  expect(findChangesSince({ dataVersion: 3, changes: [] }, 2)).toBeUndefined()
})

test('coordinates that are not finite numbers stand for the whole layer', () => {
  const boxes = ['NaN', 0, 1, 1] as unknown as number[]
  expect(findChangesSince({ dataVersion: 2, changes: [{ since: 1, version: 2, boxes }] }, 1)).toBeUndefined()
})
