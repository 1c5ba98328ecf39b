import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstEntry } from '../../support/exports.ts'
import { createTestLayer } from '../../support/layers.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

describe('the files of a zipped export', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer('postgres')
  })
  afterAll(() => server.stop())

  const createLayer = async (name: string, keyname?: string) => {
    const id = await createTestLayer(server.database, {
      name,
      geometryType: 'POINT',
      fields: { a: 'STRING' },
    })
    if (keyname !== undefined) {
      const answer = await server.admin('PUT', `/api/resource/${id}`, { resource: { keyname } })
      expect(answer.status).toBe(200)
    }
    await server.admin('POST', `/api/resource/${id}/feature/?srs=4326`, { geom: 'POINT (10.72 59.91)' })
    return id
  }

  const exportAs = async (id: number, query: string) =>
    Buffer.from(await (await server.admin('GET', `/api/resource/${id}/export?format=${query}`)).arrayBuffer())

  test.each(['shp', 'gml', 'tab', 'geojson', 'csv', 'gpkg', 'kmz'])(
    'have the keyname of the layer: .%s',
    async (extension) => {
      const formats = { shp: 'ESRI Shapefile', tab: 'MapInfo File', geojson: 'GeoJSON' } as const
      const id = await createLayer(`Roads ${extension}`, `roads_${extension}`)
      const format = formats[extension as 'shp'] ?? extension.toUpperCase()
      expect(firstEntry(await exportAs(id, format))).toBe(`roads_${extension}.${extension}`)
    },
  )

  test.each([
    ['Straßen: Süd/Nord', 'Straßen_Süd_Nord.shp'],
    ['../../etc', 'etc.shp'],
    ['Дороги '.repeat(30), expect.stringMatching(/^(Дороги_)+Д?.{0,6}\.shp$/)],
  ])('have the display name of a layer without keyname: %s', async (name, file) => {
    expect(firstEntry(await exportAs(await createLayer(name), 'ESRI Shapefile'))).toEqual(file)
  })

  test('have the id if the display name has no letters and digits', async () => {
    const id = await createLayer('???')
    expect(firstEntry(await exportAs(id, 'GML'))).toBe(`${id}.gml`)
  })

  test('have transformed coordinates without errors of the transformation', async () => {
    const id = await createLayer('Exact')
    expect((await exportAs(id, 'CSV&zipped=false')).toString()).toContain('"POINT(10.72 59.91)"')
    expect((await exportAs(id, 'GeoJSON&zipped=false')).toString()).toContain('[10.72,59.91]')
  })
})
