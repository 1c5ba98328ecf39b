import { describe, expect, test } from 'vitest'
import { geometryTypes } from '../../../src/contract/geometry.ts'
import { tileLimits } from '../../../src/contract/limits.ts'
import type { Database } from '../../../src/database/database.ts'
import { mercatorWorld } from '../../../src/geo/mercator.ts'
import { encodeInDatabase, isEncodable } from '../../../src/render/vector_tile/encode_in_database.ts'
import { createGeometryCache } from '../../../src/render/vector_tile/geometry_cache.ts'
import { measurePlainTile, measureTile, type TileRequest } from '../../../src/render/vector_tile/tile_grid.ts'
import { createTileLayer } from '../../../src/render/vector_tile/tile_layer.ts'
import { ensureFeatureTable } from '../../../src/store/layer/layer_table.ts'
import { findLayers, type Layer, lockLayer } from '../../../src/store/layer/stored_layer.ts'
import { seededRandom } from '../../bench/support/tile_addresses.ts'
import { describeDrivers } from '../../support/drivers.ts'
import { createTestLayer, prepareStore } from '../../support/layers.ts'
import { createRandomLayer } from '../../support/random_layer.ts'
import { decodeFeatures, expectSameFeatures } from '../../support/tile_match.ts'

const around = { z: 6, x: 33, y: 22 }
const name = 'svc:1'

/** The tile, its parts, its neighbor, its parents, and tiles without features. */
const addresses = [
  around,
  { z: 7, x: 66, y: 45 },
  { z: 9, x: 266, y: 178 },
  { z: 6, x: 34, y: 22 },
  { z: 4, x: 8, y: 5 },
  { z: 3, x: 4, y: 2 },
  { z: 6, x: 20, y: 40 },
]

const options = [
  { extent: 4096, padding: 0.05, simplification: 0 },
  { extent: 4096, padding: 0.015625, simplification: 8 },
  { extent: 512, padding: 0, simplification: 1 },
]

async function encodeBoth(database: Database, layer: Layer, request: TileRequest) {
  const grid = request.simplification === 0 ? measurePlainTile(request) : measureTile(request)
  const tile = { layer, grid, name, extent: request.extent, limitBytes: tileLimits.layerBytes }
  const isAsked = isEncodable(layer, grid)
  const { bytes } = isAsked ? await encodeInDatabase(database, tile) : { bytes: undefined }
  const cache = createGeometryCache()
  return { bytes, expected: await createTileLayer(database, layer, { name, request, cache }) }
}

/** Creates a layer with rows that the database generates. */
async function createRows(database: Database, layer: Parameters<typeof createTestLayer>[1], rows: string) {
  await prepareStore(database)
  const id = await createTestLayer(database, layer)
  await database.transaction(async (tx) => {
    const locked = await lockLayer(tx, id)
    if (locked === undefined) throw new Error('the layer does not exist')
    const { tableName, fields } = await ensureFeatureTable(tx, locked)
    const columns = ['geom', ...fields.map(({ columnName }) => columnName)]
    await tx.query(`insert into ${tableName} (${columns}) ${rows}`)
  })
  const [created] = (await findLayers(database, [id])).values()
  if (created === undefined) throw new Error('the layer does not exist')
  return created
}

const request = { address: { z: 1, x: 1, y: 0 }, extent: 4096, padding: 0.05, simplification: 0 }
const grid = measurePlainTile(request)

