import { expect, test } from 'vitest'
import { createTestLayer } from '../../support/layers.ts'
import { imagePath, readPicture } from '../../support/picture.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const square = `<map><layer><class><style><color red="255" green="0" blue="0"/>
  <symbol>std:rectangle</symbol><size>12</size></style></class></layer></map>`

let names = 0

/** A style of a layer with one feature. */
async function createStyled(
  server: TestServer,
  geometryType: 'POINT' | 'MULTIPOLYGON',
  geom: string,
): Promise<number> {
  names += 1
  const name = `Place ${names}`
  const layer = await createTestLayer(server.database, { name, geometryType, fields: {} })
  const answer = await server.admin('PATCH', `/api/resource/${layer}/feature/?srs=4326`, [
    { geom, fields: {} },
  ])
  expect(answer.status).toBe(200)
  const members = { mapsrv_style: { xml: square } }
  return createResource(server.admin, { cls: 'mapsrv_style', parent: layer, name: `${name} style`, members })
}

const createPoint = (server: TestServer) => createStyled(server, 'POINT', 'POINT(15 50)')

describeServer('images in other reference systems', (start) => {
  test.each([
    ['EPSG:4326, whose x is the longitude', 4326, [13, 48, 17, 52]],
    // 15° E is the central meridian of the zone: easting 500 000; 50° N is northing 5 538 630.
    ['EPSG:32633', 32_633, [400_000, 5_438_630, 600_000, 5_638_630]],
    ['EPSG:3857', 3857, [1_569_792, 6_346_275, 1_769_792, 6_546_275]],
  ])('show features where they are in %s', async (_, srs, extent) => {
    const server = await start()
    const style = await createPoint(server)
    const picture = await readPicture(server.admin, `${imagePath(style, extent)}&srs=${srs}`)
    expect([picture.width, picture.height]).toEqual([256, 256])
    expect(picture.at(128, 128)).toEqual([255, 0, 0, 255])
    for (const [x, y] of [
      [118, 128],
      [138, 128],
      [128, 118],
      [128, 138],
    ] as const)
      expect(picture.at(x, y)[3]).toBe(0)
  })

  test.each([
    ['an unknown code', '&srs=999999', 422],
    ['a geocentric system', '&srs=4978', 422],
    ['zero', '&srs=0', 422],
    ['a name', '&srs=EPSG:4326', 422],
    ['an extent far outside', '&srs=32633', 200],
  ])('answer %s with a clear status', async (_, srs, status) => {
    const server = await start()
    const style = await createPoint(server)
    const answer = await server.admin('GET', `${imagePath(style, [1e8, 1e8, 2e8, 2e8])}${srs}`)
    expect(answer.status).toBe(status)
  })

  test('outside of the world are empty, also of a polygon around the earth', async () => {
    const server = await start()
    const geom = 'MULTIPOLYGON(((-180 -89.9, 180 -89.9, 180 89.9, -180 89.9, -180 -89.9)))'
    const style = await createStyled(server, 'MULTIPOLYGON', geom)
    for (const extent of [
      [1000, 1000, 2000, 2000],
      [200, 100, 300, 200],
      [-2000, -2000, -1000, -1000],
    ]) {
      const picture = await readPicture(server.admin, `${imagePath(style, extent)}&srs=4326`)
      expect(picture.at(128, 128)[3]).toBe(0)
      expect((await server.admin('GET', `/api/resource/${style}`)).status).toBe(200)
    }
  })
})
