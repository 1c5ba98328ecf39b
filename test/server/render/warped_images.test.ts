import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { imagePath, type Picture, readPicture } from '../../support/picture.ts'
import { makeRaster } from '../../support/raster.ts'
import { uploadContent } from '../../support/samples.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'
import { useService } from '../../support/wms.ts'

const half = 20_037_508.342789244
const run = promisify(execFile)
const startService = useService()

/** The longitudes that a request for a tile or map shows, in its reference system, and its size. */
function readRequest(address = '') {
  const { pathname, searchParams } = new URL(address, 'http://localhost')
  const parameters = new Map([...searchParams].map(([name, value]) => [name.toUpperCase(), value]))
  const [z = 0, x = 0] = pathname.split('/').slice(-3).map(Number.parseFloat)
  const side = (2 * half) / 2 ** z
  const bbox = parameters.get('BBOX')?.split(',').map(Number)
  if (bbox === undefined)
    return { west: x * side - half, east: (x + 1) * side - half, size: [256, 256], isDegrees: false } as const
  const isDegrees = parameters.get('CRS') === 'EPSG:4326'
  const [west = 0, east = 0] = isDegrees ? [bbox[1], bbox[3]] : [bbox[0], bbox[2]]
  const size = [Number(parameters.get('WIDTH')), Number(parameters.get('HEIGHT'))] as const
  return { west, east, size, isDegrees }
}

