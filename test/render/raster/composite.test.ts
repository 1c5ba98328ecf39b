import { describe, expect, test } from 'vitest'
import { composite } from '../../../src/render/raster/composite.ts'
import { overPixel, pixelOf, scalePixel } from '../../../src/render/raster/pixel.ts'
import { blitSprite, cutSprite, SpriteCache, spritePosition } from '../../../src/render/raster/sprite.ts'
import {
  clearSurface,
  createGroup,
  createSurface,
  isTransparent,
} from '../../../src/render/raster/surface.ts'
import { type BlendMode, blendModes } from '../../../src/style/style_model.ts'

function surfaceOf(...words: number[]) {
  const surface = createSurface(words.length, 1)
  surface.words.set(words)
  return surface
}

/** Puts an opaque colour over another one. */
function blend(source: string, below: string, blendMode: BlendMode): string {
  const target = surfaceOf(pixelOf(below))
  composite(target, surfaceOf(pixelOf(source)), { blendMode })
  return `#${[...target.bytes.subarray(0, 3)].map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

describe('composite', () => {
  test('puts colours over each other with an opacity', () => {
    const target = surfaceOf(0xff0000ff, 0xff0000ff, 0)
    composite(target, surfaceOf(0xffff0000, 0, 0xffff0000), { opacity: 0.5 })
    expect([...target.words].map((word) => (word >>> 0).toString(16))).toEqual([
      'ff80007f',
      'ff0000ff',
      '80800000',
    ])
  })

  test.each([
    ['multiply', '#404040'],
    ['screen', '#bfbfbf'],
    ['overlay', '#808080'],
    ['darken', '#808080'],
    ['lighten', '#808080'],
    ['dodge', '#ffffff'],
    ['burn', '#010101'],
    ['hard_light', '#808080'],
    ['soft_light', '#808080'],
    ['difference', '#000000'],
    ['addition', '#ffffff'],
    ['subtract', '#000000'],
    ['normal', '#808080'],
  ] as const)('blends two equal greys by %s', (mode, expected) => {
    const [channel] = [Number.parseInt(blend('#808080', '#808080', mode).slice(1, 3), 16)]
    expect(Math.abs(channel - Number.parseInt(expected.slice(1, 3), 16))).toBeLessThanOrEqual(1)
  })

  test('with any blend mode keeps transparent parts of both, and never exceeds alpha', () => {
    for (const blendMode of blendModes) {
      const target = surfaceOf(0, pixelOf('#204060', 0.3), pixelOf('#f0a010', 0.9))
      composite(target, surfaceOf(pixelOf('#102030', 0.4), 0, pixelOf('#ffffff', 0.5)), { blendMode })
      expect([target.words[0], target.words[1]]).toEqual([pixelOf('#102030', 0.4), pixelOf('#204060', 0.3)])
      const [red = 0, green = 0, blue = 0, alpha = 0] = target.bytes.subarray(8, 12)
      expect(Math.max(red, green, blue)).toBeLessThanOrEqual(alpha)
    }
  })
})

describe('pixels', () => {
  test('are multiplied and combined with rounding, for all values of a channel', () => {
    for (let value = 0; value < 256; value += 5) {
      for (let factor = 0; factor < 256; factor += 3) {
        const scaled = scalePixel(value * 0x01010101, factor)
        expect(scaled & 255).toBe(Math.round((value * factor) / 255))
        expect(scaled >>> 24).toBe(scaled & 255)
      }
    }
    expect((overPixel(0x80000080, 0xff00ff00) >>> 0).toString(16)).toBe('ff007f80')
  })

  test('of colours have their alpha and opacity', () => {
    expect(pixelOf('#ff000080')).toBe(0x80000080 | 0)
    expect(pixelOf('#ff0000', Number.NaN)).toBe(0)
  })
})

describe('surfaces', () => {
  test.each([
    [0, 1],
    [1.5, 1],
    [Number.NaN, 1],
    [100_000, 100_000],
  ])('of %d × %d pixels are refused', (width, height) => {
    expect(() => createSurface(width, height)).toThrow('A surface cannot have')
  })

  test('are cleared with the plane of covered parts', () => {
    const group = createGroup(createSurface(2, 2))
    group.words.fill(1)
    group.covered?.fill(1)
    expect(isTransparent(group)).toBe(false)
    clearSurface(group)
    expect([isTransparent(group), group.covered?.every((part) => part === 0)]).toEqual([true, true])
  })
})

describe('sprites', () => {
  test('are put over a surface, cut at its edges', () => {
    const target = createSurface(4, 4)
    const surface = createSurface(3, 3)
    surface.words.fill(0xff0000ff)
    for (const [column, row] of [
      [0, 0],
      [3, 3],
      [-5, 0],
      [9, 9],
    ] as const)
      blitSprite(target, cutSprite(surface, 1), { column, row })
    const painted = [...target.words].map((word) => (word === 0 ? '.' : 'x')).join('')
    expect(painted.match(/.{4}/g)).toEqual(['xx..', 'xx..', '..xx', '..xx'])
  })

  test('have no transparent rows and columns', () => {
    const surface = createSurface(9, 7)
    expect(cutSprite(surface, 4)).toMatchObject({ width: 0, height: 0 })
    surface.words.set([5], 3 * 9 + 2)
    surface.words.set([6, 7], 4 * 9 + 5)
    const sprite = cutSprite(surface, 4)
    expect([sprite.width, sprite.height, ...sprite.words]).toEqual([5, 2, 5, 0, 0, 0, 0, 0, 0, 0, 6, 7])
    const target = createSurface(9, 7)
    blitSprite(target, sprite, { column: 4, row: 4 })
    expect(target.words).toEqual(surface.words)
  })

  test('have positions in quarters of a pixel, the same in every tile', () => {
    expect(spritePosition(10.25, -0.25)).toEqual({ column: 10, row: -1, phaseX: 1, phaseY: 3 })
    for (const shift of [0, 256, 1_000_000])
      expect(spritePosition(7.375 + shift, 7.374 + shift)).toEqual({
        column: 7 + shift,
        row: 7 + shift,
        phaseX: 2,
        phaseY: 1,
      })
  })

  test('are drawn once, and again after they were dropped for others', () => {
    const cache = new SpriteCache(40)
    const drawn: string[] = []
    const get = (key: string) =>
      cache.get(key, () => {
        drawn.push(key)
        return cutSprite(surfaceOf(1), 0)
      })
    for (const key of ['a', 'b', 'a', 'c', 'b', 'a']) get(key)
    expect(drawn).toEqual(['a', 'b', 'c', 'a'])
  })
})
