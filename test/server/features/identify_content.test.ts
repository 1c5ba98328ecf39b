import { expect, test } from 'vitest'
import { openAttachments } from '../../support/attachments.ts'
import { askWms } from '../../support/map_service.ts'
import { imagePath, readPicture } from '../../support/picture.ts'
import { addUser, goodPassword } from '../../support/principals.ts'
import { namedSymbol, qml, symbolLayer, symbols } from '../../support/qml.ts'
import { describeServers, type TestServer } from '../../support/server.ts'
import { allow, createLayer, createResource, createStyle } from '../../support/tree.ts'

let names = 0

/** A layer whose field `tree` has a lookup table, and a reader of the layer who may not read that of `soil`. */
async function makeLayer(server: TestServer) {
  const { admin } = server
  names += 1
  const reader = await addUser(admin, `reader_${names}`)
  const permissions = [
    allow(reader, 'resource', 'read'),
    allow(reader, 'data', 'read'),
    allow(reader, 'service', 'connect'),
  ]
  const root = await (await admin('GET', '/api/resource/0')).json<{ resource: { permissions: object[] } }>()
  const own = { ...allow(reader, 'resource', 'read'), propagate: false }
  const rules = [...root.resource.permissions, own]
  expect((await admin('PUT', '/api/resource/0', { resource: { permissions: rules } })).status).toBe(200)
  const group = { cls: 'resource_group', name: `open ${names}`, resource: { permissions } }
  const parent = await createResource(admin, group)
  const lookup = (name: string, where: number, items: object) =>
    createResource(admin, {
      ...{
        cls: 'lookup_table',
        parent: where,
        name: `${name} ${names}`,
        members: { lookup_table: { items } },
      },
    })
  const trees = await lookup('trees', parent, { 1: 'Oak', 2: 'Ash <b>' })
  const soils = await lookup('soils', 0, { c: 'Clay' })
  const layer = await createLayer(admin, {
    ...{ parent, name: 'Places', geometryType: 'POINT' },
    fields: [
      { ...{ keyname: 'tree', datatype: 'INTEGER' }, label_field: true, lookup_table: { id: trees } },
      { ...{ keyname: 'soil', datatype: 'STRING' }, lookup_table: { id: soils } },
    ],
  })
  await admin('PATCH', `/api/resource/${layer}/feature/`, [
    { geom: 'POINT(1 1)', fields: { tree: 2, soil: 'c' } },
    { geom: 'POINT(2 2)', fields: { tree: 9, soil: 'constructor' } },
    { geom: 'POINT(3 3)', fields: { soil: '' } },
  ])
  const client = server.as(`reader_${names}`, goodPassword)
  const ask = async (who: typeof client) => {
    const body = { srs: 3857, geom: 'POLYGON((0 0,5 0,5 5,0 5,0 0))', layers: [layer] }
    const answer = await who('POST', '/api/feature_layer/identify', body)
    const found = await answer.json<Record<string, { features: object[] }>>()
    return found[layer]?.features
  }
  return { parent, layer, trees, reader: client, ask }
}

