import { describe, expect, test } from 'vitest'
import { CoverageBuffer } from '../../../src/render/raster/coverage.ts'
import {
  addContours,
  type Contour,
  compareImages,
  drawAlpha,
  drawSvg,
  readCoverage,
  svgPath,
} from '../../support/drawing.ts'

const square: Contour = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 4],
]
const hole: Contour = [
  [1, 1],
  [3, 1],
  [3, 3],
  [1, 3],
]

function cover(contours: readonly Contour[], rule: 'nonzero' | 'evenodd' = 'nonzero'): number[] {
  const buffer = new CoverageBuffer(4, 4)
  addContours(buffer, contours)
  return [...readCoverage(buffer, rule)]
}

describe('coverage', () => {
  test('is the part of each pixel, for edges through pixels', () => {
    expect(
      cover([
        [
          [0.5, 0.25],
          [3.5, 0.25],
          [3.5, 1.5],
          [0.5, 1.5],
        ],
      ]).slice(0, 8),
    ).toEqual([0.375, 0.75, 0.75, 0.375, 0.25, 0.5, 0.5, 0.25])
  })

  test('leaves holes by the even-odd rule, and by the direction of rings', () => {
    const expected = [1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1]
    expect(cover([square, hole], 'evenodd')).toEqual(expected)
    expect(cover([square, hole.toReversed()])).toEqual(expected)
    expect(cover([square, hole])).toEqual(expected.map(() => 1))
  })

  test('starts empty again after each path', () => {
    const buffer = new CoverageBuffer(4, 4)
    addContours(buffer, [square])
    readCoverage(buffer, 'nonzero')
    expect([...readCoverage(buffer, 'nonzero')]).toEqual(Array(16).fill(0))
  })

  test('fills the surface inside a polygon that is larger than all numbers are exact for', () => {
    const far = 1e300
    expect(
      cover([
        [
          [-far, -far],
          [far, -far],
          [far, far],
          [-far, far],
        ],
      ]),
    ).toEqual(Array(16).fill(1))
    const endless = Number.POSITIVE_INFINITY
    expect(
      cover([
        [
          [-endless, -endless],
          [endless, -endless],
          [endless, endless],
          [-endless, endless],
        ],
      ]),
    ).toEqual(Array(16).fill(1))
  })

  test('ignores positions that are not numbers', () => {
    expect(cover([[[Number.NaN, 0], ...square, [2, Number.NaN]]])).toEqual(cover([square]))
  })

  test('is that of cairo within half a percent on average, for a star, a ring and slivers', async () => {
    const star: Contour = Array.from({ length: 9 }, (_, at) => {
      const angle = (at * 8 * Math.PI) / 9
      return [64 + 60.3 * Math.sin(angle), 64 - 60.3 * Math.cos(angle)]
    })
    const sliver: Contour = [
      [3.2, 5],
      [124.7, 7.5],
      [124.7, 7.9],
    ]
    const contours = [
      star,
      [...hole, ...square].map(([x, y]) => [x * 9.7 + 40, y * 9.7 + 44] as const),
      sliver,
    ]
    for (const rule of ['nonzero', 'evenodd'] as const) {
      const ours = drawAlpha(128, rule, (buffer) => addContours(buffer, contours))
      const theirs = await drawSvg(128, `<path fill-rule="${rule}" d="${svgPath(contours)}"/>`)
      const { mean } = compareImages(ours, theirs)
      expect(mean).toBeLessThan(255 * 0.005)
    }
  })
})

describe('large paths', () => {
  test('a polygon of a million positions is drawn', () => {
    const buffer = new CoverageBuffer(256, 256)
    const ring: Contour = Array.from({ length: 1_000_000 }, (_, at) => {
      const angle = (at / 1_000_000) * 2 * Math.PI
      const radius = at % 2 === 0 ? 120 : 100
      return [128 + radius * Math.cos(angle), 128 + radius * Math.sin(angle)]
    })
    addContours(buffer, [ring])
    const parts = readCoverage(buffer, 'nonzero')
    expect(parts[128 * 256 + 128]).toBeCloseTo(1, 9)
    expect(parts[0]).toBe(0)
  })

  test('a polygon with ten thousand holes keeps all of them', () => {
    const buffer = new CoverageBuffer(400, 400)
    const rings = Array.from({ length: 10_000 }, (_, at): Contour => {
      const [x, y] = [(at % 100) * 4 + 1, Math.floor(at / 100) * 4 + 1]
      return [
        [x, y],
        [x + 2, y],
        [x + 2, y + 2],
        [x, y + 2],
      ]
    })
    addContours(buffer, [
      [
        [0, 0],
        [400, 0],
        [400, 400],
        [0, 400],
      ],
      ...rings,
    ])
    const sum = readCoverage(buffer, 'evenodd').reduce((total, part) => total + part, 0)
    expect(sum).toBe(400 * 400 - 10_000 * 4)
  })
})
