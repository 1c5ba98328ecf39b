import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileNameOf, proj, readExport } from '../../support/exports.ts'
import { createTestLayer } from '../../support/layers.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let id = 0
beforeAll(async () => {
  server = await startTestServer('postgres')
  const fields = { name: 'STRING' } as const
  id = await createTestLayer(server.database, { name: 'Places', geometryType: 'POINT', fields })
  const path = `/api/resource/${id}/feature/?srs=4326`
  await server.admin('POST', path, { geom: 'POINT(10 20)', fields: { name: 'Пермь' } })
})
afterAll(() => server.stop())

const readLayer = async (query: string) => (await readExport(server.admin, id, query)).layers[0]

describe('GET /api/resource/<id>/export | file export of a vector layer', () => {
  test.each(['GPKG', 'GeoJSON', 'CSV'])('values include %s', async (format) => {
    const layer = await readLayer(`format=${format}`)
    expect(layer?.features.map(({ values }) => values.name)).toEqual(['Пермь'])
  })

  test('format is case-sensitive', async () => {
    for (const format of ['gpkg', 'geojson', 'csv'])
      expect((await server.admin('GET', `/api/resource/${id}/export?format=${format}`)).status).toBe(422)
  })

  test.each([4326, 3857] as const)('srs=%i', async (srs) => {
    expect((await readLayer(`format=GPKG&srs=${srs}`))?.srs).toBe(proj[srs])
  })

  test('zipped=<True/False>', async () => {
    for (const [zipped, name] of [
      ['True', `${id}.gpkg.zip`],
      ['False', `${id}.gpkg`],
    ]) {
      const answer = await server.admin('GET', `/api/resource/${id}/export?format=GPKG&zipped=${zipped}`)
      expect(fileNameOf(answer)).toBe(name)
    }
  })

  test.each(['GPKG', 'GeoJSON', 'CSV'])(
    'fid names the field that receives the feature id, in %s',
    async (format) => {
      const layer = await readLayer(`format=${format}&fid=number`)
      expect(layer?.features.map(({ values }) => values)).toMatchObject([{ number: 1, name: 'Пермь' }])
    },
  )

  test('encoding=<encoding>', async () => {
    const path = `/api/resource/${id}/export?format=CSV&zipped=False&fields=name&encoding=`
    const bytes = async (encoding: string) =>
      Buffer.from(await (await server.admin('GET', path + encoding)).arrayBuffer())
    expect((await bytes('UTF-8')).toString()).toContain('"Пермь"')
    expect(new TextDecoder('windows-1251').decode(await bytes('CP1251'))).toContain('"Пермь"')
  })
})

describe('GET /api/resource/<id>/geojson | GeoJSON file of a vector layer', () => {
  test('is that', async () => {
    const answer = await server.admin('GET', `/api/resource/${id}/geojson`)
    expect(fileNameOf(answer)).toBe(`${id}.geojson`)
    expect(await answer.json<object>()).toMatchObject({
      type: 'FeatureCollection',
      features: [{ type: 'Feature', id: 1, properties: { name: 'Пермь' }, geometry: { type: 'Point' } }],
    })
  })
})

describe('Vector tiles', () => {
  const tile = '/api/component/feature_layer/mvt?x=1&y=0&z=1'
  const read = async (path: string) => {
    const answer = await server.admin('GET', path)
    const { layers } = new VectorTile(new PbfReader(new Uint8Array(await answer.arrayBuffer())))
    return layers
  }
  let lines = 0
  beforeAll(async () => {
    lines = await createTestLayer(server.database, { name: 'Lines', geometryType: 'LINESTRING' })
    const steps = Array.from({ length: 50 }, (_, at) => `${at} ${at % 2 === 0 ? 40 : 40.01}`)
    await server.admin('POST', `/api/resource/${lines}/feature/?srs=4326`, {
      geom: `LINESTRING(${steps.join()})`,
    })
  })

  test('GET /api/component/feature_layer/mvt?x=<int>&y=<int>&z=<int>&resource=<id1>,<id2>...&simplification=<int> | vector tile of vector or geodb layers, ordered lower to upper; each layer in the tile is named svc:<id>', async () => {
    expect(Object.keys(await read(`${tile}&resource=${lines},${id}`))).toEqual([`svc:${lines}`, `svc:${id}`])
    const layers = await read(`${tile}&resource=${id},${lines}`)
    expect(Object.keys(layers)).toEqual([`svc:${id}`, `svc:${lines}`])
    expect(layers[`svc:${id}`]?.feature(0)).toMatchObject({ id: 1, properties: { name: 'Пермь' } })
  })

  test('simplification 0 means none, default 8', async () => {
    const countPoints = async (query: string) => {
      const layers = await read(`${tile}&resource=${lines}${query}`)
      return layers[`svc:${lines}`]?.feature(0).loadGeometry()[0]?.length
    }
    expect(await countPoints('&simplification=0')).toBe(50)
    expect(await countPoints('')).toBe(await countPoints('&simplification=8'))
    expect(await countPoints('')).toBeLessThan(10)
  })

  test('GET /api/resource/<id>/<z>/<x>/<y>.mvt | deprecated vector tile request', async () => {
    const [old, now] = await Promise.all(
      [`/api/resource/${id}/1/1/0.mvt`, `${tile}&resource=${id}`].map(async (path) => {
        const answer = await server.admin('GET', path)
        return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()).toString('hex') }
      }),
    )
    expect(old?.status).toBe(200)
    expect(old).toEqual(now)
  })
})

describe('Identify: POST /api/feature_layer/identify', () => {
  const identify = async (body: object) => {
    const answer = await server.admin('POST', '/api/feature_layer/identify', body)
    return { status: answer.status, body: await answer.json<object>() }
  }
  const geom = 'POLYGON((9 19,11 19,11 21,9 21,9 19))'

  test('{srs (integer EPSG), geom (WKT polygon), layers (array of layer ids)} | object keyed by layer id string, each {featureCount (integer), features: [{fields, id, label, layerId}]}, plus top-level featureCount (integer)', async () => {
    const empty = await createTestLayer(server.database, { name: 'Empty', geometryType: 'POLYGON' })
    const feature = { id: 1, layerId: id, label: '#1', fields: { name: 'Пермь' }, parent: 'Places' }
    expect(await identify({ srs: 4326, geom, layers: [id, empty] })).toEqual({
      status: 200,
      body: {
        [String(id)]: { featureCount: 1, features: [feature] },
        [String(empty)]: { featureCount: 0, features: [] },
        featureCount: 1,
      },
    })
  })

  test('finds the features that intersect a polygon, none beside it', async () => {
    const beside = 'POLYGON((12 19,13 19,13 21,12 21,12 19))'
    expect((await identify({ srs: 4326, geom: beside, layers: [id] })).body).toMatchObject({
      featureCount: 0,
    })
    for (const body of [
      { srs: 4326, layers: [id] },
      { geom, layers: [id] },
      { srs: 4326, geom },
    ])
      expect((await identify(body)).status).toBe(422)
  })
})
