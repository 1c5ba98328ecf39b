import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createTestLayer, publishLayer } from '../../support/layers.ts'
import { type Ask, describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const half = 20_037_508.342789244
const tile = '/api/component/render/tile'
const image = '/api/component/render/image'

let names = 0

/** A layer with features, and a style in MapServer XML. */
async function createStyled(
  server: TestServer,
  geometryType: 'POINT' | 'LINESTRING' | 'POLYGON' | 'MULTIPOLYGON',
  { features, style }: { readonly features: readonly object[]; readonly style?: string },
): Promise<{ readonly layer: number; readonly style: number }> {
  names += 1
  const layer = await createTestLayer(server.database, {
    name: `drawn ${names}`,
    geometryType,
    fields: { kind: 'STRING' },
  })
  const answer = await server.admin('PATCH', `/api/resource/${layer}/feature/`, features)
  if (answer.status !== 200) throw new Error(await answer.text())
  const id = await createResource(server.admin, {
    cls: 'mapsrv_style',
    parent: layer,
    name: `style ${names}`,
    members: { mapsrv_style: style === undefined ? {} : { xml: `<map><layer>${style}</layer></map>` } },
  })
  return { layer, style: id }
}

interface Picture {
  readonly width: number
  /** Red, green, blue and alpha of a pixel. */
  readonly at: (x: number, y: number) => number[]
}

async function readPicture(ask: Ask, path: string): Promise<Picture> {
  const answer = await ask('GET', path)
  expect(answer.status, answer.status === 200 ? '' : await answer.clone().text()).toBe(200)
  expect(answer.headers.get('content-type')).toBe('image/png')
  const { data, info } = await sharp(Buffer.from(await answer.arrayBuffer()))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return {
    width: info.width,
    at: (x, y) => [...data.subarray(4 * (y * info.width + x), 4 * (y * info.width + x) + 4)],
  }
}

const fill = (red: number, green: number, blue: number) =>
  `<class><style><color red="${red}" green="${green}" blue="${blue}"/></style></class>`

const box = (minX: number, minY: number, maxX: number, maxY: number) =>
  `POLYGON((${minX} ${minY},${maxX} ${minY},${maxX} ${maxY},${minX} ${maxY},${minX} ${minY}))`

const half256 = (2 * half) / 256

describeServer('raster tiles', (start) => {
  test('show the features of a style in its colours, transparent elsewhere', async () => {
    const server = await start()
    const features = [{ geom: box(-half, 0, 0, half), fields: { kind: 'a' } }]
    const { style } = await createStyled(server, 'POLYGON', { features, style: fill(10, 200, 30) })
    const picture = await readPicture(server.admin, `${tile}?z=0&x=0&y=0&resource=${style}`)
    expect(picture.width).toBe(256)
    expect(picture.at(64, 64)).toEqual([10, 200, 30, 255])
    expect(picture.at(192, 64)).toEqual([0, 0, 0, 0])
  })

  test('show symbols on both sides of the antimeridian', async () => {
    const server = await start()
    // Sixteen pixels wide, and at zoom level 2 a pixel is 39 km wide.
    const wide =
      '<class><style><color red="255" green="0" blue="0"/><size>16</size><width>16</width></style></class>'
    const layers = [
      ['POINT', `POINT(${half - 1000} 1e6)`, `POINT(${1000 - half} 1e6)`],
      [
        'LINESTRING',
        `LINESTRING(${half - 1000} 2e5,${half - 1000} 2e6)`,
        `LINESTRING(${1000 - half} 2e5,${1000 - half} 2e6)`,
      ],
    ] as const
    for (const [type, east, west] of layers)
      for (const geom of [east, west]) {
        const { layer, style } = await createStyled(server, type, { features: [], style: wide })
        const drawn = async (x: number) => {
          const picture = await readPicture(server.admin, `${tile}?z=2&x=${x}&y=1&resource=${style}`)
          const row = 256 - Math.round(1e6 / (half / 512))
          return [0, 4, 12, 243, 251, 255].map((column) => picture.at(column, row)[3])
        }
        const nothing = [0, 0, 0, 0, 0, 0]
        expect([await drawn(0), await drawn(3)]).toEqual([nothing, nothing])
        // Both tiles are drawn again, though the feature lies in one of them.
        await server.admin('POST', `/api/resource/${layer}/feature/`, { geom })
        expect([await drawn(0), await drawn(3)]).toEqual([
          [255, 255, 0, 0, 0, 0],
          [0, 0, 0, 0, 255, 255],
        ])
        expect(await drawn(1)).toEqual(nothing)
      }
  })

  test('draw resources from lower to upper, in the given order', async () => {
    const server = await start()
    const features = [{ geom: box(-half, -half, half, half) }]
    const red = await createStyled(server, 'POLYGON', { features, style: fill(255, 0, 0) })
    const blue = await createStyled(server, 'POLYGON', { features, style: fill(0, 0, 255) })
    const colorOf = async (ids: string) =>
      (await readPicture(server.admin, `${tile}?z=1&x=0&y=1&resource=${ids}`)).at(5, 5)
    expect(await colorOf(`${red.style},${blue.style}`)).toEqual([0, 0, 255, 255])
    expect(await colorOf(`${blue.style},${red.style}`)).toEqual([255, 0, 0, 255])
  })

  test('choose the class of each feature by its attributes', async () => {
    const server = await start()
    const classes = `<classitem>kind</classitem><class><expression>a</expression><style><color>#ff0000</color></style></class>
      <class><expression>b</expression><style><color>#00ff00</color></style></class>`
    const { style } = await createStyled(server, 'POLYGON', {
      features: [
        { geom: box(-half, 0, 0, half), fields: { kind: 'a' } },
        { geom: box(0, 0, half, half), fields: { kind: 'b' } },
        { geom: box(0, -half, half, 0), fields: { kind: 'c' } },
      ],
      style: classes,
    })
    const picture = await readPicture(server.admin, `${tile}?z=0&x=0&y=0&resource=${style}`)
    expect([picture.at(64, 64), picture.at(192, 64), picture.at(192, 192)]).toEqual([
      [255, 0, 0, 255],
      [0, 255, 0, 255],
      [0, 0, 0, 0],
    ])
  })

  test('leave no seam between neighbours, along any common edge', async () => {
    const server = await start()
    const features = [
      {
        geom: `POLYGON((-${half} -${half},-${half} ${half},${half / 3} ${half},-${half / 5} -${half},-${half} -${half}))`,
      },
      {
        geom: `POLYGON((${half} -${half},${half} ${half},${half / 3} ${half},-${half / 5} -${half},${half} -${half}))`,
      },
    ]
    const { style } = await createStyled(server, 'POLYGON', { features, style: fill(0, 100, 200) })
    const picture = await readPicture(server.admin, `${tile}?z=0&x=0&y=0&resource=${style}`)
    const colors = new Set(
      Array.from({ length: 256 * 256 }, (_, at) => String(picture.at(at % 256, Math.floor(at / 256)))),
    )
    expect([...colors]).toEqual(['0,100,200,255'])
  })

  test('draw no outline along the edges of the world', async () => {
    const server = await start()
    const style = '<class><style><outlinecolor>#ff0000</outlinecolor><width>6</width></style></class>'
    const made = await createStyled(server, 'POLYGON', {
      features: [{ geom: box(-half, -half, half, 0) }],
      style,
    })
    for (const [path, size] of [
      [`${tile}?z=0&x=0&y=0`, 256],
      [`${image}?extent=${-half},${-half},${half},${half}&size=300,300`, 300],
    ] as const) {
      const picture = await readPicture(server.admin, `${path}&resource=${made.style}`)
      expect(picture.at(100, size / 2)).toEqual([255, 0, 0, 255])
      for (const [x, y] of [
        [0, size - 40],
        [size - 1, size - 40],
        [100, size - 1],
      ] as const)
        expect(picture.at(x, y)).toEqual([0, 0, 0, 0])
    }
  })

  test('draw markers whose point lies in the next tile', async () => {
    const server = await start()
    const { style } = await createStyled(server, 'POINT', {
      features: [{ geom: `POINT(${half256 / 2} ${half / 2})` }],
      style: '<class><style><color>#ff0000</color><size>20</size></style></class>',
    })
    const west = await readPicture(server.admin, `${tile}?z=1&x=0&y=0&resource=${style}`)
    const east = await readPicture(server.admin, `${tile}?z=1&x=1&y=0&resource=${style}`)
    expect([west.at(255, 128), east.at(0, 128), east.at(5, 128)]).toEqual(Array(3).fill([255, 0, 0, 255]))
    expect(west.at(240, 128)).toEqual([0, 0, 0, 0])
  })

  test('have the status of nd where nothing is drawn: 200 with a transparent image, 204 or 404 without a body', async () => {
    const server = await start()
    const { style } = await createStyled(server, 'POINT', { features: [{ geom: 'POINT(-9000000 9000000)' }] })
    const path = `${tile}?z=3&x=7&y=7&resource=${style}`
    const picture = await readPicture(server.admin, path)
    expect(picture.at(100, 100)).toEqual([0, 0, 0, 0])
    for (const nd of [204, 404]) {
      const answer = await server.admin('GET', `${path}&nd=${nd}`)
      expect([answer.status, await answer.text()]).toEqual([nd, ''])
    }
    expect((await server.admin('GET', `${path}&nd=500`)).status).toBe(422)
    const drawn = await server.admin('GET', `${tile}?z=0&x=0&y=0&nd=404&resource=${style}`)
    expect(drawn.status).toBe(200)
  })

  test('of a layer have the default style', async () => {
    const server = await start()
    const { layer } = await createStyled(server, 'POLYGON', {
      features: [{ geom: box(-half, -half, half, half) }],
    })
    const picture = await readPicture(server.admin, `${tile}?z=2&x=1&y=1&resource=${layer}`)
    expect(picture.at(128, 128)).toEqual([0xa6, 0xce, 0xe3, 255])
  })

  test('require data.read on every resource, for guests too', async () => {
    const server = await start()
    const features = [{ geom: box(-half, -half, half, half) }]
    const open = await createStyled(server, 'POLYGON', { features })
    const closed = await createStyled(server, 'POLYGON', { features })
    const path = `${tile}?z=0&x=0&y=0&resource=`
    expect((await server.guest('GET', `${path}${open.layer}`)).status).toBe(403)
    await publishLayer(server.database, open.layer)
    expect((await server.guest('GET', `${path}${open.layer}`)).status).toBe(200)
    expect((await server.guest('GET', `${path}${open.layer},${closed.style}`)).status).toBe(403)
    expect((await server.admin('GET', `${path}999999`)).status).toBe(404)
  })

  test('have an entity tag, which changes with data and style', async () => {
    const server = await start()
    const { layer, style } = await createStyled(server, 'POLYGON', {
      features: [{ geom: box(0, 0, half, half) }],
    })
    const path = `${tile}?z=0&x=0&y=0&resource=${style}`
    const tagOf = async () => {
      const answer = await server.admin('GET', path)
      expect(answer.headers.get('cache-control')).toBe('private, no-cache')
      await answer.arrayBuffer()
      return answer.headers.get('etag') ?? ''
    }
    const first = await tagOf()
    const unchanged = await server.admin('GET', path, undefined, { 'if-none-match': first })
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
    await server.admin('POST', `/api/resource/${layer}/feature/`, { geom: box(-half, -half, 0, 0) })
    const second = await tagOf()
    const xml = `<map><layer>${fill(1, 2, 3)}</layer></map>`
    expect((await server.admin('PUT', `/api/resource/${style}`, { mapsrv_style: { xml } })).status).toBe(200)
    const third = await tagOf()
    expect(new Set([first, second, third]).size).toBe(3)
    const picture = await readPicture(server.admin, path)
    expect([picture.at(200, 20), picture.at(20, 200)]).toEqual(Array(2).fill([1, 2, 3, 255]))
  })
})

describeServer('images', (start) => {
  test('of several tiles are exactly those tiles', async () => {
    const server = await start()
    const features = Array.from({ length: 40 }, (_, at) => {
      const [x, y] = [Math.sin(at * 7) * half, Math.cos(at * 3) * half]
      return { geom: `LINESTRING(${x} ${y},${-y} ${x / 2},${x / 3} ${-y / 2})` }
    })
    const style = '<class><style><color>#2040a0</color><width>3.3</width></style></class>'
    const made = await createStyled(server, 'LINESTRING', { features, style })
    const whole = await readPicture(
      server.admin,
      `${image}?extent=${-half},${-half},${half},${half}&size=512,512&cache=false&resource=${made.style}`,
    )
    for (const [x, y] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ] as const) {
      const part = await readPicture(server.admin, `${tile}?z=1&x=${x}&y=${y}&resource=${made.style}`)
      const differing = Array.from(
        { length: 256 * 256 },
        (_, at) => [at % 256, Math.floor(at / 256)] as const,
      ).filter(
        ([column, row]) => String(part.at(column, row)) !== String(whole.at(256 * x + column, 256 * y + row)),
      )
      expect(differing).toEqual([])
    }
  })

  test('stretch an extent to a size of other proportions', async () => {
    const server = await start()
    const features = [{ geom: box(-1000, 0, 1000, 500) }]
    const { style } = await createStyled(server, 'POLYGON', { features, style: fill(9, 9, 9) })
    const picture = await readPicture(
      server.admin,
      `${image}?extent=-1000,-500,1000,500&size=50,100&resource=${style}`,
    )
    expect([picture.width, picture.at(0, 0), picture.at(49, 48), picture.at(0, 51)]).toEqual([
      50,
      [9, 9, 9, 255],
      [9, 9, 9, 255],
      [0, 0, 0, 0],
    ])
  })

  test('of the largest size are drawn', async () => {
    const server = await start()
    const features = [{ geom: box(-half, -half, half, half) }]
    const { style } = await createStyled(server, 'POLYGON', { features, style: fill(9, 9, 9) })
    const answer = await server.admin('GET', `${image}?extent=0,0,81920,6000&size=8192,600&resource=${style}`)
    const { width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
    expect([width, height]).toEqual([8192, 600])
  })

  test.each([
    ['size=100000,10&extent=0,0,1,1', 'expected at most 8192'],
    ['size=0,10&extent=0,0,1,1', 'expected at least 1'],
    ['size=10&extent=0,0,1,1', 'expected width,height'],
    ['extent=0,0,1,1', '\\"size\\"'],
    ['size=10,10', '\\"extent\\"'],
    ['size=10,10&extent=0,0,0,0', 'has no area'],
    ['size=10,10&extent=1,1,0,0', 'has no area'],
    ['size=64,64&extent=0,0,1e9,1', 'a pixel would have 15625000 × 0.015625 units'],
    ['size=64,64&extent=0,0,1,1e9', 'a pixel would have'],
    ['size=10,10&extent=1e-320,0,1e-319,1e-319', 'a pixel would have'],
    ['size=10,10&extent=0,0,1', 'expected minx,miny,maxx,maxy'],
    ['size=10,10&extent=0,0,NaN,1', 'extent'],
    ['size=10,10&extent=-1e300,-1e300,1e300,1e300', 'expected numbers from'],
    ['size=10,10&extent=0,0,1e999,1', 'extent'],
  ])('refuse %s: %s', async (query, message) => {
    const server = await start()
    const { layer } = await createStyled(server, 'POINT', { features: [] })
    const answer = await server.admin('GET', `${image}?${query}&resource=${layer}`)
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(message)])
  })

  test('refuse resources that cannot be rendered, by name', async () => {
    const server = await start()
    const query = 'extent=0,0,1,1&size=1,1'
    expect((await server.admin('GET', `${image}?${query}`)).status).toBe(422)
    const group = await createResource(server.admin, { cls: 'resource_group', name: 'Not drawn' })
    const answer = await server.admin('GET', `${image}?${query}&resource=${group}`)
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('Resource group')])
    const ids = Array.from({ length: 1000 }, (_, at) => at).join()
    expect((await server.admin('GET', `${image}?${query}&resource=${ids}`)).status).toBe(422)
    for (const place of ['z=3&x=8&y=0', 'z=25&x=0&y=0', 'z=0&x=-1&y=0', 'z=&x=0&y=0'])
      expect((await server.admin('GET', `${tile}?${place}&resource=${group}`)).status).toBe(422)
  })
})

