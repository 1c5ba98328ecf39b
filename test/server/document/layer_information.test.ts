import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'

let server: TestServer
let layer = ''
beforeAll(async () => {
  server = await startTestServer('postgres')
  const id = await createLayer(server.admin, { name: 'Peaks', geometryType: 'POINT' })
  layer = `/api/resource/${id}`
})
afterAll(() => server.stop())

const get = async (part: string) => (await server.admin('GET', `${layer}/${part}`)).json<object>()

// That of raster layers is in raster_data.test.ts.
describe('Layer information', () => {
  test('GET /api/resource/<id>/feature_count | {total_count (integer)}', async () => {
    expect(await get('feature_count')).toEqual({ total_count: 0 })
    await server.admin('PATCH', `${layer}/feature/`, [{ geom: 'POINT(0 0)' }, {}])
    expect(await get('feature_count')).toEqual({ total_count: 2 })
    await server.admin('DELETE', `${layer}/feature/`)
    expect(await get('feature_count')).toEqual({ total_count: 0 })
  })

  test('GET /api/resource/<id>/extent | {extent: {minLat, maxLat, minLon, maxLon}} in EPSG:4326 (numbers); for vector and raster layers', async () => {
    const features = [{ geom: 'POINT(10 20)' }, { geom: 'POINT(-30 -5)' }, { geom: 'POINT(0 60)' }]
    await server.admin('PATCH', `${layer}/feature/?srs=4326`, features)
    expect(await get('extent')).toEqual({
      extent: {
        minLat: expect.closeTo(-5, 9),
        maxLat: expect.closeTo(60, 9),
        minLon: expect.closeTo(-30, 9),
        maxLon: expect.closeTo(10, 9),
      },
    })
  })
})
