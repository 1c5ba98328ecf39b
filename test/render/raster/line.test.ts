import { describe, expect, test } from 'vitest'
import { dashLine, normalizeDash } from '../../../src/render/raster/dash.ts'
import { clipLine } from '../../../src/render/raster/line_clip.ts'
import { offsetLine } from '../../../src/render/raster/line_offset.ts'
import type { StrokeLine } from '../../../src/render/raster/stroke.ts'

const lineOf = (...coordinates: number[]): StrokeLine => ({
  coordinates: Float64Array.from(coordinates),
  isClosed: false,
})
const ringOf = (...coordinates: number[]): StrokeLine => ({ ...lineOf(...coordinates), isClosed: true })
const listOf = (lines: readonly StrokeLine[]) => lines.map(({ coordinates }) => [...coordinates])

describe('clipLine', () => {
  test('keeps a line inside the box as it is, closed or not', () => {
    const ring = ringOf(1, 1, 5, 1, 5, 5)
    expect(clipLine(ring, [0, 0, 10, 10])).toEqual([{ ...ring, distance: 0 }])
  })

  test('cuts a line where it leaves the box, with the distance from its start', () => {
    const pieces = clipLine(lineOf(-5, 5, 20, 5, 20, 8, 5, 8), [0, 0, 10, 10])
    expect(listOf(pieces)).toEqual([
      [0, 5, 10, 5],
      [10, 8, 5, 8],
    ])
    expect(pieces.map(({ distance }) => distance)).toEqual([5, 38])
  })

  test('cuts a ring into open pieces, with the segment that closes it', () => {
    const pieces = clipLine(ringOf(5, 5, 20, 5, 20, 20), [0, 0, 10, 10])
    expect(listOf(pieces)).toEqual([
      [5, 5, 10, 5],
      [10, 10, 5, 5],
    ])
    expect(pieces.every(({ isClosed }) => !isClosed)).toBe(true)
  })

  test('continues a ring over its first position where dashes allow it', () => {
    const [piece, ...others] = clipLine(ringOf(5, 5, 20, 5, 20, 20), [0, 0, 10, 10], true)
    expect([[...(piece?.coordinates ?? [])], piece?.distance, others]).toEqual([
      [10, 10, 5, 5, 10, 5],
      expect.any(Number),
      [],
    ])
    expect(clipLine(ringOf(20, 5, 5, 5, 20, 20), [0, 0, 10, 10], true)).toHaveLength(1)
  })

  test('interrupts a line at positions that are not numbers or infinite', () => {
    const pieces = clipLine(lineOf(1, 1, 2, 2, Number.NaN, 3, 4, 4, 5, 5, Infinity, 6), [0, 0, 10, 10])
    expect(listOf(pieces)).toEqual([
      [1, 1, 2, 2],
      [4, 4, 5, 5],
    ])
  })
})

describe('dashLine', () => {
  const dash = (line: StrokeLine, lengths: number[], offset = 0, distance = 0) => {
    const pattern = normalizeDash(lengths, offset)
    if (pattern === undefined) throw new Error('solid')
    return dashLine([{ ...line, distance }], pattern)
  }

  test('alternates dashes and gaps, also around corners', () => {
    expect(listOf(dash(lineOf(0, 0, 10, 0), [4, 2]).lines)).toEqual([
      [0, 0, 4, 0],
      [6, 0, 10, 0],
    ])
    expect(listOf(dash(lineOf(0, 0, 3, 0, 3, 9), [4, 2]).lines)).toEqual([
      [0, 0, 3, 0, 3, 1],
      [3, 3, 3, 7],
    ])
  })

  test('starts the pattern at the offset, and after the length before a piece', () => {
    const expected = [
      [0, 0, 1, 0],
      [3, 0, 7, 0],
      [9, 0, 10, 0],
    ]
    expect(listOf(dash(lineOf(0, 0, 10, 0), [4, 2], 3).lines)).toEqual(expected)
    expect(listOf(dash(lineOf(0, 0, 10, 0), [4, 2], -3).lines)).toEqual(expected)
    expect(listOf(dash(lineOf(0, 0, 10, 0), [4, 2], 0, 9).lines)).toEqual(expected)
  })

  test('repeats a pattern of odd length, and treats a pattern without gaps as a solid line', () => {
    expect(normalizeDash([3])).toEqual({ lengths: [3, 3], offset: 0 })
    expect(normalizeDash([])).toBeUndefined()
    expect(normalizeDash([3, 0])).toBeUndefined()
    expect(normalizeDash([3, Number.NaN, 0, -1])).toBeUndefined()
  })

  test('replaces dashes too short to be seen by transparency', () => {
    const { lines, opacity } = dash(lineOf(0, 0, 10, 0), [1e-9, 3e-9])
    expect([listOf(lines), opacity]).toEqual([[[0, 0, 10, 0]], 0.25])
    expect(dash(lineOf(0, 0, 1e9, 0), [1, 1]).opacity).toBe(0.5)
  })
})

describe('offsetLine', () => {
  test('moves a line to the right of its direction, with corners', () => {
    expect(listOf(offsetLine(lineOf(0, 0, 10, 0, 10, 10), 2))).toEqual([[0, 2, 8, 2, 8, 10]])
    expect(listOf(offsetLine(lineOf(0, 0, 10, 0, 10, 10), -2))).toEqual([[0, -2, 12, -2, 12, 10]])
  })

  test('moves a ring inward or outward', () => {
    expect(listOf(offsetLine(ringOf(0, 0, 10, 0, 10, 10, 0, 10, 0, 0), 1))).toEqual([
      [1, 1, 9, 1, 9, 9, 1, 9],
    ])
  })

  test('cuts sharp corners at twice the offset, and drops positions that are not numbers', () => {
    const [line] = offsetLine(lineOf(0, 0, 10, 0, Number.NaN, 1, 0, 0.1), -1)
    expect(line?.coordinates).toHaveLength(8)
    expect(Math.max(...(line?.coordinates.map(Math.abs) ?? []))).toBeCloseTo(12, 1)
  })

  test('removes loops in bends narrower than the offset', () => {
    const loops = listOf(offsetLine(lineOf(0, 40, 14, 0, 24, 40, 52, 8), 4))
    expect(loops).toHaveLength(1)
    expect(loops[0]).toHaveLength(10)
    const ring = listOf(offsetLine(ringOf(0, 0, 10, 0, 10, 10, 0, 10, 0, 0), 6))
    expect(ring).toEqual([])
  })

  /** A line between random places that are always the same. */
  const tangle = (count: number, side: number) => {
    let state = 1
    const next = () => {
      state = (state * 48_271) % 2_147_483_647
      return (state / 2_147_483_647) * side
    }
    return lineOf(...Array.from({ length: 2 * count }, next))
  }
  const workOf = (count: number, offset: number) => {
    let sum = 0
    offsetLine(tangle(count, 256), offset, (work) => {
      sum += work
    })
    return sum
  }

  test('takes work that does not depend on the length of the segments', () => {
    const offsets = [4, 50, 2000, 1e9]
    for (const offset of offsets) expect(workOf(50, offset)).toBeLessThan(2e6)
    for (const offset of offsets) expect(workOf(50, offset)).toBeGreaterThan(64 * 49)
  })

  test('stops when the crossings of a line take too much work', () => {
    const left = { work: 1e5 }
    const spend = (work: number) => {
      left.work -= work
      if (left.work < 0) throw new Error('too much')
    }
    expect(() => offsetLine(tangle(1000, 256), 2, spend)).toThrow('too much')
  })
})
