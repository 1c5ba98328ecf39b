import type { RequestListener } from 'node:http'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { mapLayers, useMapserver } from '../../support/mapserver.ts'
import { sendBody } from '../../support/misbehaving.ts'
import { imagePath, readPicture } from '../../support/picture.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'
import { type TestService, useService } from '../../support/wms.ts'

const startService = useService()
const startMapserver = useMapserver()

const half = 20_037_508.342789244

/** Parameters of a request to a service, by names in upper case. */
function parametersOf(url: string | undefined): Record<string, string> {
  const { searchParams } = new URL(url ?? '', 'http://localhost')
  return Object.fromEntries([...searchParams].map(([name, value]) => [name.toUpperCase(), value]))
}

async function png(width: number, height: number, color: string): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 4, background: color } })
    .png()
    .toBuffer()
}

/** Answers GetMap with an image of the requested size: red in its upper half, blue in its lower half. */
const answerMap: RequestListener = async (request, response) => {
  const { WIDTH, HEIGHT } = parametersOf(request.url)
  const [width, height] = [Number(WIDTH), Number(HEIGHT)]
  const lower = await png(width, Math.ceil(height / 2), '#0000ff')
  const image = sharp(await png(width, height, '#ff0000')).composite([
    { input: lower, left: 0, top: Math.floor(height / 2) },
  ])
  response.writeHead(200, { 'content-type': 'image/png' }).end(await image.png().toBuffer())
}

const colorOf = (path: string) => {
  const [z = 0, x = 0, y = 0] = path.split('/').slice(-3).map(Number.parseFloat)
  return [z * 10, x * 10, y * 10, 255]
}

/** Answers /z/x/y.png with a tile whose colour tells its address. */
const answerTile: RequestListener = async (request, response) => {
  const [red, green, blue] = colorOf(request.url ?? '')
  const tile = await png(256, 256, `rgb(${red},${green},${blue})`)
  response.writeHead(200, { 'content-type': 'image/png' }).end(tile)
}

async function service(answer: RequestListener): Promise<TestService> {
  const found = await startService()
  found.requests.length = 0
  found.answer = answer
  return found
}

let names = 0
const nextName = () => {
  names += 1
  return `external ${names}`
}

const square = [1e6, 6e6, 1.1e6, 6.1e6]

