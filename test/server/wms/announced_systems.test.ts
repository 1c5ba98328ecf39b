import { expect, test } from 'vitest'
import { publishMaps } from '../../support/map_service.ts'
import { describeServer, startTestServer } from '../../support/server.ts'
import { publishTowns } from '../../support/wfs.ts'

describeServer(
  'reference systems of the setting --crs',
  (start, driver) => {
    test('are announced by WMS, WFS and OGC API, and items are offered in them', async () => {
      const server = await start()
      const { path } = await publishMaps(server)
      const towns = await publishTowns(server.admin, 'Announced towns')
      const read = async (address: string) => {
        const answer = await server.admin('GET', address)
        return `${answer.status} ${await answer.text()}`
      }
      const wms = await read(`${path}/wms?service=WMS&version=1.3.0&request=GetCapabilities`)
      expect(wms).toContain('<CRS>EPSG:25832</CRS>')
      for (const version of ['1.1.0', '2.0.0'])
        expect(await read(`${towns.path}?service=WFS&version=${version}&request=GetCapabilities`)).toContain(
          'urn:ogc:def:crs:EPSG::25832',
        )
      const api = `/api/resource/${towns.service}/ogcapi/collections`
      const uri = 'http://www.opengis.net/def/crs/EPSG/0/25832'
      expect(JSON.parse((await read(api)).slice(4))).toMatchObject({
        crs: expect.arrayContaining([uri]),
        collections: [{ crs: expect.arrayContaining([uri]) }],
      })
      expect(await read(`${api}/towns/items?crs=${encodeURIComponent(uri)}&limit=1`)).toMatch(/^200 /)
    })

    test('that the database does not know prevent the start', async () => {
      await expect(startTestServer(driver, { announcedSystems: [25832, 999_998] })).rejects.toMatchObject({
        code: 'usage/bad-argument',
        message: 'Cannot use --crs "999998": the database does not know this EPSG code.',
      })
    })
  },
  { announcedSystems: [25832] },
)
