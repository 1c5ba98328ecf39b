import { describe, expect, test } from 'vitest'
import { displacePoints } from '../../../src/render/draw/displacement.ts'
import { groupPoints } from '../../../src/render/draw/point_groups.ts'

const at = (x: number, y = 0, count = 1) => ({ x, y, count })

describe('groupPoints', () => {
  test('joins the group whose middle is nearest, of those whose first point is within the distance', () => {
    const groups = groupPoints([at(0), at(10), at(6), at(-7), at(10, 11), at(0, 0, 4)], 8)
    expect(groups.map(({ points, size }) => [points.map(({ x }) => x), size])).toEqual([
      [[0, -7, 0], 6],
      [[10, 6], 2],
      [[10], 1],
    ])
    expect(groups[0]?.x).toBeCloseTo(-7 / 6)
  })

  test('a distance of 0 joins equal positions, and positions that are not numbers are alone', () => {
    const groups = groupPoints([at(1), at(1), at(1.001), at(Number.NaN), at(Number.NaN)], 0)
    expect(groups.map(({ size }) => size)).toEqual([2, 1, 1, 1])
  })
})

describe('displacePoints', () => {
  const symbols = { diagonal: 10, centreDiagonal: 4, spacing: 2 }
  const round = (values: readonly (readonly [number, number])[]) =>
    values.map((pair) => pair.map((value) => Math.round(value * 10) / 10 + 0))

  test('a ring starts below, and is as wide as its symbols need', () => {
    const { positions, radius } = displacePoints('ring', { ...symbols, count: 4 }, 300)
    expect(radius).toBeCloseTo(40 / (2 * Math.PI) + 2)
    expect(round(positions)[0]).toEqual([0, 8.4])
  })

  test('rings hold as many symbols as fit', () => {
    const { positions } = displacePoints('concentric_rings', { ...symbols, count: 8 }, 300)
    const radii = positions.map(([x, y]) => Math.round(Math.hypot(x, y)))
    expect(radii).toEqual([9, 9, 9, 9, 9, 21, 21, 21])
  })

  test('a grid is as wide as high, with lines between neighbours', () => {
    const { positions, lines } = displacePoints('grid', { ...symbols, count: 5 }, 300)
    expect(positions).toEqual([
      [-5.25, -5.25],
      [5.25, -5.25],
      [-5.25, 5.25],
      [5.25, 5.25],
      [-5.25, 15.75],
    ])
    expect(lines.length).toBe(5)
  })

  test('places end at the limit, whatever the number', () => {
    const { positions, radius } = displacePoints('ring', { ...symbols, count: 1e9 }, 300)
    expect(positions.length).toBe(1000)
    expect(radius).toBeCloseTo(300)
  })
})
