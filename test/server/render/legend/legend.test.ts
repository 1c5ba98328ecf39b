import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createTestLayer } from '../../../support/layers.ts'
import { type Ask, describeServer, type TestServer } from '../../../support/server.ts'
import { createResource } from '../../../support/tree.ts'

/** Extent of the whole world in EPSG:3857. */
const half = 20_037_508.342789244

interface Symbols {
  readonly index: number
  readonly render: boolean
  readonly display_name: string
  readonly icon: { readonly format: string; readonly data: string }
}

const classXml = (name: string, color: string, more = '') =>
  `<class><name>${name}</name><expression>${name}</expression>${more}
     <style><color>${color}</color><symbol>std:rectangle</symbol><size>12</size></style></class>`

/** Classes by the field `kind`; the last one is switched off. */
const kinds = `<map><layer><classitem>kind</classitem>${classXml('a', '#ff0000')}
  ${classXml('b', '#00ff00')}${classXml('c', '#0000ff', '<status>off</status>')}</layer></map>`

let names = 0

/** A layer with a point of each kind, 90 degrees apart, and a style by kind. */
async function createKinds(server: TestServer): Promise<{ readonly layer: number; readonly style: number }> {
  names += 1
  const { admin, database } = server
  const layer = await createTestLayer(database, {
    name: `Wells ${names}`,
    geometryType: 'POINT',
    fields: { kind: 'STRING' },
  })
  const features = ['a', 'b', 'c'].map((kind, at) => ({
    geom: `POINT(${(at - 1) * (half / 2)} 0)`,
    fields: { kind },
  }))
  await admin('PATCH', `/api/resource/${layer}/feature/`, features)
  const members = { mapsrv_style: { xml: kinds } }
  const style = await createResource(admin, {
    cls: 'mapsrv_style',
    parent: layer,
    name: `Kinds ${names}`,
    members,
  })
  return { layer, style }
}

async function pixelsOf(png: Uint8Array) {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => [
    ...data.subarray(4 * (y * info.width + x), 4 * (y * info.width + x) + 4),
  ]
  return { width: info.width, height: info.height, at }
}

const bytesOf = async (ask: Ask, path: string) => {
  const answer = await ask('GET', path)
  expect(answer.status, answer.status === 200 ? '' : await answer.clone().text()).toBe(200)
  return new Uint8Array(await answer.arrayBuffer())
}

