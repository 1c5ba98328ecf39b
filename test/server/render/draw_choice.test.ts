import { beforeAll, expect, test } from 'vitest'
import { createTestLayer } from '../../support/layers.ts'
import { imagePath, readPicture } from '../../support/picture.ts'
import { makeRaster } from '../../support/raster.ts'
import { uploadContent } from '../../support/samples.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const half = 20_037_508.342789244

const square = `<map><layer><labelitem>name</labelitem><class><style><color red="255" green="0" blue="0"/>
  <symbol>std:rectangle</symbol><size>12</size></style></class></layer></map>`

const red = [255, 0, 0, 255]

describeServer('filters of images', (start) => {
  let admin: Ask
  let layer: number
  let style: number
  beforeAll(async () => {
    const server = await start()
    admin = server.admin
    layer = await createTestLayer(server.database, {
      name: 'Filtered',
      geometryType: 'POINT',
      fields: { kind: 'STRING', size: 'INTEGER', day: 'DATE' },
    })
    // Four points, 64 pixels apart in an image of 256 m.
    const features = [
      { geom: 'POINT(32 128)', fields: { kind: 'a', size: 1, day: '2026-01-31' } },
      { geom: 'POINT(96 128)', fields: { kind: 'b', size: 2, day: null } },
      { geom: 'POINT(160 128)', fields: { kind: "c'", size: 3, day: null } },
      { geom: 'POINT(224 128)', fields: { kind: null, size: null, day: null } },
    ]
    const answer = await admin('PATCH', `/api/resource/${layer}/feature/?dt_format=iso`, features)
    expect(answer.status).toBe(200)
    style = await createResource(admin, {
      ...{ cls: 'mapsrv_style', parent: layer, name: 'Filtered style' },
      members: { mapsrv_style: { xml: square } },
    })
  })

  const extent = [0, 0, 256, 256]
  const path = (filter: unknown, name = `filter[${style}]`) =>
    `${imagePath(style, extent)}&${encodeURIComponent(name)}=${encodeURIComponent(
      typeof filter === 'string' ? filter : JSON.stringify(filter),
    )}`
  /** Which of the four points are drawn. */
  const draw = async (address: string) => {
    const picture = await readPicture(admin, address)
    return [32, 96, 160, 224].flatMap((x, at) => (picture.at(x, 128)[3] === 0 ? [] : [at + 1]))
  }
  const get = (name: string) => ['get', name]

  test.each([
    ['no condition', [], [1, 2, 3, 4]],
    ['null', null, [1, 2, 3, 4]],
    ['a string', ['==', get('kind'), 'a'], [1]],
    ['a string with a quote', ['==', get('kind'), "c'"], [3]],
    ['a number', ['>=', get('size'), 2], [2, 3]],
    ['a number as a string', ['<', get('size'), '2'], [1]],
    ['another value, null left out', ['!=', get('kind'), 'a'], [2, 3]],
    ['null values', ['==', get('kind'), null], [4]],
    ['values that are not null', ['!is_null', get('kind')], [1, 2, 3]],
    ['a list', ['in', get('kind'), ['a', 'b']], [1, 2]],
    ['an empty list', ['in', get('kind'), []], []],
    ['others than a list', ['!in', get('size'), [1, 2]], [3]],
    ['a pattern', ['ilike', get('kind'), 'C%'], [3]],
    ['a date', ['==', get('day'), '2026-01-31'], [1]],
    ['ids', ['<', ['fid'], 3], [1, 2]],
    ['the id by its name', ['in', get('id'), [4, 1]], [1, 4]],
    ['all conditions', ['all', ['>', get('size'), 1], ['==', get('kind'), 'b']], [2]],
    ['any condition', ['any', ['==', get('size'), 3], ['is_null', get('size')]], [3, 4]],
    ['any of none', ['any', []], [1, 2, 3, 4]],
  ])('draw features with %s', async (_, filter, drawn) => {
    expect(await draw(path(filter))).toEqual(drawn)
  })

  test.each([
    ['text that is not JSON', '["==",'],
    ['an object', { kind: 'a' }],
    ['an unknown operator', ['===', get('kind'), 'a']],
    ['an unknown field', ['==', get('kid'), 'a']],
    ['a field without get', ['==', 'kind', 'a']],
    ['a value of the wrong type', ['==', get('size'), 'many']],
    ['a date that does not exist', ['==', get('day'), '2026-02-30']],
    ['a list as a value', ['==', get('size'), [1]]],
    ['too few operands', ['==', get('size')]],
    ['deep nesting', Array.from({ length: 40 }).reduce((item) => ['all', item], ['is_null', get('kind')])],
    ['too many values', ['in', get('size'), Array.from({ length: 1001 }, () => 1)]],
  ])('refuse %s', async (_, filter) => {
    const answer = await admin('GET', path(filter))
    expect(answer.status, await answer.clone().text()).toBe(422)
    expect(await answer.text()).not.toContain('SQL')
  })

  test('suggest the field that was meant', async () => {
    const answer = await admin('GET', path(['==', get('knd'), 'a']))
    expect(await answer.json()).toMatchObject({
      message: expect.stringContaining(`filter[${style}]: the layer`),
    })
  })

  test('hold for tiles, neither taken from the cache nor put into it', async () => {
    const tile = `/api/component/render/tile?z=17&x=65536&y=65535&resource=${style}`
    const address = `${tile}&filter[${style}]=${encodeURIComponent(JSON.stringify(['==', get('kind'), 'b']))}`
    const count = async (one: string) => {
      const picture = await readPicture(admin, one)
      const all = Array.from({ length: 2 ** 16 }, (_, at) => picture.at(at % 256, at >> 8))
      return all.filter((pixel) => pixel.join() === red.join()).length
    }
    const whole = await count(tile)
    expect(await count(address)).toBeLessThan(whole)
    expect(await count(tile)).toBe(whole)
    const [plain, filtered] = [await admin('GET', tile), await admin('GET', address)]
    expect(plain.headers.get('etag')).not.toBe(filtered.headers.get('etag'))
  })

  test('hold for images in other reference systems', async () => {
    // The same image in degrees: 111,319.49 m each at the equator.
    const degrees = extent.map((metres) => metres / 111_319.490_793)
    const address = path(['==', get('kind'), 'b']).replace(extent.join(), degrees.join())
    expect(await draw(`${address}&srs=4326`)).toEqual([2])
  })

  test('are ignored for resources that are not drawn, and refused for those without features', async () => {
    expect(await draw(path(['is_null', get('kind')], 'filter[999999]'))).toEqual([1, 2, 3, 4])
    const source = await uploadContent(
      admin,
      makeRaster({ srs: 3857, geoTransform: [0, 1, 0, 256, 0, -1], bands: 1 }),
    )
    const raster = await createResource(admin, {
      ...{ cls: 'raster_layer', name: 'Raster without features' },
      members: { raster_layer: { source } },
    })
    const answer = await admin(
      'GET',
      `${imagePath(raster, extent)}&filter[${raster}]=${encodeURIComponent('["==",["fid"],1]')}`,
    )
    expect(answer.status).toBe(422)
    expect(await answer.text()).toContain('has no features')
  })

  test('leave out the labels of other features', async () => {
    const count = async (address: string) => {
      const picture = await readPicture(admin, address)
      let coloured = 0
      for (let at = 0; at < 2 ** 16; at += 1) if (picture.at(at % 256, at >> 8)[3] !== 0) coloured += 1
      return coloured
    }
    const one = await count(path(['==', get('kind'), 'a']))
    expect(one).toBeGreaterThan(0)
    expect(await count(path([]))).toBeGreaterThan(3 * one)
  })
})