/** Answers with a tile or map that is blue in the west of 9.2 degrees, and red in the east. */
const answerHalves: RequestListener = async (request, response) => {
  const { west, east, size, isDegrees } = readRequest(request.url)
  const edge = isDegrees ? 9.2 : (9.2 / 180) * half
  const [width, height] = size
  const data = Buffer.alloc(4 * width * height)
  for (let at = 0; at < width * height; at += 1) {
    const isEast = west + (((at % width) + 0.5) * (east - west)) / width > edge
    data.set(isEast ? [255, 0, 0, 255] : [0, 0, 255, 255], 4 * at)
  }
  const image = await sharp(data, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer()
  response.writeHead(200, { 'content-type': 'image/png' }).end(image)
}

interface View {
  readonly srs: number
  readonly box: readonly number[]
  readonly size: readonly [number, number]
}

/** Draws a GeoTIFF in EPSG:3857 with gdalwarp. */
async function warpByGdal(source: Buffer, { srs, box, size }: View, method: string): Promise<Picture> {
  const folder = await mkdtemp(join(tmpdir(), 'landform-warp-'))
  try {
    const [from, to] = [join(folder, 'from.tif'), join(folder, 'to.tif')]
    await writeFile(from, source)
    await run('gdalwarp', [
      ...[
        '-q',
        '-s_srs',
        'EPSG:3857',
        '-t_srs',
        `EPSG:${srs}`,
        '-te',
        ...box.map(String),
        '-ts',
        ...size.map(String),
      ],
      ...['-r', method, '-dstalpha', '-et', '0', from, to],
    ])
    const { data, info } = await sharp(await readFile(to))
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const { width, height } = info
    return { width, height, at: (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)] }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns the part of the pixels that differ by more than a tolerance, and the part that has colours. */
function compare(ours: Picture, theirs: Picture, tolerance: number) {
  expect([ours.width, ours.height]).toEqual([theirs.width, theirs.height])
  let [different, opaque] = [0, 0]
  for (let y = 0; y < ours.height; y += 1)
    for (let x = 0; x < ours.width; x += 1) {
      const [a, b] = [ours.at(x, y), theirs.at(x, y)]
      if (b[3] === 255) opaque += 1
      const isSame =
        a[3] === b[3] && (b[3] === 0 || a.every((value, at) => Math.abs(value - (b[at] ?? 0)) <= tolerance))
      if (!isSame) different += 1
    }
  const all = ours.width * ours.height
  return { different: different / all, opaque: opaque / all }
}

const region = makeRaster({
  ...{ srs: 3857, geoTransform: [1e6, 100, 0, 6e6, 0, -100], width: 400, height: 400 },
  value: (band, column, row) => (band * 60 + ((column >> 3) + (row >> 3)) * 9) % 256,
})

const world = makeRaster({
  ...{ srs: 3857, geoTransform: [-half, half / 256, 0, half, 0, -half / 256], width: 512, height: 512 },
  value: (band, column, row) => (band === 1 ? column >> 1 : band === 2 ? row >> 1 : 90),
})

const views: readonly (readonly [string, Buffer, View])[] = [
  ['degrees', region, { srs: 4326, box: [8.95, 47.05, 9.2, 47.3], size: [500, 500] }],
  [
    'degrees, with pixels that are not square',
    region,
    { srs: 4326, box: [8.95, 47.05, 9.2, 47.3], size: [500, 420] },
  ],
  ['UTM', region, { srs: 32_632, box: [497_000, 5_214_000, 517_000, 5_234_000], size: [400, 400] }],
  [
    'an equal-area projection',
    region,
    { srs: 3035, box: [4.25e6, 2.655e6, 4.27e6, 2.675e6], size: [400, 400] },
  ],
  ['the far north around the pole', world, { srs: 3995, box: [-4e6, -4e6, 4e6, 4e6], size: [256, 256] }],
  ['the whole world in degrees', world, { srs: 4326, box: [-180, -90, 180, 90], size: [512, 256] }],
  [
    'the sphere seen from above Greenland',
    world,
    { srs: 3408, box: [-9e6, -9e6, 9e6, 9e6], size: [256, 256] },
  ],
]

describeServer(
  'rasters and other services in other reference systems',
  (start) => {
    let admin: Ask
    const styles = new Map<string, number>()
    beforeAll(async () => {
      admin = (await start()).admin
      for (const [name, content] of [
        ['region', region],
        ['world', world],
      ] as const) {
        const source = await uploadContent(admin, content)
        const layer = await createResource(admin, {
          ...{ cls: 'raster_layer', name: `warped ${name}` },
          members: { raster_layer: { source } },
        })
        for (const resampling of ['nearest', 'bilinear']) {
          const style = await createResource(admin, {
            ...{ cls: 'raster_style', parent: layer, name: `warped ${name} ${resampling}` },
            members: { raster_style: { resampling } },
          })
          styles.set(`${name} ${resampling}`, style)
        }
      }
    })

    const pathOf = (id: number, { srs, box, size }: View) => `${imagePath(id, box, size)}&srs=${srs}`

    test.each(views)('rasters are drawn in %s as gdalwarp draws them', async (_, source, view) => {
      const name = source === region ? 'region' : 'world'
      const nearest = await readPicture(admin, pathOf(styles.get(`${name} nearest`) ?? 0, view))
      const found = compare(nearest, await warpByGdal(source, view, 'near'), 2)
      expect(found.opaque).toBeGreaterThan(0.2)
      // Positions are interpolated, and the nearest pixel may be the next one.
      expect(found.different).toBeLessThan(0.03)
    })

    test('rasters are interpolated where their style says so', async () => {
      const view: View = { srs: 32_632, box: [505_000, 5_222_000, 513_000, 5_230_000], size: [400, 400] }
      const smooth = await readPicture(admin, pathOf(styles.get('region bilinear') ?? 0, view))
      const found = compare(smooth, await warpByGdal(region, view, 'bilinear'), 6)
      expect(found.opaque).toBe(1)
      expect(found.different).toBeLessThan(0.02)
    })

    test('an image outside of the raster, or of its reference system, is empty', async () => {
      const id = styles.get('region nearest') ?? 0
      for (const [srs, box] of [
        [32_632, [700_000, 1e6, 710_000, 1_010_000]],
        [4326, [100, -60, 110, -50]],
        [32_632, [1e8, 1e8, 2e8, 2e8]],
        [4326, [-1e6, -1e6, 1e6, 1e6]],
      ] as const) {
        const answer = await admin('GET', `${pathOf(id, { srs, box, size: [64, 64] })}&nd=204`)
        expect([srs, box[0], answer.status]).toEqual([
          srs,
          box[0],
          box[0] === -1e6 ? expect.any(Number) : 204,
        ])
        expect(answer.status).toBeLessThan(500)
      }
    })

    test('a WMS layer and a base map lie where the raster lies', async () => {
      const service = await startService()
      service.answer = answerHalves
      const connection = await createResource(admin, {
        ...{ cls: 'wmsclient_connection', name: 'warped service' },
        members: { wmsclient_connection: { url: service.url, version: '1.3.0' } },
      })
      const createWms = (srs: number) =>
        createResource(admin, {
          ...{ cls: 'wmsclient_layer', name: `warped service ${srs}` },
          members: {
            wmsclient_layer: {
              ...{ connection: { id: connection }, srs: { id: srs } },
              ...{ imgformat: 'image/png', wmslayers: 'a' },
            },
          },
        })
      const base = await createResource(admin, {
        ...{ cls: 'basemap_layer', name: 'warped base map' },
        members: { basemap_layer: { url: `${service.url}/{z}/{x}/{y}.png` } },
      })
      // 9.2 degrees east is at easting 515 191 at 47.2 degrees north.
      const view: View = { srs: 32_632, box: [505_191, 5_217_000, 525_191, 5_237_000], size: [200, 200] }
      for (const id of [await createWms(3857), await createWms(4326), base]) {
        const picture = await readPicture(admin, pathOf(id, view))
        expect([20, 90, 110, 180].map((x) => picture.at(x, 100))).toEqual([
          ...[0, 1].map(() => [0, 0, 255, 255]),
          ...[0, 1].map(() => [255, 0, 0, 255]),
        ])
        const degrees = await readPicture(
          admin,
          pathOf(id, { srs: 4326, box: [9, 47, 9.4, 47.4], size: [200, 200] }),
        )
        expect([20, 98, 102, 180].map((x) => degrees.at(x, 100)[0])).toEqual([0, 0, 255, 255])
      }
    })
  },
  { allowPrivateAddresses: true },
)