describeDrivers('encodeInDatabase', (open, driver) => {
  test('is not needed: layers are encoded here where the database cannot', async () => {
    const database = await open()
    await prepareStore(database)
    const random = seededRandom(20_261_124)
    const place = { z: 7, x: 66, y: 45 }
    const options = { geometryType: 'LINESTRING', srs: 3857, around: place, count: 120, random } as const
    const layer = await createRandomLayer(database, options)
    const tile = { name, request: { ...request, address: place }, cache: createGeometryCache() }
    const here = await createTileLayer(database, layer, tile)
    const there = await createTileLayer(database, layer, { ...tile, isEncodedByDatabase: true })
    const [found, expected] = [there, here].map((bytes) => decodeFeatures(bytes, name))
    const range = [0, request.extent] as const
    expect(expectSameFeatures(found ?? [], expected ?? [], { range, random })).toBeGreaterThan(10)
  })

  test('keeps the same points of a dense tile, wherever it is encoded', async () => {
    const database = await open()
    const spread = 'ST_SetSRID(ST_MakePoint(n * 7919 % 100003 * 100, n * 104729 % 100019 * 100), 3857)'
    const crowd = { name: 'crowd', geometryType: 'POINT', fields: { n: 'INTEGER' } } as const
    const count = tileLimits.small + 2000
    const layer = await createRows(database, crowd, `select ${spread}, n from generate_series(1, ${count}) n`)
    const tile = { name, request, cache: createGeometryCache() }
    const here = decodeFeatures(await createTileLayer(database, layer, tile), name)
    const there = await createTileLayer(database, layer, {
      ...tile,
      isEncodedByDatabase: driver === 'postgres',
    })
    expect(decodeFeatures(there, name)).toEqual(here)
    expect(here.length).toBeGreaterThan(1000)
    expect(here.length).toBeLessThanOrEqual(tileLimits.small)
    // Cells are merged evenly: of each, the point that is drawn last is kept.
    expect(here.every(({ id, properties }) => id === properties.n)).toBe(true)
  })

  test('encodes a large line without simplification as the line of its positions that differ in units', async () => {
    const database = await open()
    const unit = mercatorWorld / 8192
    const lineOf = (position: string, first: number, last: number) =>
      `select ST_SetSRID(ST_MakeLine(array(select ${position} from generate_series(${first}, ${last}) i)), 3857)`
    const at = (step: string) => [`${step} * ${3 * unit}`, `${step} % 7 * ${3 * unit}`]
    const [x, y] = at('(i / 1000)')
    const many = lineOf(`ST_MakePoint(${x} + i % 5 * 10, ${y} + i % 3 * 10)`, 1000, 40_999)
    const few = lineOf(`ST_MakePoint(${at('i')})`, 1, 40)
    const found = []
    for (const [title, rows] of Object.entries({ many, few })) {
      const layer = await createRows(database, { name: title, geometryType: 'LINESTRING' }, rows)
      const tile = { name, request, cache: createGeometryCache() }
      found.push(decodeFeatures(await createTileLayer(database, layer, tile), name))
    }
    expect(found[0]).toHaveLength(1)
    expect(found[0]).toEqual(found[1])
  })

  if (driver === 'postgres')
    describe('like our encoder', () => {
      for (const srs of [3857, 4326] as const)
        test.each(geometryTypes)(`encodes %s in EPSG:${srs}`, async (geometryType) => {
          const database = await open()
          await prepareStore(database)
          const random = seededRandom(20_261_124 + geometryTypes.indexOf(geometryType))
          const layer = await createRandomLayer(database, { geometryType, srs, around, count: 120, random })
          let count = 0
          for (const address of addresses)
            for (const option of options) {
              const { bytes, expected } = await encodeBoth(database, layer, { address, ...option })
              expect(bytes).toBeDefined()
              const margin = Math.round(option.extent * option.padding)
              const range = [-margin, option.extent + margin] as const
              const found = decodeFeatures(bytes ?? new Uint8Array(), name)
              count += expectSameFeatures(found, decodeFeatures(expected, name), { range, random })
            }
          expect(count).toBeGreaterThan(200)
        })

      test('leaves integers beyond 2^53, dense tiles, large geometries and large tiles alone', async () => {
        const database = await open()
        const point = 'ST_SetSRID(ST_MakePoint(n * 1000, n * 1000), 3857)'
        const line = `ST_SetSRID(ST_MakeLine(array(select ST_MakePoint(i * 1000, i % 7 * 1000) from generate_series(1, 2000) i)), 3857)`
        const ask = async (layer: Layer, limitBytes: number = tileLimits.layerBytes) => {
          const tile = { layer, grid, name, extent: request.extent, limitBytes }
          const { bytes, isDense } = await encodeInDatabase(database, tile)
          return [bytes !== undefined, isDense]
        }
        const big = { name: 'big', geometryType: 'POINT', fields: { b: 'BIGINT' } } as const
        const layer = await createRows(database, big, `select ${point}, n from generate_series(1, 9) n`)
        expect(await ask(layer)).toEqual([true, false])
        expect(await ask(layer, 20)).toEqual([false, false])
        const max = '9223372036854775807'
        const beyond = `select ${point}, case n when 5 then ${max} end from generate_series(1, 9) n`
        expect(await ask(await createRows(database, { ...big, name: 'bigger' }, beyond))).toEqual([
          false,
          false,
        ])
        const dense = { name: 'dense', geometryType: 'POINT' } as const
        const count = tileLimits.small + 1
        const many = `select ${point} from generate_series(1, ${count}) n`
        expect(await ask(await createRows(database, dense, many))).toEqual([false, true])
        const long = { name: 'long', geometryType: 'LINESTRING' } as const
        expect(await ask(await createRows(database, long, `select ${line}`))).toEqual([false, false])
      })

      test('leaves names that are not column names alone, and encodes all others', async () => {
        const database = await open()
        const names = ['x'.repeat(64), 'tile id', 'tile geometry']
        const quoted = { '"\'\\$1 %': 'INTEGER', geom: 'STRING', id: 'INTEGER', fits: 'REAL' } as const
        const point = 'ST_SetSRID(ST_MakePoint(9, 9), 3857)'
        const order = { name: 'quoted', geometryType: 'POINT', fields: quoted } as const
        const layer = await createRows(database, order, `select ${point}, 1, 'two', 3, 4.5`)
        const { bytes, expected } = await encodeBoth(database, layer, request)
        expect(decodeFeatures(bytes ?? new Uint8Array(), name)).toEqual(decodeFeatures(expected, name))
        for (const keyname of names) {
          const fields = layer.fields.map((field) => ({ ...field, keyname }))
          expect(isEncodable({ ...layer, fields }, grid)).toBe(false)
        }
      })

      const edges = ([0, 63] as const).flatMap((x) =>
        (['POINT', 'MULTILINESTRING', 'POLYGON'] as const).map((type) => [type, x] as const),
      )
      test.each(edges)('encodes %s at the antimeridian, x = %i, but no polygons', async (geometryType, x) => {
        const database = await open()
        await prepareStore(database)
        const random = seededRandom(x)
        const address = { z: 6, x, y: 22 }
        const source = { geometryType, srs: 3857, around: address, count: 60, random } as const
        const layer = await createRandomLayer(database, source)
        for (const option of options) {
          const { bytes, expected } = await encodeBoth(database, layer, { address, ...option })
          const range = [0, option.extent] as const
          expect(bytes === undefined).toBe(geometryType === 'POLYGON')
          if (bytes !== undefined)
            expect(
              expectSameFeatures(decodeFeatures(bytes, name), decodeFeatures(expected, name), {
                range,
                random,
              }),
            ).toBeGreaterThan(10)
        }
      })
    })
})