describeServer(
  'images of other services',
  (start) => {
    let admin: Ask
    beforeAll(async () => {
      admin = (await start()).admin
    })

    const createWms = async (url: string, layer: object = {}, connection: object = {}) => {
      const id = await createResource(admin, {
        ...{ cls: 'wmsclient_connection', name: nextName() },
        members: { wmsclient_connection: { url, version: '1.3.0', ...connection } },
      })
      const own = { connection: { id }, srs: { id: 3857 }, imgformat: 'image/png', wmslayers: 'roads' }
      return createResource(admin, {
        ...{ cls: 'wmsclient_layer', name: nextName() },
        members: { wmsclient_layer: { ...own, ...layer } },
      })
    }
    const createBasemap = (basemap: object) =>
      createResource(admin, {
        ...{ cls: 'basemap_layer', name: nextName() },
        members: { basemap_layer: basemap },
      })
    const failure = async (path: string) => {
      const answer = await admin('GET', path)
      const { code, message } = await answer.json<{ code: string; message: string }>()
      return [answer.status, code, message]
    }

    test('a WMS layer is requested in the frame of the image, with credentials and parameters of the layer', async () => {
      const { url, requests } = await service(answerMap)
      const id = await createWms(
        `${url}/wms?map=a&width=3`,
        { vendor_params: { TIME: '2020', styles: 'dark' } },
        { username: 'ann', password: 'sesame' },
      )
      const picture = await readPicture(admin, imagePath(id, square, [200, 200]))
      expect([picture.at(100, 50), picture.at(100, 150)]).toEqual([
        [255, 0, 0, 255],
        [0, 0, 255, 255],
      ])
      expect(requests).toHaveLength(1)
      expect(requests[0]).toContain(`Basic ${Buffer.from('ann:sesame').toString('base64')}`)
      expect(parametersOf(requests[0]?.split(' ')[1])).toEqual({
        ...{ MAP: 'a', SERVICE: 'WMS', VERSION: '1.3.0', REQUEST: 'GetMap', LAYERS: 'roads', STYLES: 'dark' },
        ...{ FORMAT: 'image/png', CRS: 'EPSG:3857', BBOX: square.join(), WIDTH: '200', HEIGHT: '200' },
        ...{ EXCEPTIONS: 'XML', TRANSPARENT: 'TRUE', TIME: '2020' },
      })
    })

    test.each([
      ['1.3.0', 4326, 'CRS', true],
      ['1.1.1', 4326, 'SRS', false],
      ['1.3.0', 25832, 'CRS', false],
    ] as const)(
      'a WMS layer of version %s is reprojected from EPSG:%i, in its order of axes',
      async (version, srs, parameter, isNorthFirst) => {
        const { url, requests } = await service(answerMap)
        const id = await createWms(url, { srs: { id: srs } }, { version })
        const picture = await readPicture(admin, imagePath(id, square, [300, 300]))
        expect([picture.at(150, 40), picture.at(150, 260)]).toEqual([
          [255, 0, 0, 255],
          [0, 0, 255, 255],
        ])
        for (const [x, y] of [
          [0, 0],
          [299, 0],
          [0, 299],
          [299, 299],
        ] as const)
          expect(picture.at(x, y)[3]).toBe(255)
        const parameters = parametersOf(requests[0]?.split(' ')[1])
        expect(parameters[parameter]).toBe(`EPSG:${srs}`)
        const [a = 0, b = 0, c = 0, d = 0] = (parameters.BBOX ?? '').split(',').map(Number)
        expect(c > a && d > b).toBe(true)
        // 9 degrees east, 47 degrees north.
        if (srs === 4326) expect(isNorthFirst ? a : b).toBeCloseTo(47.3, 0)
      },
    )

    test('a large image is requested in parts', async () => {
      const { url, requests } = await service(answerMap)
      const id = await createWms(url)
      const picture = await readPicture(admin, imagePath(id, [0, 0, 3000, 100], [3000, 100]))
      expect([picture.at(2047, 10), picture.at(2048, 10), picture.at(2999, 99)]).toEqual([
        [255, 0, 0, 255],
        [255, 0, 0, 255],
        [0, 0, 255, 255],
      ])
      const boxes = requests.map((one) => parametersOf(one.split(' ')[1]).BBOX)
      expect(boxes).toEqual(['0,0,2048,100', '2048,0,3000,100'])
      const [status, code] = await failure(imagePath(id, square, [8192, 8192]))
      expect([status, code]).toEqual([422, 'render/too-large'])
    })

    test('images of services are cached, shared by requests at the same time, and fetched again without cache', async () => {
      const { url, requests } = await service(answerMap)
      const id = await createWms(url)
      const path = imagePath(id, square)
      const answers = await Promise.all([1, 2, 3].map(() => admin('GET', path)))
      expect(requests).toHaveLength(1)
      const tag = answers[0]?.headers.get('etag') ?? ''
      expect((await admin('GET', path, undefined, { 'if-none-match': tag })).status).toBe(304)
      await readPicture(admin, imagePath(`${id},${id}`, square))
      expect(requests).toHaveLength(1)
      await readPicture(admin, `${path}&cache=false`)
      expect(requests).toHaveLength(2)
    })

    test('the exceptions and false images of a service are reported', async () => {
      const exception = `<?xml version="1.0"?><ServiceExceptionReport xmlns="http://www.opengis.net/ogc" version="1.3.0">
        <ServiceException code="LayerNotDefined">Layer roads
          is not defined</ServiceException></ServiceExceptionReport>`
      const cut = (await png(256, 256, '#123456')).subarray(0, 60)
      const small = await png(10, 10, '#123456')
      const cases: [RequestListener, RegExp][] = [
        [sendBody('text/xml', exception), /returned an exception: Layer roads is not defined$/],
        [sendBody('image/png', exception), /returned an exception: Layer roads/],
        [sendBody('image/png', '<html>Sorry</html>'), /did not return an image: .* type "image\/png"/],
        [sendBody('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'), /did not return an image/],
        [sendBody('image/png', cut), /returned a damaged or too large PNG image/],
        [sendBody('image/png', small), /an image of 10 × 10 pixels instead of 256 × 256/],
        [sendBody('image/png', '', { status: 401 }), /returned status 401\.$/],
        [sendBody('image/png', small, { status: 500 }), /returned status 500 instead of an image/],
        [sendBody('image/png'), /did not return an image/],
      ]
      for (const [answer, message] of cases) {
        const { url } = await service(answer)
        const found = await failure(imagePath(await createWms(url), square))
        expect(found).toEqual([503, 'external/answer', expect.stringMatching(message)])
      }
    })

    test('MapServer draws and describes its features', async () => {
      const url = `${await startMapserver()}?map=test.map`
      const [west, south, east, north] = [9.9, 53.9, 10.1, 54.1]
      const geom = `POLYGON((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`
      for (const version of ['1.1.1', '1.3.0']) {
        const id = await createWms(url, { srs: { id: 4326 }, wmslayers: mapLayers[0] }, { version })
        // The town lies in the middle.
        const [x, y] = [1_113_194.9, 7_170_156.3]
        const picture = await readPicture(
          admin,
          imagePath(id, [x - 1e5, y - 1e5, x + 1e5, y + 1e5], [101, 101]),
        )
        expect([picture.at(50, 50), picture.at(10, 10)[3]]).toEqual([[0, 0, 0, 255], 0])
        const answer = await admin('POST', '/api/feature_layer/identify', { srs: 4326, geom, layers: [id] })
        expect(await answer.json()).toMatchObject({
          featureCount: 1,
          [id]: {
            featureCount: 1,
            features: [{ id: 1, layerId: id, label: 'Nord', fields: { name: 'Nord' } }],
          },
        })
        const unknown = await createWms(url, { wmslayers: 'nothing' }, { version })
        expect((await failure(imagePath(unknown, square)))[2]).toMatch(
          /returned an exception: .*Invalid layer/,
        )
      }
    })

    test('a service that cannot be identified has an error of its own', async () => {
      const { url } = await service(sendBody('text/html', '<html>Sorry</html>'))
      const id = await createWms(url)
      const body = { srs: 3857, geom: 'POLYGON((0 0,9 0,9 9,0 9,0 0))', layers: [id] }
      const answer = await admin('POST', '/api/feature_layer/identify', body)
      expect(await answer.json()).toEqual({
        featureCount: 0,
        [id]: { error: expect.stringContaining('describes no features as JSON, GML or text') },
      })
    })

    test('a base map is put together from its tiles, for tiles and for any frame', async () => {
      const { url } = await service(answerTile)
      const id = await createBasemap({ url: `${url}/tiles/{z}/{x}/{y}.png` })
      const tile = await readPicture(admin, `/api/component/render/tile?z=3&x=5&y=2&resource=${id}`)
      expect([tile.at(0, 0), tile.at(255, 255)]).toEqual([colorOf('3/5/2'), colorOf('3/5/2')])
      const side = (2 * half) / 16
      // The corner of four tiles of zoom level 4.
      const extent = [-side / 2, -side / 2, side / 2, side / 2]
      const picture = await readPicture(admin, imagePath(id, extent, [256, 256]))
      expect([picture.at(64, 64), picture.at(192, 64), picture.at(64, 192), picture.at(192, 192)]).toEqual(
        ['4/7/7', '4/8/7', '4/7/8', '4/8/8'].map(colorOf),
      )
    })

    test('a base map has zoom limits: it is enlarged beyond the highest level, and not drawn below the lowest', async () => {
      const { url, requests } = await service(answerTile)
      const id = await createBasemap({ url: `${url}/limits/{z}/{x}/{-y}.png`, z_min: 2, z_max: 3 })
      const above = await readPicture(admin, `/api/component/render/tile?z=5&x=8&y=9&resource=${id}`)
      expect(above.at(128, 128)).toEqual(colorOf('3/2/5'))
      expect(
        (await admin('GET', `/api/component/render/tile?z=1&x=0&y=0&resource=${id}&nd=404`)).status,
      ).toBe(404)
      expect(requests).toHaveLength(1)
    })

    test('tiles of a base map that do not exist are transparent; other failures are reported', async () => {
      const { url } = await service((request, response) => {
        if (request.url?.startsWith('/some/1/0')) return answerTile(request, response)
        response.writeHead(request.url?.startsWith('/broken') ? 500 : 404).end()
      })
      const id = await createBasemap({ url: `${url}/some/{z}/{x}/{y}.png` })
      const picture = await readPicture(admin, imagePath(id, [-half, -half, half, half], [512, 512]))
      expect([picture.at(100, 100), picture.at(400, 100)]).toEqual([colorOf('1/0/0'), [0, 0, 0, 0]])
      const broken = await createBasemap({ url: `${url}/broken/{z}/{x}/{y}.png` })
      expect(await failure(imagePath(broken, square))).toEqual([
        503,
        'external/answer',
        expect.stringContaining('returned status 500'),
      ])
    })

    test('base maps in degrees and in EPSG:3395 are reprojected; in others they are refused', async () => {
      const { url } = await service(answerTile)
      const record = (epsg: number) =>
        JSON.stringify({ url: `${url}/epsg${epsg}/{z}/{x}/{y}.png`, epsg, y_origin_top: true })
      const degrees = await createBasemap({ qms: record(4326) })
      // 512 pixels around the world are zoom level 0, with two tiles.
      const world = await readPicture(admin, imagePath(degrees, [-half, -half, half, half], [512, 512]))
      expect([world.at(100, 256), world.at(400, 256)]).toEqual([colorOf('0/0/0'), colorOf('0/1/0')])
      const ellipsoid = await createBasemap({ qms: record(3395) })
      const near = await readPicture(admin, imagePath(ellipsoid, [-half, 0, half, half], [512, 256]))
      expect(near.at(100, 200)).toEqual(colorOf('1/0/0'))
      const other = await createBasemap({ qms: record(25832) })
      expect(await failure(imagePath(other, square))).toEqual([
        422,
        'render/unsupported',
        expect.stringContaining('has tiles in EPSG:25832'),
      ])
    })
  },
  { allowPrivateAddresses: true },
)

describeServer('services in private networks', (start) => {
  test('are not asked for images', async () => {
    const { admin } = await start()
    const { url, requests } = await service(answerTile)
    const id = await createResource(admin, {
      ...{ cls: 'basemap_layer', name: nextName() },
      members: { basemap_layer: { url: `${url}/{z}/{x}/{y}.png` } },
    })
    const answer = await admin('GET', imagePath(id, square))
    expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([422, 'external/refused'])
    expect(requests).toEqual([])
  })
})
