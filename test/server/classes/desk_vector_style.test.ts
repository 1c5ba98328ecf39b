import { expect, test } from 'vitest'
import { type Ask, describeServer } from '../../support/server.ts'
import { createLayer, createResource } from '../../support/tree.ts'

const doctype = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>"

/** A file whose every byte counts: mark, line ends of two kinds, quotes of two kinds, no line end at the end. */
const bytes = Buffer.from(
  `\uFEFF${doctype}\r\n<qgis version='3.28.0' styleCategories="Symbology">\n\t<!-- Straße -->\r\n</qgis> `,
)

const upload = async (ask: Ask, content: Uint8Array) =>
  (await ask('PUT', '/api/component/file_upload/', content)).json<{ id: string; size: number }>()

const create = (ask: Ask, parent: number, { name, style }: { name: string; style: object }) =>
  createResource(ask, { cls: 'desk_vector_style', parent, name, members: { desk_vector_style: style } })

const readFile = async (ask: Ask, id: number) => {
  const answer = await ask('GET', `/api/resource/${id}/qml`)
  return { answer, content: Buffer.from(await answer.arrayBuffer()) }
}

describeServer('desktop GIS styles', (start) => {
  test('an uploaded file is returned byte for byte', async () => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: 'Bytes', geometryType: 'POINT' })
    const file = await upload(admin, bytes)
    const id = await create(admin, layer, { name: 'Style', style: { file_upload: file } })
    const { answer, content } = await readFile(admin, id)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/xml'])
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${id}.qml"`)
    expect(content.equals(bytes)).toBe(true)
  })

  const sld = `<StyledLayerDescriptor version="1.0.0"><NamedLayer><UserStyle><FeatureTypeStyle><Rule>
      <Filter><PropertyIsNull><PropertyName>gone</PropertyName></PropertyIsNull></Filter>
      <PolygonSymbolizer><Fill><CssParameter name="fill">#010203</CssParameter></Fill></PolygonSymbolizer>
      </Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
  test('a style whose symbols are for other geometries than those of the layer is reported', async () => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: 'Unfit', geometryType: 'MULTIPOINT' })
    const text = sld.replace(/<Filter>.*<\/Filter>/s, '')
    const answer = await admin('POST', '/api/resource/', {
      resource: { cls: 'desk_vector_style', parent: { id: layer }, display_name: 'unfit' },
      desk_vector_style: { file_upload: await upload(admin, Buffer.from(text)) },
    })
    expect(await answer.json()).toMatchObject({
      style_issues: [
        { code: 'style/unknown', message: expect.stringContaining('nothing is drawn: the layer has points') },
      ],
    })
  })

  const mapbox = `{"version": 8, "layers": [
      {"id": "a", "type": "fill", "filter": ["has", "gone"], "paint": {"fill-color": "#010203"}}]}`

  test.each([
    ['a Styled Layer Descriptor', 'sld', sld, 32],
    ['a style of Mapbox GL', 'json', mapbox, 53],
  ])(
    '%s is drawn, checked against the fields of the layer, and returned unchanged',
    async (_, extension, text, column) => {
      const { admin } = await start()
      const layer = await createLayer(admin, { name: `Described ${extension}`, geometryType: 'POLYGON' })
      const file = await upload(admin, Buffer.from(text))
      const answer = await admin('POST', '/api/resource/', {
        resource: { cls: 'desk_vector_style', parent: { id: layer }, display_name: extension },
        desk_vector_style: { file_upload: file },
      })
      const { id, style_issues } = await answer.json<{ id: number; style_issues: unknown }>()
      expect(style_issues).toMatchObject([{ code: 'style/missing-field', line: 2, column }])
      const { answer: download, content } = await readFile(admin, id)
      expect(download.headers.get('content-disposition')).toBe(`attachment; filename="${id}.${extension}"`)
      expect(content.toString()).toBe(text)
      const symbols = await (await admin('GET', `/api/resource/${id}/legend_symbols`)).json<unknown[]>()
      expect(symbols).toHaveLength(1)
    },
  )

  test('a string in the body is returned unchanged, and an update replaces it', async () => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: 'Inline', geometryType: 'POINT' })
    const qml = `${doctype}\n<qgis><a/>\n</qgis>\n`
    const id = await create(admin, layer, { name: 'Style', style: { qml } })
    const read = async () => (await admin('GET', `/api/resource/${id}`)).json()
    expect(await read()).toMatchObject({ desk_vector_style: { qml } })
    await admin('PUT', `/api/resource/${id}`, { resource: { description: 'x' }, desk_vector_style: {} })
    expect(await read()).toMatchObject({ desk_vector_style: { qml } })
    const file = await upload(admin, bytes)
    const style = { qml, file_upload: file }
    expect((await admin('PUT', `/api/resource/${id}`, { desk_vector_style: style })).status).toBe(200)
    expect((await readFile(admin, id)).content.equals(bytes)).toBe(true)
  })

  test.each([
    ['MULTIPOLYGON', 'SimpleFill'],
    ['LINESTRING', 'SimpleLine'],
    ['POINTZ', 'SimpleMarker'],
  ])('a style without a file gets the default for %s', async (geometryType, symbol) => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: `Plain ${geometryType}`, geometryType })
    const { content } = await readFile(admin, await create(admin, layer, { name: 'Style', style: {} }))
    expect(content.toString()).toContain(`<layer class="${symbol}"`)
  })

  test('a web map names the parts of a style that are not drawn', async () => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: 'Drawn', geometryType: 'POLYGON' })
    const symbol = `<symbol name="0" type="fill"><layer class="SimpleFill"><Option type="Map">
      <Option name="color" value="1,2,3,255"/><Option name="outline_style" value="no"/>
    </Option></layer></symbol>`
    const qml = (type: string) =>
      `<qgis><renderer-v2 type="${type}"><symbols>${symbol}</symbols></renderer-v2></qgis>`
    const ids = [
      await create(admin, layer, { name: 'Simple', style: { qml: qml('singleSymbol') } }),
      await create(admin, layer, { name: 'Heat', style: { qml: qml('25dRenderer') } }),
    ]
    const children = ids.map((id) => ({ item_type: 'layer', display_name: `${id}`, layer_style_id: id }))
    const root_item = { item_type: 'root', children }
    const map = await createResource(admin, {
      cls: 'webmap',
      name: 'Drawn map',
      members: { webmap: { root_item } },
    })
    const config = await (await admin('GET', `/api/resource/${map}/webmap/display_config`)).json()
    const drawn = { landform: { undrawnParts: [] } }
    const empty = { landform: { undrawnParts: ['renderer 25dRenderer is not drawn'] } }
    expect(config).toMatchObject({ rootItem: { children: [drawn, empty] } })
  })

  test('answers list the parts of a style that are not drawn', async () => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: 'Reported', geometryType: 'POINT' })
    const qml = '<qgis>\n<renderer-v2 type="25dRenderer"/></qgis>'
    const style_issues = [
      {
        code: 'style/unknown',
        message: 'renderer 25dRenderer is not drawn',
        hint: 'use single symbol, categories, graduated ranges, rules or a heatmap',
        line: 2,
        column: 2,
      },
    ]
    const create = async (members: object) => {
      const resource = {
        cls: 'desk_vector_style',
        parent: { id: layer },
        display_name: JSON.stringify(members),
      }
      const answer = await admin('POST', '/api/resource/', { resource, desk_vector_style: members })
      return answer.json<{ id: number; style_issues?: unknown }>()
    }
    expect(await create({ file_upload: await upload(admin, Buffer.from(qml)) })).toMatchObject({
      style_issues,
    })
    const { id, ...created } = await create({})
    expect(created).toEqual({ parent: { id: layer } })
    const change = async (body: object) => (await admin('PUT', `/api/resource/${id}`, body)).json()
    expect(await change({ desk_vector_style: { qml } })).toEqual({ style_issues })
    expect(await change({ resource: { description: 'x' } })).toEqual({})
  })

  test('the NextGIS dialect has its own class name, in requests and responses', async () => {
    const { admin } = await start()
    const parent = await createLayer(admin, { name: 'NextGIS', geometryType: 'POINT' })
    const id = await createResource(admin, {
      cls: 'qgis_vector_style',
      parent,
      name: 'Style',
      members: { qgis_vector_style: { file_upload: await upload(admin, bytes) } },
    })
    const answer = await admin('GET', `/api/resource/${id}`, undefined, { 'x-api-dialect': 'ngw' })
    expect(await answer.json()).toMatchObject({
      resource: { cls: 'qgis_vector_style' },
      qgis_vector_style: { qml: bytes.toString() },
    })
  })

  test.each([
    [
      'a file that is no XML',
      '<qgis',
      'style/invalid',
      /\$\.desk_vector_style\.file_upload, line 1, column \d/,
    ],
    ['another kind of XML', '<map/>', 'style/invalid', /root element must be <qgis>, got <map>/],
    [
      'a file that reads others',
      '<!DOCTYPE qgis [<!ENTITY x SYSTEM "file:///etc/passwd">]><qgis>&x;</qgis>',
      'style/invalid',
      /entities are not allowed/,
    ],
    ['a file in another encoding', Buffer.from('<qgis>Straße</qgis>', 'latin1'), 'request/invalid', /UTF-8/],
    [
      'a file without end',
      Buffer.alloc(5_000_000, 32),
      'request/invalid',
      /has 5000000 bytes; the limit is 4194304/,
    ],
  ])('%s is refused, and leaves nothing behind', async (name, content, code, message) => {
    const { admin } = await start()
    const parent = await createLayer(admin, { name, geometryType: 'POINT' })
    const file = await upload(admin, Buffer.from(content))
    const answer = await admin('POST', '/api/resource/', {
      resource: { cls: 'desk_vector_style', parent: { id: parent }, display_name: 'Bad' },
      desk_vector_style: { file_upload: file },
    })
    expect([answer.status, await answer.json()]).toEqual([
      422,
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    ])
    expect(await (await admin('GET', `/api/resource/?parent=${parent}`)).json()).toEqual([])
  })

  test('a missing upload is refused with the location', async () => {
    const { admin } = await start()
    const parent = await createLayer(admin, { name: 'Gone', geometryType: 'POINT' })
    const id = '0'.repeat(32)
    const answer = await admin('POST', '/api/resource/', {
      resource: { cls: 'desk_vector_style', parent: { id: parent }, display_name: 'Gone' },
      desk_vector_style: { file_upload: { id } },
    })
    expect([answer.status, await answer.json()]).toEqual([
      422,
      expect.objectContaining({
        code: 'upload/not-found',
        data: { location: ['body', '/desk_vector_style/file_upload/id'] },
      }),
    ])
  })

  test('only this class has a file, which requires permission to read', async () => {
    const { admin, guest } = await start()
    const parent = await createLayer(admin, { name: 'Guarded', geometryType: 'POINT' })
    const id = await create(admin, parent, { name: 'Style', style: {} })
    expect((await readFile(admin, parent)).answer.status).toBe(404)
    expect((await readFile(guest, id)).answer.status).toBe(403)
  })
})
