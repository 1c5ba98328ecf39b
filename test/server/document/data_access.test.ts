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
