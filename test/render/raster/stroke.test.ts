import { describe, expect, test } from 'vitest'
import { CoverageBuffer } from '../../../src/render/raster/coverage.ts'
import { type Pen, strokeLine, strokeReach } from '../../../src/render/raster/stroke.ts'
import {
  type Contour,
  compareImages,
  drawAlpha,
  drawSvg,
  readCoverage,
  svgPath,
} from '../../support/drawing.ts'

const pen: Pen = { width: 6, join: 'miter', cap: 'flat', miterLimit: 4 }
const size = 128

function draw(line: Contour, options: Partial<Pen> = {}, isClosed = false): Uint8Array {
  const coordinates = Float64Array.from(line.flat())
  return drawAlpha(size, 'nonzero', (buffer) =>
    strokeLine(buffer, { coordinates, isClosed }, { ...pen, ...options }),
  )
}

function drawReference(line: Contour, options: Partial<Pen> = {}, isClosed = false): Promise<Uint8Array> {
  const { width, join, cap, miterLimit } = { ...pen, ...options }
  return drawSvg(
    size,
    `<path d="${svgPath([line], isClosed)}" fill="none" stroke="#000" stroke-width="${width}"
      stroke-linejoin="${join}" stroke-linecap="${cap === 'flat' ? 'butt' : cap}" stroke-miterlimit="${miterLimit}"/>`,
  )
}

const corners: Contour = [
  [12, 100.5],
  [40.3, 20],
  [60, 90],
  [64, 30],
  [70, 95],
  [118, 95],
  [118, 40],
  [90, 40],
]
const river: Contour = Array.from({ length: 60 }, (_, at) => [10 + at * 1.8, 64 + 40 * Math.sin(at / 5)])

describe('strokes are those of cairo', () => {
  test.each([
    ['miter joins', corners, { join: 'miter' }],
    ['miters up to a limit', corners, { join: 'miter', miterLimit: 12 }],
    ['bevel joins and square ends', corners, { join: 'bevel', cap: 'square' }],
    ['round joins and ends', corners, { join: 'round', cap: 'round', width: 9 }],
    ['thin lines', river, { width: 1 }],
    ['lines thinner than a pixel', river, { width: 0.3 }],
    ['curves of short segments', river, { width: 12, join: 'round' }],
  ] as const)('%s', async (_, line, options) => {
    const { largest, mean } = compareImages(draw(line, options), await drawReference(line, options))
    expect(mean).toBeLessThan(255 * 0.002)
    expect(largest).toBeLessThan(255 * 0.2)
  })

  test('closed rings', async () => {
    for (const join of ['miter', 'round', 'bevel'] as const) {
      const { largest, mean } = compareImages(
        draw(corners, { join }, true),
        await drawReference(corners, { join }, true),
      )
      expect(mean).toBeLessThan(255 * 0.002)
      expect(largest).toBeLessThan(255 * 0.2)
    }
  })
})

describe('strokes', () => {
  test('have the area of their length and width', () => {
    const buffer = new CoverageBuffer(size, size)
    const line = { coordinates: Float64Array.of(10, 20, 110, 70), isClosed: false }
    strokeLine(buffer, line, { ...pen, width: 2.5 })
    const sum = readCoverage(buffer, 'nonzero').reduce((total, part) => total + part, 0)
    expect(sum).toBeCloseTo(Math.hypot(100, 50) * 2.5, 6)
  })

  test('of width 0 cover one pixel in each column of a flat line, and in each row of a steep one', () => {
    const buffer = new CoverageBuffer(size, size)
    for (const ends of [
      [10, 20, 110, 70],
      [20, 120, 5, 40],
    ])
      strokeLine(buffer, { coordinates: Float64Array.from(ends), isClosed: false }, { ...pen, width: 0 })
    const sum = readCoverage(buffer, 'nonzero').reduce((total, part) => total + part, 0)
    expect(sum).toBeCloseTo(100 + 80, 6)
  })

  test('of a line without length are a dot with round ends, and nothing with flat ones', () => {
    const dot = draw(
      [
        [64, 64],
        [64, 64],
      ],
      { cap: 'round', width: 10 },
    )
    expect(dot.reduce((sum, alpha) => sum + alpha, 0) / 255).toBeCloseTo(25 * Math.PI, -1)
    expect(
      draw(
        [
          [64, 64],
          [64, 64],
        ],
        { width: 10 },
      ).every((alpha) => alpha === 0),
    ).toBe(true)
  })

  test('turn back over themselves, and end there', () => {
    const alpha = draw(
      [
        [20, 64],
        [100, 64],
        [20, 64],
      ],
      { join: 'miter' },
    )
    expect(alpha[64 * size + 99]).toBe(255)
    expect(alpha[64 * size + 101]).toBe(0)
  })

  test('of any width and any position are drawn', () => {
    const wide = draw(
      [
        [0, 0],
        [10, 10],
      ],
      { width: 1e9, join: 'round', cap: 'round' },
    )
    expect(wide.every((alpha) => alpha === 255)).toBe(true)
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e300])
      expect(
        draw(
          [
            [0, 0],
            [value, 10],
            [20, 20],
          ],
          { width: value },
        ),
      ).toHaveLength(size * size)
  })

  test('reach as far as their joins and ends', () => {
    expect(strokeReach({ ...pen, join: 'miter', miterLimit: 4 })).toBe(12)
    expect(strokeReach({ ...pen, width: 0, join: 'bevel' })).toBe(0.75)
  })
})
