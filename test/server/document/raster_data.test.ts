import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspectRaster, makeRaster, type TestRaster } from '../../support/raster.ts'
import { readMember, uploadContent } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer('postgres')
})
afterAll(() => server.stop())

let made = 0
/** Makes a raster layer; gives what the server says where it refuses. */
const create = async (picture: TestRaster = {}, more: object = {}) => {
  made += 1
  const source = await uploadContent(server.admin, makeRaster(picture))
  const members = { raster_layer: { source, ...more } }
  return createResource(server.admin, { cls: 'raster_layer', name: `Picture ${made}`, members })
}
const refusal = (...asked: Parameters<typeof create>) =>
  create(...asked).catch((error: Error) => error.message)
const readRaster = (id: number) => readMember(server.admin, id, 'raster_layer')
const readCog = async (id: number) =>
  Buffer.from(await (await server.admin('GET', `/api/resource/${id}/cog`)).arrayBuffer())

describe('Other class members seen in responses', () => {
  test('raster_layer | srs:{id}, xsize (integer), ysize (integer), band_count (integer)', async () => {
    const id = await create({ width: 40, height: 30, srs: 3857, geoTransform: [0, 1, 0, 0, 0, -1] })
    expect(await readRaster(id)).toMatchObject({ srs: { id: 3857 }, xsize: 40, ysize: 30, band_count: 4 })
  })
})

describe('Class data for creation', () => {
  test('raster_layer | source (upload object), srs ({id}; same as the web map)', async () => {
    const id = await create({}, { srs: { id: 3857 } })
    expect(await readRaster(id)).toMatchObject({ srs: { id: 3857 } })
    expect(await refusal({}, { srs: { id: 4326 } })).toContain('EPSG:3857')
    expect(await refusal({}, { source: undefined })).toContain('missing field "source"')
  })

  test('raster_style | none', async () => {
    const parent = await create()
    const id = await createResource(server.admin, { cls: 'raster_style', parent, name: 'Style' })
    expect(await readMember(server.admin, id, 'resource')).toMatchObject({
      cls: 'raster_style',
      parent: { id: parent },
      scopes: ['resource', 'data', 'metadata'],
    })
    // Extensions, all of them optional.
    expect(await readMember(server.admin, id, 'raster_style')).toEqual({
      ...{ stretch: null, color_ramp: null, resampling: 'nearest', opacity: 1 },
    })
    const astray = createResource(server.admin, { cls: 'raster_style', name: 'Astray' })
    await expect(astray).rejects.toThrow('cannot be a child')
  })
})

describe('Preparation rules for uploaded data: raster data is GeoTIFF', () => {
  test.each([
    ['3 (RGB)', 3, [60, 120, 180, 255]],
    ['4 (RGBA)', 4, [60, 120, 180, 240]],
  ])('with %s bands', async (_, bands, expected) => {
    const place = { srs: 3857, geoTransform: [0, 1, 0, 0, 0, -1] }
    const id = await create({ bands, ...place, value: (band) => band * 60 })
    expect(inspectRaster(await readCog(id), ({ pixel }) => pixel(3, 3))).toEqual(expected)
  })

  test.each([2, 5])('and not with %d', async (bands) => {
    expect(await refusal({ bands })).toMatch(/not 1, 3 or 4/)
  })

  test.each([4326, 32632, 3035, 3857])(
    'with a spatial reference that projects to the web map reference: %d',
    async (srs) => {
      const places: Readonly<Record<number, readonly number[]>> = {
        4326: [10, 0.001, 0, 46, 0, -0.001],
        32632: [600_000, 100, 0, 5_090_000, 0, -100],
        3035: [4_400_000, 100, 0, 2_550_000, 0, -100],
        3857: [1_113_000, 100, 0, 5_780_000, 0, -100],
      }
      const id = await create({ srs, geoTransform: places[srs] ?? null })
      const answer = await server.admin('GET', `/api/resource/${id}/extent`)
      const { extent } = await answer.json<{ extent: Record<string, number> }>()
      expect(extent.minLon).toBeGreaterThan(9)
      expect(extent.maxLat).toBeLessThan(47)
      expect(extent.maxLon).toBeLessThan(11.5)
      expect(extent.minLat).toBeGreaterThan(45)
    },
  )

  test('and not without one, nor with one that does not', async () => {
    expect(await refusal({ srs: null })).toMatch(/has no reference system/)
    expect(
      await refusal({ srs: 3413, width: 100, height: 100, geoTransform: [-1e5, 2000, 0, 1e5, 0, -2000] }),
    ).toMatch(/cannot be projected to EPSG:3857/)
  })

  test('with set color interpretation', async () => {
    expect(await refusal({ options: ['PHOTOMETRIC=MINISBLACK'] })).toMatch(/not Red, Green, Blue/)
  })

  test('with 8-bit values 0 to 255', async () => {
    const place = { srs: 3857, geoTransform: [0, 1, 0, 0, 0, -1] }
    const id = await create({ ...place, width: 256, height: 1, value: (_, column) => column })
    inspectRaster(await readCog(id), ({ pixel }) => {
      for (let value = 0; value < 256; value += 1) expect(pixel(value, 0)).toEqual([value, value, value, 255])
    })
  })

  test.each(['NONE', 'LZW', 'DEFLATE'])(
    'with optional LZW or DEFLATE compression: %s',
    async (compression) => {
      expect(await readRaster(await create({ options: [`COMPRESS=${compression}`] }))).toMatchObject({
        band_count: 4,
      })
    },
  )
})

describe('Layer information', () => {
  test('GET /api/resource/<id>/extent | {extent: {minLat, maxLat, minLon, maxLon}} in EPSG:4326 (numbers); for raster layers', async () => {
    const id = await create({
      srs: 3857,
      width: 100,
      height: 100,
      geoTransform: [0, 1113.1949079327358, 0, 0, 0, -1000],
    })
    const answer = await server.admin('GET', `/api/resource/${id}/extent`)
    const { extent } = await answer.json<{ extent: Record<string, number> }>()
    expect(extent).toEqual({
      minLon: expect.closeTo(0, 9),
      maxLon: expect.closeTo(1, 9),
      minLat: expect.closeTo(-0.8983, 4),
      maxLat: expect.closeTo(0, 9),
    })
  })
})

test('Limits: pixel values 0 to 255 (8 bit), 3 or 4 bands | raster layer upload', async () => {
  expect(await refusal({ type: 'UInt16' })).toContain('422')
  expect(await refusal({ bands: 5 })).toContain('422')
})

test('Web map: layer_style_id | integer | style resource identifier (vector or raster style)', async () => {
  const style = await createResource(server.admin, {
    cls: 'raster_style',
    parent: await create(),
    name: 'Style',
  })
  const children = [{ item_type: 'layer', display_name: 'Photo', layer_style_id: style }]
  const members = { webmap: { root_item: { item_type: 'root', children } } }
  const id = await createResource(server.admin, { cls: 'webmap', name: 'Map', members })
  expect(await readMember(server.admin, id, 'webmap')).toMatchObject({ root_item: { children } })
})