describeServer('legends', (start) => {
  test('a picture shows the symbols that are drawn, with an entity tag that changes with the style', async () => {
    const { admin, ...server } = await start()
    const { style } = await createKinds({ admin, ...server } as TestServer)
    const path = `/api/resource/${style}/legend`
    const answer = await admin('GET', path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    const { height, at } = await pixelsOf(new Uint8Array(await answer.arrayBuffer()))
    // The heading and two rows.
    expect(height).toBe(16 + 3 * 16 + 2 * 4)
    const large = await pixelsOf(await bytesOf(admin, `${path}?scale=2`))
    expect(large.height).toBe(2 * height)
    expect([large.at(2 * 13, 2 * 36), large.at(2 * 13, 2 * 56)]).toEqual([at(13, 36), at(13, 56)])
    expect([at(13, 36), at(13, 56)]).toEqual([
      [255, 0, 0, 255],
      [0, 255, 0, 255],
    ])
    const etag = answer.headers.get('etag') ?? ''
    const again = await admin('GET', path, undefined, { 'if-none-match': etag })
    expect(again.status).toBe(304)
    await admin('PUT', `/api/resource/${style}`, {
      mapsrv_style: { xml: kinds.replace('#ff0000', '#123456') },
    })
    const changed = await admin('GET', path, undefined, { 'if-none-match': etag })
    expect((await pixelsOf(new Uint8Array(await changed.arrayBuffer()))).at(13, 36)).toEqual([
      0x12, 0x34, 0x56, 255,
    ])
  })

  test('symbols have positions, captions and icons; those that are switched off are not rendered', async () => {
    const server = await start()
    const { layer, style } = await createKinds(server)
    const read = async (path: string) => (await server.admin('GET', path)).json<Symbols[]>()
    const symbols = await read(`/api/resource/${style}/legend_symbols?icon_size=20`)
    expect(symbols.map(({ index, render, display_name }) => [index, render, display_name])).toEqual([
      [0, true, 'a'],
      [1, true, 'b'],
      [2, false, 'c'],
    ])
    const icons = await Promise.all(
      symbols.map(({ icon }) => pixelsOf(new Uint8Array(Buffer.from(icon.data, 'base64')))),
    )
    expect(icons.map(({ width, at }) => [width, at(10, 10), at(0, 0)])).toEqual([
      [20, [255, 0, 0, 255], [0, 0, 0, 0]],
      [20, [0, 255, 0, 255], [0, 0, 0, 0]],
      [20, [0, 0, 255, 255], [0, 0, 0, 0]],
    ])
    const [large] = await read(`/api/resource/${style}/legend_symbols?icon_size=20&scale=2`)
    const { width, at } = await pixelsOf(new Uint8Array(Buffer.from(large?.icon.data ?? '', 'base64')))
    expect([width, at(20, 20), at(9, 9), at(6, 6)]).toEqual([
      40,
      [255, 0, 0, 255],
      [255, 0, 0, 255],
      [0, 0, 0, 0],
    ])
    const [single, ...others] = await read(`/api/resource/${layer}/legend_symbols`)
    expect([single?.display_name.startsWith('Wells'), others]).toEqual([true, []])
  })

  test('the symbols of several resources come in one answer, without those that have no legend', async () => {
    const server = await start()
    const { layer, style } = await createKinds(server)
    const table = await createResource(server.admin, { cls: 'lookup_table', name: `Table ${names}` })
    const path = `/api/component/render/legend_symbols?resources=${style},${table},${layer}`
    const { items } = await (await server.admin('GET', path)).json<{
      items: { resource: { id: number }; legend_symbols?: Symbols[] }[]
    }>()
    expect(items.map(({ resource, legend_symbols }) => [resource.id, legend_symbols?.length])).toEqual([
      [style, 3],
      [table, undefined],
      [layer, 1],
    ])
    expect((await server.admin('GET', '/api/component/render/legend_symbols')).status).toBe(422)
  })

  test('guests and other classes are refused', async () => {
    const server = await start()
    const { style } = await createKinds(server)
    const statusOf = async (ask: Ask, path: string) => (await ask('GET', path)).status
    const paths = [
      `/api/resource/${style}/legend`,
      `/api/resource/${style}/legend_symbols`,
      `/api/component/render/legend_symbols?resources=${style}`,
    ]
    expect(await Promise.all(paths.map((path) => statusOf(server.guest, path)))).toEqual([403, 403, 403])
    expect(await statusOf(server.admin, '/api/resource/0/legend')).toBe(404)
    expect(await statusOf(server.admin, '/api/resource/999999/legend_symbols')).toBe(404)
    expect(await statusOf(server.admin, `${paths[1]}?icon_size=7`)).toBe(422)
  })

  test('images draw the symbols that are chosen, enabled or not', async () => {
    const server = await start()
    const { style } = await createKinds(server)
    const image = `/api/component/render/image?extent=${-half},${-half},${half},${half}&size=256,256&resource=${style}`
    const drawn = async (choice: string) => {
      const { at } = await pixelsOf(await bytesOf(server.admin, `${image}${choice}`))
      return [64, 128, 192].map((x) => at(x, 128)[3] === 255)
    }
    expect(await drawn('')).toEqual([true, true, false])
    expect(await drawn(`&symbols[${style}]=0,2`)).toEqual([true, false, true])
    expect(await drawn(`&symbols%5B${style}%5D=1-2`)).toEqual([false, true, true])
    expect(await drawn(`&symbols[${style}]=`)).toEqual([false, false, false])
    expect(await drawn('&symbols[0]=1')).toEqual([true, true, false])
    const tile = await bytesOf(
      server.admin,
      `/api/component/render/tile?z=0&x=0&y=0&resource=${style}&symbols[${style}]=1`,
    )
    expect((await pixelsOf(tile)).at(128, 128)).toEqual([0, 255, 0, 255])
    for (const wrong of ['3-1', '2,1', '1,1', 'a', '1000', '-1', '1,'])
      expect((await server.admin('GET', `${image}&symbols[${style}]=${wrong}`)).status, wrong).toBe(422)
    const unknown = await server.admin('GET', `${image}&symbols[${style}]=0,2-4`)
    expect(unknown.status).toBe(422)
    expect(await unknown.json()).toMatchObject({
      code: 'request/invalid',
      message: `symbols[${style}]: the style has 3 symbols, counted from 0, but none at position 3.`,
    })
  })
})
