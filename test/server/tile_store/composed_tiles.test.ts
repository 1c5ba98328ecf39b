import { expect, test } from 'vitest'
import { mercatorHalfWorld as half } from '../../../src/geo/mercator.ts'
import { composedTiles } from '../../../src/server/tile_store/composed_tiles.ts'

const kept = { isComposed: true, maxZ: 3, ttl: null, generation: 'g' }
/** Metres of a pixel at zoom level 2. */
const metres = half / 512

/** Returns the frame of pixels of the image of the world at zoom level 2. */
const frameAt = (left: number, top: number, width: number, height: number) => ({
  box: [left, -top - height, left + width, -top].map(
    (pixels, at) => pixels * metres + (at % 2 ? half : -half),
  ) as [number, number, number, number],
  width,
  height,
})

test.each([
  ['within a tile', frameAt(10, 20, 100, 50), { corner: [10, 20], columns: [0, 0], rows: [0, 0] }],
  ['of whole tiles', frameAt(256, 512, 512, 256), { corner: [256, 512], columns: [1, 2], rows: [2, 2] }],
  ['across tiles', frameAt(255, 511, 514, 258), { corner: [255, 511], columns: [0, 3], rows: [1, 3] }],
  ['the world', frameAt(0, 0, 1024, 1024), { corner: [0, 0], columns: [0, 3], rows: [0, 3] }],
  [
    'beside the pixels of tiles',
    frameAt(9.6, 20.4, 100, 50),
    { corner: [10, 20], columns: [0, 0], rows: [0, 0] },
  ],
] as const)('an image %s is composed', (_, frame, expected) => {
  expect(composedTiles(frame, [kept, kept])).toEqual({ zoom: 2, ...expected })
})

const image = frameAt(10, 20, 100, 50)
const scaled = (factor: number) => ({ ...image, width: image.width * factor, height: image.height * factor })

test.each([
  ['without styles', image, []],
  ['of a style that does not compose images', image, [kept, { ...kept, isComposed: false }]],
  ['of a style that keeps no tiles', image, [null, kept]],
  ['of a style that keeps no tiles of the zoom level', image, [{ ...kept, maxZ: 1 }]],
  ['that is a tile', frameAt(256, 0, 256, 256), [kept]],
  ['of another scale', scaled(1.5), [kept]],
  ['of nearly the same scale', { ...frameAt(10, 20, 100, 50.3), height: 50 }, [kept]],
  ['that is wider than the scale', { ...image, width: 101 }, [kept]],
  ['of another pixel ratio', { ...image, pixelRatio: 2 }, [kept]],
  [
    'of another reference system',
    { ...image, system: { srs: 4326, metresPerUnit: 111_319, isGeographic: true } },
    [kept],
  ],
  ['west of the world', frameAt(-1, 0, 100, 100), [kept]],
  ['east of the world', frameAt(1000, 0, 100, 100), [kept]],
  ['north of the world', frameAt(0, -2, 100, 100), [kept]],
  ['of a scale below zoom level 0', { ...frameAt(0, 0, 1024, 1024), width: 10, height: 10 }, [kept]],
  [
    'of a scale above zoom level 24',
    { box: [0, 0, 1e-3, 1e-3] as const, width: 10, height: 10 },
    [{ ...kept, maxZ: null }],
  ],
] as const)('an image %s is not composed', (_, frame, styles) => {
  expect(composedTiles(frame, styles)).toBeUndefined()
})

test('an image of more than 100 tiles is not composed', () => {
  const all = { ...kept, maxZ: null }
  const side = (tiles: number) => ({
    box: [0, 0, (tiles * half) / 16, (tiles * half) / 16] as const,
    width: 256 * tiles,
    height: 256 * tiles,
  })
  expect(composedTiles(side(10), [all])).toMatchObject({ zoom: 5, columns: [16, 25] })
  expect(composedTiles(side(11), [all])).toBeUndefined()
})
