import { beforeAll, expect, test } from 'vitest'
import { askWms, publishMaps, readImage, type TestMaps } from '../../support/map_service.ts'
import { describeServer, type TestServer } from '../../support/server.ts'

const white = [255, 255, 255, 255]
const green = [0, 128, 0, 255]
const red = [255, 0, 0, 255]
const blue = [0, 0, 255, 255]

/** Equatorial radius times an angle in degrees. */
const mercator = (lon: number, lat: number) => [
  (lon * Math.PI * 6_378_137) / 180,
  Math.asinh(Math.tan((lat * Math.PI) / 180)) * 6_378_137,
]

describeServer('GetMap', (start) => {
  let server: TestServer
  let maps: TestMaps
  beforeAll(async () => {
    server = await start()
    maps = await publishMaps(server)
  })
  const draw = async (parameters: Record<string, string> = {}) =>
    readImage(await askWms(server.guest, maps, parameters))

  test.each([
    ['EPSG:4326 with latitude first', { bbox: '8,5,38,35' }],
    ['CRS:84 with longitude first', { crs: 'CRS:84', bbox: '5,8,35,38' }],
    ['EPSG:4326 of version 1.1.1', { version: '1.1.1', srs: 'EPSG:4326', crs: '', bbox: '5,8,35,38' }],
    ['EPSG:4258, another geographic system', { crs: 'EPSG:4258', bbox: '8,5,38,35' }],
  ])('draws in %s', async (_, parameters) => {
    const image = await draw(parameters)
    // From column (10 - 5) / 0.3 and row (38 - 20) / 0.3 on.
    expect([image.at(15, 61), image.at(18, 58), image.at(18, 61), image.at(48, 91)]).toEqual([
      white,
      white,
      green,
      green,
    ])
    expect([image.at(51, 80), image.at(30, 94)]).toEqual([white, white])
  })

  test('draws in EPSG:3857, and in the systems of countries', async () => {
    const box = [...mercator(0, 0), ...mercator(30, 30)].join()
    const plain = await draw({ crs: 'EPSG:3857', bbox: box })
    expect([plain.at(50, 50), plain.at(30, 50), plain.at(70, 50)]).toEqual([green, white, white])
    expect((await draw({ crs: 'EPSG:900913', bbox: box })).at(50, 50)).toEqual(green)
    // UTM zone 33, whose central meridian is the centre of the square: 15° north is at 1,658,326 m.
    const zone = await draw({ crs: 'EPSG:32633', bbox: '-500000,658326,1500000,2658326' })
    expect([zone.at(50, 50), zone.at(25, 50), zone.at(21, 50), zone.at(78, 50)]).toEqual([
      green,
      green,
      white,
      white,
    ])
    // Its units are feet: a third of them are as long.
    const feet = await draw({ crs: 'EPSG:2264', bbox: '0,0,100000,100000' })
    expect(feet.at(50, 50)).toEqual(white)
  })

  test('draws in Equal Earth, which has no WKT in the database', async () => {
    // 15° east and 15° north is at 1,413,747 and 1,916,240 m, as GDAL computes it; the square is at 10° to 20°.
    const near = await draw({ crs: 'EPSG:8857', bbox: '413747,916240,2413747,2916240' })
    expect([near.at(50, 50), near.at(30, 50), near.at(50, 15), near.at(85, 50)]).toEqual([
      green,
      green,
      white,
      white,
    ])
    const world = await draw({ crs: 'EPSG:8857', bbox: '-17300000,-8400000,17300000,8400000', width: '400' })
    expect([world.at(216, 38), world.at(2, 2)]).toEqual([green, white])
  })

  test('draws the whole world, and boxes far beyond it', async () => {
    for (const bbox of [
      '-90,-180,90,180',
      '-400,-400,400,400',
      '-1000000000,-1000000000,1000000000,1000000000',
    ])
      expect((await draw({ bbox, width: '200' })).width).toBe(200)
    const world = await draw({ bbox: '-90,-180,90,180', width: '360', height: '180' })
    expect([world.at(195, 75), world.at(185, 75)]).toEqual([green, white])
    for (const parameters of [{ bbox: '-90,-900,90,900' }, { crs: 'CRS:84', bbox: '-900,-90,900,90' }]) {
      const worlds = await draw({ ...parameters, width: '1800', height: '180' })
      for (const copy of [-2, -1, 0, 1, 2])
        expect([copy, worlds.at(915 + 360 * copy, 75), worlds.at(905 + 360 * copy, 75)]).toEqual([
          copy,
          green,
          white,
        ])
    }
    const far = await askWms(server.guest, maps, { crs: 'EPSG:32633', bbox: '-9e8,-9e8,9e8,9e8' })
    expect(far.status).toBeLessThan(500)
  })

  test.each([
    ['with the resolution of numbers', { bbox: '10,20,10.00000000000001,20.00000000000001' }],
    ['of almost no width', { crs: 'EPSG:3857', bbox: '0,0,1e-300,1e-300' }],
    ['of one dimension', { bbox: '10,20,10.00000000000001,30' }],
  ])('refuses boxes %s', async (_, parameters) => {
    const answers = await Promise.all(
      ['square,town', 'square,square', 'town,road'].map((layers) =>
        askWms(server.guest, maps, { ...parameters, layers }),
      ),
    )
    for (const answer of answers) {
      expect(answer.status).toBe(400)
      expect(await answer.text()).toMatch(/code="InvalidParameterValue" locator="BBOX"(.|\n)*pixel/)
    }
    expect((await draw()).width).toBe(100)
  })

  test('draws layers in the order of the request, from bottom to top', async () => {
    const colorOf = async (layers: string) => (await draw({ layers })).at(50, 50)
    expect(await colorOf('square,town')).toEqual(red)
    expect(await colorOf('town,square')).toEqual(green)
    expect(await colorOf('town,square,town')).toEqual(red)
  })

  test('leaves out layers beyond their scale limits', async () => {
    const colorOf = async (bbox: string) => (await draw({ layers: 'square,road', bbox })).at(20, 50)
    // A pixel of 0.0001° is 11 m: at 0.28 mm a scale of 1 : 40,000; one of 0.3° is 1 : 119,000,000.
    expect(await colorOf('14.995,14.995,15.005,15.005')).toEqual(blue)
    expect(await colorOf('0,10,30,40')).toEqual(green)
    expect((await draw({ layers: 'road' })).at(20, 50)).toEqual(white)
  })

  test.each([
    ['image/png', [255, 255, 255, 0]],
    ['image/webp', [255, 255, 255, 0]],
    ['image/jpeg', white],
  ])('encodes %s, with transparency where the format has it', async (format, outside) => {
    const image = await draw({ format, transparent: 'TRUE', bgcolor: '0xFFFFFF' })
    expect([image.mediaType, image.width, image.height]).toEqual([format, 100, 100])
    expect(image.at(5, 5)[3]).toBe(outside[3])
    const colored = await draw({ format, bgcolor: '0x0000FF' })
    const difference = colored.at(5, 5).map((value, at) => Math.abs(value - (blue[at] ?? 0)))
    expect(Math.max(...difference)).toBeLessThan(4)
  })

  test('draws symbols in the size of prints, and layers by the scale of these', async () => {
    const columnsOf = async (parameters: Record<string, string>) => {
      const image = await draw({ layers: 'town', ...parameters })
      return Array.from({ length: 100 }, (_, x) => image.at(x, 50)).filter(
        ([r, g, b]) => r === 255 && g === 0 && b === 0,
      ).length
    }
    // The marker has 12 pixels, and edges may share pixels.
    expect(await columnsOf({})).toEqual(expect.closeTo(12, -0.7))
    for (const parameters of [
      { dpi: '288' },
      { map_resolution: '288' },
      { format_options: 'dpi:288' },
    ] as const)
      expect([parameters, await columnsOf(parameters)]).toEqual([parameters, expect.closeTo(36, -0.7)])
    // A pixel of 0.01° is 1.1 km: a scale of 1 : 4,000,000, and as a quarter of a pixel 1 : 16,000,000; the limit is 1 : 5,000,000.
    const wide = { layers: 'road', bbox: '14.5,14.5,15.5,15.5' }
    expect([(await draw(wide)).at(20, 50), (await draw({ ...wide, dpi: '384' })).at(20, 50)]).toEqual([
      blue,
      white,
    ])
  })

  test('is cached by the client until the data change', async () => {
    const first = await askWms(server.guest, maps, { layers: 'town' })
    const etag = first.headers.get('etag') ?? ''
    const query = new URL(first.url)
    const again = (tag: string) =>
      server.guest('GET', query.pathname + query.search, undefined, { 'if-none-match': tag })
    expect((await again(etag)).status).toBe(304)
    await server.admin('PATCH', `/api/resource/${maps.townLayer}/feature/?srs=4326`, [
      { geom: 'POINT(25 25)', fields: { name: 'New' } },
    ])
    const changed = await again(etag)
    expect([changed.status, (await readImage(changed)).at(83, 16)]).toEqual([200, red])
  })

  test('answers requests in the body, with parameters of any case', async () => {
    const parameters = new URL((await askWms(server.guest, maps)).url).searchParams
    const body = [...parameters].map(([name, value]) => `${name.toUpperCase()}=${encodeURIComponent(value)}`)
    const answer = await server.guest('POST', `${maps.path}/wms`, body.join('&'), {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect((await readImage(answer)).at(50, 50)).toEqual(green)
    const xml = await server.guest('POST', `${maps.path}/wms`, '<!DOCTYPE a><GetMap/>', {
      'content-type': 'text/xml',
    })
    expect([xml.status, await xml.text()]).toEqual([501, expect.stringContaining('Requests in XML')])
  })

  test('reports failures as XML, in the image, or as an empty image', async () => {
    const fault = async (parameters: Record<string, string>) => {
      const answer = await askWms(server.guest, maps, { layers: 'rivers', ...parameters })
      return [answer.status, answer.headers.get('content-type'), await answer.text()]
    }
    expect(await fault({})).toEqual([
      400,
      'text/xml; charset=utf-8',
      expect.stringContaining('<ServiceException code="LayerNotDefined" locator="LAYERS">'),
    ])
    expect(await fault({ version: '1.1.1', srs: 'EPSG:4326' })).toEqual([
      400,
      'application/vnd.ogc.se_xml',
      expect.stringContaining('<!DOCTYPE ServiceExceptionReport'),
    ])
    const shape = async (exceptions: string) => {
      const answer = await askWms(server.guest, maps, {
        ...{ layers: 'rivers', exceptions, width: '300', bgcolor: '0x00FF00' },
      })
      const image = await readImage(answer)
      const pixels = Array.from({ length: 300 * 100 }, (_, at) => image.at(at % 300, Math.floor(at / 300)))
      return [image.width, pixels.some(([r = 0, g = 0]) => r > 100 && g < 100), image.at(299, 99)]
    }
    expect(await shape('INIMAGE')).toEqual([300, true, [0, 255, 0, 255]])
    expect(await shape('BLANK')).toEqual([300, false, [0, 255, 0, 255]])
  })

  test('GetLegendGraphic shows the symbols of a layer', async () => {
    const legend = async (parameters: Record<string, string>) =>
      readImage(
        await askWms(server.guest, maps, { request: 'GetLegendGraphic', layer: 'square', ...parameters }),
      )
    const image = await legend({})
    const pixels = Array.from({ length: image.width * image.height }, (_, at) =>
      image.at(at % image.width, Math.floor(at / image.width)).join(),
    )
    expect(pixels).toContain(green.join())
    const capabilities = await askWms(server.guest, maps, { request: 'GetCapabilities' })
    const announced = [...(await capabilities.text()).matchAll(/<LegendURL ([^>]*)>/g)]
    expect(announced.map(([, size]) => size)).toHaveLength(3)
    expect(announced[0]?.[1]).toBe(`width="${image.width}" height="${image.height}"`)
    const print = await legend({ dpi: '192' })
    expect([print.width, print.height]).toEqual([
      expect.closeTo(2 * image.width, -1),
      expect.closeTo(2 * image.height, -1),
    ])
    expect((await legend({ format: 'image/webp' })).mediaType).toBe('image/webp')
    const unknown = await askWms(server.guest, maps, { request: 'GetLegendGraphic', layer: 'rivers' })
    expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining('LayerNotDefined')])
  })

  test('refuses unknown reference systems', async () => {
    for (const crs of ['EPSG:1', 'EPSG:999999', 'EPSG:4978', 'EPSG:5773']) {
      const answer = await askWms(server.guest, maps, { crs })
      expect([crs, answer.status, await answer.text()]).toEqual([
        crs,
        400,
        expect.stringContaining('InvalidCRS'),
      ])
    }
  })
})
