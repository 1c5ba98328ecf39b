import { VectorTile } from '@mapbox/vector-tile'
import fc from 'fast-check'
import { PbfReader } from 'pbf'
import { describe, expect, test } from 'vitest'
import { packGeometry, type TileGeometry } from '../../../src/geo/packed_geometry.ts'
import { doubleArea } from '../../../src/geo/tile_geometry.ts'
import { encodeTileLayer } from '../../../src/render/vector_tile/encode_mvt.ts'
import { tileLines, tilePoints, tilePolygons } from '../../geo/arbitrary.ts'
import { tidy } from '../../support/packed_geometry.ts'

const run = { seed: 20_240_502, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 300 }

/** What another program reads from a tile with one feature of this geometry: flat sequences, or nothing. */
async function readBack(geometry: TileGeometry): Promise<number[][] | undefined> {
  const features = [{ id: 7, geometry: packGeometry(geometry), values: [] }]
  const { bytes } = await encodeTileLayer({ name: 'svc:1', extent: 4096, keys: [], features })
  const layer = new VectorTile(new PbfReader(bytes)).layers['svc:1']
  return layer
    ?.feature(0)
    .loadGeometry()
    .map((sequence) => sequence.flatMap(({ x, y }) => [x, y]))
}

describe('encodeTileLayer', () => {
  test('writes lines and points that another decoder reads', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(tileLines, tilePoints), async (geometry) => {
        const sequences = tidy(geometry).parts.flat()
        const expected = sequences.length === 0 ? undefined : sequences
        expect(await readBack(geometry)).toEqual(expected)
      }),
      run,
    )
  })

  test('writes closed rings, outer ones clockwise and holes the other way', async () => {
    await fc.assert(
      fc.asyncProperty(tilePolygons, async (geometry) => {
        const { parts } = tidy(geometry)
        const rings = (await readBack(geometry)) ?? []
        // The reader repeats the first position.
        expect(rings.map((ring) => ring.slice(0, -2))).toEqual(parts.flat())
        for (const part of parts) {
          const [outer = [], ...holes] = part
          expect(doubleArea(outer)).toBeGreaterThan(0)
          for (const hole of holes) expect(doubleArea(hole)).toBeLessThan(0)
        }
      }),
      run,
    )
  })

  test('tidying is idempotent', () => {
    fc.assert(
      fc.property(fc.oneof(tilePolygons, tileLines, tilePoints), (geometry) => {
        const once = tidy(geometry)
        expect(tidy(once)).toEqual(once)
      }),
      run,
    )
  })
})