describeServer('debug outlines of images', (start) => {
  let admin: Ask
  let layer: number
  beforeAll(async () => {
    const server = await start()
    admin = server.admin
    layer = await createTestLayer(server.database, { name: 'Empty', geometryType: 'POINT', fields: {} })
  })

  const isRed = (pixel: number[]) => pixel.join() === red.join()

  test('surround the tiles of an image at a zoom level, each with its name', async () => {
    const extent = [-half / 2, -half / 2, half / 2, half / 2]
    const picture = await readPicture(admin, `${imagePath(layer, extent)}&tdi=yes`)
    const lines = [0, 64, 127, 128, 192].map((x) => isRed(picture.at(x, 40)))
    expect(lines).toEqual([false, false, true, true, false])
    const named = [0, 1].flatMap((row) =>
      [0, 1].map((column) => {
        let pixels = 0
        for (let y = 3; y < 20; y += 1)
          for (let x = 3; x < 40; x += 1)
            if (picture.at(x + 128 * column, y + 128 * row)[3] !== 0) pixels += 1
        return pixels > 10
      }),
    )
    expect(named).toEqual([true, true, true, true])
  })

  test.each([
    ['at another resolution', [0, 0, 1000, 1000], ''],
    ['with other pixels than squares', [0, 0, 100, 1000], ''],
    ['in another reference system', [0, 0, 10, 10], '&srs=4326'],
  ])('surround an image %s', async (_, extent, more) => {
    const picture = await readPicture(admin, `${imagePath(layer, extent)}&tdi=yes${more}`)
    expect([0, 255].flatMap((at) => [isRed(picture.at(at, 100)), isRed(picture.at(100, at))])).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(picture.at(200, 200)[3]).toBe(0)
  })

  test('are not drawn otherwise, and not cached', async () => {
    const address = imagePath(layer, [0, 0, 1000, 1000])
    for (const more of ['&tdi=yes', '', '&tdi=no']) {
      const picture = await readPicture(admin, `${address}${more}`)
      expect(isRed(picture.at(0, 100))).toBe(more === '&tdi=yes')
    }
    expect((await admin('GET', `${address}&tdi=perhaps`)).status).toBe(422)
  })

  test('fit images of two device pixels per pixel, and images of several strips', async () => {
    const extent = [-half, -half, half, half]
    const large = await readPicture(admin, `${imagePath(layer, extent, [2048, 2048])}&tdi=yes&scale=2`)
    expect([
      large.width,
      isRed(large.at(512, 300)),
      isRed(large.at(3000, 4095)),
      isRed(large.at(700, 700)),
    ]).toEqual([4096, true, true, false])
  })
})