describeServer('QML styles', (start) => {
  test('are drawn with the symbols of their categories', async () => {
    const server = await start()
    const features = [
      { geom: box(-half, 0, 0, half), fields: { kind: 'a' } },
      { geom: box(0, 0, half, half), fields: { kind: 'b' } },
    ]
    const { layer } = await createStyled(server, 'POLYGON', { features })
    const symbol = (name: string, color: string) =>
      `<symbol type="fill" name="${name}" alpha="1"><layer class="SimpleFill" enabled="1" pass="0">
        <prop k="color" v="${color}"/><prop k="style" v="solid"/><prop k="outline_style" v="no"/></layer></symbol>`
    const qml = `<qgis version="3.22"><renderer-v2 type="categorizedSymbol" attr="kind" symbollevels="0"><categories>
      <category value="a" symbol="0" label="a" render="true"/><category value="b" symbol="1" label="b" render="true"/>
      </categories><symbols>${symbol('0', '200,10,10,255')}${symbol('1', '0,0,255,128')}</symbols></renderer-v2></qgis>`
    const style = await createResource(server.admin, {
      cls: 'desk_vector_style',
      parent: layer,
      name: 'QML',
      members: { desk_vector_style: { qml } },
    })
    const picture = await readPicture(server.admin, `${tile}?z=0&x=0&y=0&resource=${style}`)
    expect([picture.at(64, 64), picture.at(192, 64)]).toEqual([
      [200, 10, 10, 255],
      [0, 0, 255, 128],
    ])
  })
})