describeServers('identified features', (start) => {
  test('have the labels of codes, from lookup tables that the caller may read', async () => {
    const server = await start()
    const { ask, reader } = await makeLayer(server)
    expect(await ask(server.admin)).toMatchObject([
      {
        label: 'Ash <b>',
        fields: { tree: 2, soil: 'c' },
        labels: { tree: 'Ash <b>', soil: 'Clay' },
      },
      { label: '9', fields: { tree: 9, soil: 'constructor' } },
      { label: '#3', fields: { tree: null, soil: '' } },
    ])
    const seen = await ask(reader)
    expect(seen).toMatchObject([
      { label: 'Ash <b>', fields: { tree: 2, soil: 'c' } },
      { label: '9' },
      { label: '#3' },
    ])
    expect(seen?.map((feature) => (feature as { labels?: object }).labels)).toEqual([
      { tree: 'Ash <b>' },
      undefined,
      undefined,
    ])
  })

  test('are drawn by the labels of codes, from lookup tables that the caller may read', async () => {
    const server = await start()
    const { trees, reader, layer } = await makeLayer(server)
    const marker = (name: string, color: string, offset: string) =>
      namedSymbol(
        name,
        'marker',
        symbolLayer('SimpleMarker', { name: 'square', size: '4', outline_style: 'no', color, offset }),
      )
    const rule = (filter: string, symbol: number) => `<rule filter="${filter}" symbol="${symbol}"/>`
    const ash = rule("represent_value(&quot;tree&quot;) = 'Ash &lt;b>'", 0)
    const clay = rule("represent_value(&quot;soil&quot;) = 'Clay'", 1)
    const other = rule("represent_value(9, 'tree') = '(9)' and $id = 2", 0)
    const text = qml(
      'type="RuleRenderer"',
      `<rules>${ash}${clay}${other}</rules>${symbols(marker('0', '255,0,0,255', '0,0'), marker('1', '0,0,255,255', '10,0'))}`,
    )
    const style = await createResource(server.admin, {
      ...{ cls: 'desk_vector_style', parent: layer, name: 'By label' },
      members: { desk_vector_style: { qml: text } },
    })
    // Two points, 64 pixels apart, and the second symbol 38 pixels to the right of the first.
    const path = imagePath(style, [-0.5, -0.5, 3.5, 3.5])
    const draw = async (who: typeof reader) => {
      const picture = await readPicture(who, path)
      return [
        [96, 160],
        [134, 160],
        [160, 96],
      ].map(([x = 0, y = 0]) => picture.at(x, y)[3] === 255)
    }
    expect(await draw(server.admin)).toEqual([true, true, true])
    expect(await draw(reader)).toEqual([true, false, true])
    const tile = `/api/component/feature_layer/mvt?z=22&x=2097152&y=2097151&resource=${layer}&style=${style}`
    const classes = async (who: typeof reader) => {
      const bytes = Buffer.from(await (await who('GET', tile)).arrayBuffer())
      return bytes.includes('0,1')
    }
    expect([await classes(server.admin), await classes(reader)]).toEqual([true, false])
    const change = { lookup_table: { items: { 1: 'Oak', 2: 'Fir', 9: 'Elm' } } }
    expect((await server.admin('PUT', `/api/resource/${trees}`, change)).status).toBe(200)
    expect(await draw(server.admin)).toEqual([false, true, false])
    expect(await draw(reader)).toEqual([false, false, false])
    expect(await classes(server.admin)).toBe(false)
  })

  test('have their description as harmless HTML, and their attachments', async () => {
    const server = await start()
    const { ask, reader, layer } = await makeLayer(server)
    const client = openAttachments(server.admin, layer, 1)
    const id = await client.attach('some text', { name: 'note.txt', mime_type: 'text/plain' })
    for (let at = 0; at < 51; at += 1) await openAttachments(server.admin, layer, 2).attach(`${at}`)
    const describeFeature = async (feature: number, description: string) => {
      const answer = await server.admin('PUT', `/api/resource/${layer}/feature/${feature}`, {
        extensions: { description },
      })
      expect(answer.status).toBe(200)
    }
    await describeFeature(1, '<p onclick="x()">Old <b>tree</b><script>y()</script></p>')
    await describeFeature(3, `<i>${'long '.repeat(3000)}</i>`)
    const [first, second, third] = ((await ask(reader)) ?? []) as {
      description?: string
      attachments?: { id: number; size: number }[]
    }[]
    expect(first).toMatchObject({
      description: '<p>Old <b>tree</b></p>',
      attachments: [{ id, name: 'note.txt', size: 9, mime_type: 'text/plain', is_image: false }],
    })
    expect(second?.description).toBeUndefined()
    expect(second?.attachments).toHaveLength(50)
    expect(third?.attachments).toBeUndefined()
    expect(third?.description).toMatch(/^<i>(long )+\w*…<\/i>$/)
    expect(third?.description?.length).toBe(10_000 + '…</i>'.length)
  })

  test('have the labels beside their codes in the text and HTML of GetFeatureInfo, and values in JSON', async () => {
    const server = await start()
    const { parent, layer, reader } = await makeLayer(server)
    const style = await createStyle(server.admin, { parent: layer, name: 'Style' })
    const service = await createResource(server.admin, {
      ...{ cls: 'wmsserver_service', parent, name: 'WMS' },
      members: {
        wmsserver_service: { layers: [{ keyname: 'p', display_name: 'Places', resource_id: style }] },
      },
    })
    const info = async (who: typeof reader, format: string) => {
      const parameters = {
        ...{ request: 'GetFeatureInfo', crs: 'EPSG:3857', bbox: '0.5,0.5,1.5,1.5', layers: 'p' },
        ...{ query_layers: 'p', info_format: format, i: '50', j: '50' },
      }
      return (await askWms(who, { path: `/api/resource/${service}` }, parameters)).text()
    }
    expect(await info(server.admin, 'text/plain')).toBe('Places: 1\n  tree: Ash <b> (2)\n  soil: Clay (c)\n')
    expect(await info(reader, 'text/plain')).toBe('Places: 1\n  tree: Ash <b> (2)\n  soil: c\n')
    expect(await info(server.admin, 'text/html')).toContain('<td>Ash &lt;b&gt; (2)</td>')
    const { features } = JSON.parse(await info(server.admin, 'application/json'))
    expect(features[0].properties).toEqual({ tree: 2, soil: 'c' })
    expect(await info(server.admin, 'application/vnd.ogc.gml')).toContain('<svc:soil>c</svc:soil>')
  })
})
