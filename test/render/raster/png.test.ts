import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { encodePng, encodePngStrips, straightBytes } from '../../../src/render/raster/png.ts'
import {
  createSurface,
  isTransparent,
  releaseSurface,
  type Surface,
} from '../../../src/render/raster/surface.ts'

function surfaceOf(width: number, height: number, pixel: (x: number, y: number) => number): Surface {
  const surface = createSurface(width, height)
  for (let at = 0; at < width * height; at += 1)
    surface.words[at] = pixel(at % width, Math.floor(at / width)) >>> 0
  return surface
}

async function decode(png: Uint8Array) {
  const { hasAlpha } = await sharp(png).metadata()
  const pixels = new Uint8Array(await sharp(png).ensureAlpha().raw().toBuffer())
  // The header has the bits of a sample and the colour type, of which 3 is a palette.
  return { bits: png[25] === 3 ? png[24] : undefined, hasAlpha, pixels }
}

const opaque = 0xff000000

describe('encodePng', () => {
  test.each([
    [2, 1],
    [4, 2],
    [13, 4],
    [256, 8],
  ])('writes %i colours with a palette of %i bits', async (colors, bits) => {
    const surface = surfaceOf(37, 21, (x, y) => opaque + ((x * 31 + y * 17) % colors))
    const { hasAlpha, pixels, ...found } = await decode(encodePng(surface))
    expect([found.bits, hasAlpha]).toEqual([bits, false])
    expect(pixels).toEqual(straightBytes(surface, 4))
  })

  test('writes more colours without a palette, and alpha only where it is needed', async () => {
    const photo = surfaceOf(50, 40, (x, y) => opaque + x + y * 256)
    const solid = await decode(encodePng(photo))
    expect([solid.bits, solid.hasAlpha]).toEqual([undefined, false])
    expect(solid.pixels).toEqual(straightBytes(photo, 4))
    const faint = surfaceOf(50, 40, (x, y) => (x + 50) * 2 ** 24 + Math.min(x, y) + y * 256)
    const clear = await decode(encodePng(faint))
    expect(clear.hasAlpha).toBe(true)
    expect(clear.pixels).toEqual(straightBytes(faint, 4))
  })

  test('writes areas of many colours, from a white one on', async () => {
    const areas = surfaceOf(320, 40, (x, y) => (y === 0 ? 0xffffffff : opaque + (x >> 2) + y * 256))
    const { bits, pixels } = await decode(encodePng(areas))
    expect(bits).toBe(undefined)
    expect(pixels).toEqual(straightBytes(areas, 4))
    const white = surfaceOf(3, 2, (x) => (x === 1 ? 0xff0000ff : 0xffffffff))
    expect((await decode(encodePng(white))).pixels).toEqual(straightBytes(white, 4))
  })

  test('divides colours by their alpha, and writes transparent pixels as black', async () => {
    const surface = surfaceOf(3, 1, (x) => [0, 0x80004080, 0xff123456][x] ?? 0)
    expect([...(await decode(encodePng(surface))).pixels]).toEqual([
      ...[0, 0, 0, 0],
      ...[255, 128, 0, 128],
      ...[0x56, 0x34, 0x12, 255],
    ])
  })
})

test('encodePngStrips writes strips as one image', async () => {
  const whole = surfaceOf(20, 30, (x, y) => (200 + (x % 50)) * 2 ** 24 + x + y * 256)
  const strips = [0, 12, 24].map((top) => {
    const height = Math.min(12, 30 - top)
    return surfaceOf(20, height, (x, y) => whole.words[(top + y) * 20 + x] ?? 0)
  })
  const { pixels } = await decode(await encodePngStrips(whole, strips))
  expect(pixels).toEqual(straightBytes(whole, 4))
})

test('a surface in memory that was given back is transparent, and files keep memory of their own', async () => {
  const first = surfaceOf(37, 21, (x, y) => opaque + x + y * 256)
  const pixels = straightBytes(first, 4)
  const png = encodePng(first)
  releaseSurface(first)
  const second = createSurface(37, 21)
  expect(second.bytes.buffer).toBe(first.bytes.buffer)
  expect(isTransparent(second)).toBe(true)
  encodePng(second)
  expect(png.buffer.byteLength).toBe(png.length)
  expect((await decode(png)).pixels).toEqual(pixels)
})
