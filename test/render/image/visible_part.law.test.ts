import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawImage } from '../../../src/render/image/draw_image.ts'
import type { SimpleFill, SimpleLine, Stroke } from '../../../src/style/symbol_layer.ts'
import { featuresOf, jobOf, styleOf } from '../../support/draw_job.ts'

const run = { seed: 20_261_123, numRuns: process.env.LANDFORM_SOAK ? 5000 : 200 }

const stroke: Stroke = {
  ...{ color: '#ff0000', width: 5, dash: [], isDashRelative: false, dashOffset: 0 },
  ...{ join: 'miter', cap: 'square' },
}
const fill: SimpleFill = { kind: 'fill', color: '#0000ff', brush: 'solid', offset: [3, 0], pass: 0, stroke }
const line: SimpleLine = { kind: 'line', stroke, offset: 4, rings: 'all', pass: 0 }
/** Draws nothing, but needs all positions of a geometry. */
const invisible: SimpleLine = { ...line, stroke: { ...stroke, color: '#00000000', dash: [4, 4] } }

const position = fc.tuple(fc.integer({ min: -400, max: 460 }), fc.integer({ min: -400, max: 460 }))
const ring = fc
  .array(position, { minLength: 3, maxLength: 30 })
  .map((list) => [...list, list[0] ?? [0, 0]] as const)

test('positions out of sight are left out without changing a pixel', () => {
  fc.assert(
    fc.property(
      fc.array(ring, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('POLYGON', 'LINESTRING'),
      (rings, family) => {
        const features = featuresOf(family, [rings])
        const [type, layer] = family === 'POLYGON' ? (['fill', fill] as const) : (['line', line] as const)
        const trimmed = drawImage(jobOf(features, styleOf(type, [layer])))
        const complete = drawImage(jobOf(features, styleOf(type, [layer, invisible])))
        expect(greatestDifference(trimmed.bytes, complete.bytes)).toBeLessThanOrEqual(1)
      },
    ),
    run,
  )
})

/** Sums of areas outside are rounded in another order. */
function greatestDifference(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((greatest, value, at) => Math.max(greatest, Math.abs(value - (b[at] ?? 0))), 0)
}
