import { expect, test } from 'vitest'
import { mercatorHalfWorld as half } from '../../../src/geo/mercator.ts'
import { findKeptZoom, keptTilesKey } from '../../../src/server/tile_store/kept_tile.ts'

const kept = { isComposed: false, maxZ: 1, ttl: null, generation: 'g' }
const world = { box: [-half, -half, half, half], width: 256, height: 256 } as const

test.each([
  ['the tile of the world', world, 'png', [kept], 0],
  ['a tile of the last zoom level', { ...world, box: [0, 0, half, half] }, 'png', [kept], 1],
  ['a tile of the next zoom level', { ...world, box: [0, 0, half / 2, half / 2] }, 'png', [kept], undefined],
  ['any zoom level', { ...world, box: [0, 0, half / 4, half / 4] }, 'png', [{ ...kept, maxZ: null }], 3],
  ['a style that keeps none', world, 'png', [kept, null], undefined],
  ['no style', world, 'png', [], undefined],
  ['another format', world, 'webp', [kept], undefined],
  ['another scale', { ...world, width: 512, height: 512, pixelRatio: 2 }, 'png', [kept], undefined],
  ['an image of four tiles', { ...world, width: 512, height: 512 }, 'png', [kept], undefined],
  ['an image beside the grid', { ...world, box: [-half, -half, half, half - 1e6] }, 'png', [kept], undefined],
] as const)('%s', (_, frame, format, styles, expected) => {
  expect(findKeptZoom(frame, format, styles)).toBe(expected)
})

test('no tile is older than its time to live, and flushed ones have another key', () => {
  const keyAt = (seconds: number, generation = 'g') =>
    JSON.stringify(keptTilesKey({ ...kept, ttl: 60, generation }, seconds * 1000))
  expect(keyAt(119)).toBe(keyAt(60))
  expect(keyAt(120)).not.toBe(keyAt(60))
  expect(keyAt(60, 'other')).not.toBe(keyAt(60))
  expect(keptTilesKey(kept, 0)).toEqual(keptTilesKey(kept, 10 ** 15))
})
