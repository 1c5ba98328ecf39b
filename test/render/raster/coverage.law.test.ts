import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CoverageBuffer } from '../../../src/render/raster/coverage.ts'
import { addContours, type Contour, readCoverage } from '../../support/drawing.ts'

const run = { seed: 20_261_123, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 300 }

const inside = fc.double({ min: 0, max: 32, noNaN: true })
const anywhere = fc.double({ min: -100, max: 140, noNaN: true })
const contourOf = (coordinate: fc.Arbitrary<number>): fc.Arbitrary<Contour> =>
  fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 12 })

const sumOf = (parts: Float64Array) => parts.reduce((sum, part) => sum + part, 0)

function areaOf(contour: Contour): number {
  const doubled = contour.map(([x, y], at) => {
    const [nextX, nextY] = contour[(at + 1) % contour.length] ?? [0, 0]
    return x * nextY - nextX * y
  })
  return doubled.reduce((sum, part) => sum + part, 0) / 2
}

function draw(
  contours: readonly Contour[],
  [width, height] = [32, 32],
  shift: readonly [number, number] = [0, 0],
): Float64Array {
  const buffer = new CoverageBuffer(width ?? 0, height ?? 0)
  addContours(buffer, contours, shift)
  return readCoverage(buffer, 'nonzero')
}

test('the coverage of a triangle sums to its area', () => {
  const triangle = fc.tuple(...[0, 1, 2].map(() => fc.tuple(inside, inside))) as fc.Arbitrary<Contour>
  const law = fc.property(triangle, (contour) => {
    expect(sumOf(draw([contour]))).toBeCloseTo(Math.abs(areaOf(contour)), 6)
  })
  fc.assert(law, run)
})

test('a triangle that is cut in two along any line covers the same as the whole', () => {
  const triangle = fc.tuple(...[0, 1, 2].map(() => fc.tuple(anywhere, anywhere))) as fc.Arbitrary<Contour>
  const law = fc.property(triangle, fc.double({ min: 0, max: 1, noNaN: true }), (contour, part) => {
    const [a = [0, 0], b = [0, 0], c = [0, 0]] = contour
    const cut = [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part] as const
    const whole = draw([contour])
    const [first, second] = [draw([[a, cut, c]]), draw([[cut, b, c]])]
    const gaps = whole.map((value, at) => Math.abs(value - (first[at] ?? 0) - (second[at] ?? 0)))
    expect(Math.max(...gaps)).toBeLessThan(1e-6)
  })
  fc.assert(law, run)
})

test('tiles cover the same as one large image', () => {
  const law = fc.property(fc.array(contourOf(anywhere), { maxLength: 3 }), (contours) => {
    const large = draw(contours, [64, 64])
    for (const [left, top] of [
      [0, 0],
      [32, 0],
      [0, 32],
      [32, 32],
    ] as const) {
      const tile = draw(contours, [32, 32], [-left, -top])
      const gaps = tile.map((part, at) => {
        const there = (top + Math.floor(at / 32)) * 64 + left + (at % 32)
        return Math.abs(part - (large[there] ?? 0))
      })
      expect(Math.max(...gaps)).toBeLessThan(1e-6)
    }
  })
  fc.assert(law, { ...run, numRuns: run.numRuns / 10 })
})

test('a contour and its reverse cover nothing, wherever they are', () => {
  const wild = fc.double({ noNaN: false })
  const law = fc.property(contourOf(wild), (contour) => {
    const finite = contour.filter(([x, y]) => !Number.isNaN(x) && !Number.isNaN(y))
    const parts = draw([finite, finite.toReversed()])
    expect(parts.every((part) => part < 1e-3)).toBe(true)
  })
  fc.assert(law, run)
})

test('any coordinates give parts from 0 to 1', () => {
  const law = fc.property(fc.array(contourOf(fc.double()), { maxLength: 3 }), (contours) => {
    for (const rule of ['nonzero', 'evenodd'] as const) {
      const buffer = new CoverageBuffer(16, 16)
      addContours(buffer, contours)
      expect(readCoverage(buffer, rule).every((part) => part >= 0 && part <= 1)).toBe(true)
    }
  })
  fc.assert(law, run)
})
