import { expect, test } from 'vitest'
import { type Enlarging, type PixelTransform, resample } from '../../../src/render/raster/resample.ts'
import { createSurface } from '../../../src/render/raster/surface.ts'
import { warp } from '../../../src/render/raster/warp.ts'

const window = (width: number, words: readonly number[]) => ({
  width,
  height: words.length / width,
  words: Int32Array.from(words),
})

const grey = (value: number) => value | (value << 8) | (value << 16) | 0xff000000

function draw(
  size: readonly [number, number],
  source: ReturnType<typeof window>,
  transform: Partial<PixelTransform>,
  enlarging: Enlarging = 'nearest',
): number[] {
  const target = createSurface(...size)
  const all = { scaleX: 1, scaleY: 1, shiftX: 0, shiftY: 0, ...transform }
  resample(target, source, { transform: all, enlarging })
  return [...target.words]
}

test('pixels are copied where they match, and nothing else is drawn', () => {
  const source = window(2, [1, 2, 3, 4].map(grey))
  expect(draw([3, 3], source, { shiftX: -1, shiftY: -1 })).toEqual(
    [0, 0, 0, 0, 1, 2, 0, 3, 4].map((value) => (value === 0 ? 0 : grey(value))),
  )
})

test('shrunk pixels are the average of what they cover, by area', () => {
  const source = window(3, [0, 90, 240, 0, 90, 240, 0, 90, 240].map(grey))
  // Each target pixel covers one and a half columns.
  expect(draw([2, 2], source, { scaleX: 1.5, scaleY: 1.5 })).toEqual([30, 190, 30, 190].map(grey))
})

test('enlarged pixels are squares, or interpolated between their centres', () => {
  const source = window(2, [0, 100].map(grey))
  expect(draw([4, 1], source, { scaleX: 0.5 })).toEqual([0, 0, 100, 100].map(grey))
  expect(draw([4, 1], source, { scaleX: 0.5 }, 'bilinear')).toEqual([0, 25, 75, 100].map(grey))
})

test.each([1.3, 2, 2.7, 7.9, 31])('an opaque colour stays the same when shrunk by %f', (scale) => {
  const source = window(64, Array(64 * 64).fill(grey(255)))
  const side = Math.floor(64 / scale)
  const drawn = draw([side, side], source, { scaleX: scale, scaleY: scale })
  expect(new Set(drawn)).toEqual(new Set([grey(255)]))
})

test('a transparent pixel does not darken its neighbours', () => {
  expect(draw([1, 1], window(2, [grey(200), 0]), { scaleX: 2 })).toEqual([0x80646464 | 0])
})

test('a warped image follows its grid', () => {
  const target = createSurface(32, 32)
  const source = window(
    4,
    [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4].map((value) => grey(value * 50)),
  )
  // Mirrored from west to east; the last column of the grid lies outside of the source.
  const row = [4, 0, 2, 0, Number.NaN, Number.NaN]
  const positions = Float64Array.from(
    [0, 2, 4].flatMap((y) => row.map((x, at) => (at % 2 === 0 ? x : x + y))),
  )
  warp(target, source, { grid: { step: 16, columns: 3, positions }, top: 0 })
  expect([target.words[0], target.words[20]]).toEqual([grey(200), 0])
  expect((target.words[15] ?? 0) & 255).toBeLessThan(130)
})

test('a source that is as small as nothing is the average of its pixels in one pixel, or nothing', () => {
  const source = window(2, [100, 200].map(grey))
  const scales = { scaleX: 1e15, scaleY: 1e15 }
  expect(draw([3, 3], source, { ...scales, shiftX: -1.5e15 + 1, shiftY: -1.5e15 })).toEqual(
    Array.from({ length: 9 }, (_, at) => (at === 4 ? grey(150) : 0)),
  )
  expect(draw([3, 3], source, { ...scales, shiftX: -1e15, shiftY: -1e15 })).toEqual(Array(9).fill(0))
})
