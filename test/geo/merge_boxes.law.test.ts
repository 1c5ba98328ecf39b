import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Bbox } from '../../src/geo/bbox.ts'
import { mergeBoxes } from '../../src/geo/merge_boxes.ts'

const run = { seed: 20_261_124, numRuns: process.env.LANDFORM_SOAK ? 5000 : 200 }

const coordinate = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ min: -2e7, max: 2e7, noNaN: true }))
const box = fc
  .tuple(coordinate, coordinate, coordinate, coordinate)
  .map(([a, b, c, d]): Bbox => [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)])
const contains = (outer: Bbox, inner: Bbox) =>
  outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3]

test('merged boxes cover all boxes, and nothing outside of their extent', () => {
  fc.assert(
    fc.property(fc.array(box, { maxLength: 40 }), fc.integer({ min: 1, max: 20 }), (boxes, count) => {
      const merged = mergeBoxes(boxes, count)
      expect(merged.length).toBe(Math.min(boxes.length, count))
      for (const one of boxes) expect(merged.some((other) => contains(other, one))).toBe(true)
      const [around] = mergeBoxes(boxes, 1)
      for (const one of merged) expect(around && contains(around, one)).toBe(true)
    }),
    run,
  )
})

test('boxes that are close together are merged first', () => {
  const left: Bbox[] = [
    [0, 0, 1, 1],
    [1, 1, 2, 2],
  ]
  const right: Bbox[] = [
    [1000, 0, 1001, 1],
    [1001, 1, 1002, 2],
  ]
  expect(mergeBoxes([left[0], right[1], left[1], right[0]] as Bbox[], 2)).toEqual([
    [0, 0, 2, 2],
    [1000, 0, 1002, 2],
  ])
})
