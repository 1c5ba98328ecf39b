import type { Ask, TestServer } from './server.ts'
import { allow, createLayer, createResource, createStyle } from './tree.ts'

/** A public web map with two squares and a city. */
export interface TestMap {
  readonly id: number
  /** Group whose contents guests may read. */
  readonly group: number
  readonly squareLayer: number
  readonly squareStyle: number
  readonly cityLayer: number
  readonly cityStyle: number
  /** A style in the map that guests cannot read. */
  readonly secretStyle: number
  /** A map that guests cannot read. */
  readonly hiddenId: number
}

const squareXml = `<map><layer><classitem>kind</classitem>
  <class><name>blue ones</name><expression>blue</expression><style><color red="51" green="102" blue="204"/></style></class>
  <class><style><color red="153" green="187" blue="85"/></style></class>
</layer></map>`

const square = (west: number, east: number) =>
  `POLYGON((${west} -10, ${east} -10, ${east} 10, ${west} 10, ${west} -10))`

const evil = '<img src=x onerror="document.title=1">'

/** Creates a group whose contents guests may read, with all layers and styles of the maps. */
export async function makeOpenGroup({ admin, database }: Pick<TestServer, 'admin' | 'database'>) {
  const [row] = await database.query<{ id: number }>("select id from principal where keyname = 'guest'")
  const guest = row?.id ?? 0
  await publishRoot(admin, guest)
  const scopes = ['resource', 'metadata', 'datastruct', 'data', 'webmap']
  const permissions = scopes.map((scope) => allow(guest, scope, scope === 'webmap' ? 'display' : 'read'))
  const group = { cls: 'resource_group', name: 'Open', resource: { permissions } }
  return { parent: await createResource(admin, group), guest }
}

/** Makes the map, with all that is in it, through the API. */
export async function makeMap(server: Pick<TestServer, 'admin' | 'database'>): Promise<TestMap> {
  const { admin } = server
  const { parent, guest } = await makeOpenGroup(server)
  const squares = await makeSquares(admin, parent)
  const cities = await makeCities(admin, parent)
  const secret = await makeSecret(admin, { parent, guest })
  const items = [
    layer('Cities', cities.style),
    layer('Squares', squares.style),
    { item_type: 'group', display_name: 'Nothing for you', children: [layer('Secret', secret)] },
  ]
  const webmap = {
    ...{ extent_left: -40, extent_right: 40, extent_bottom: -20, extent_top: 20 },
    root_item: {
      item_type: 'root',
      children: [{ item_type: 'group', display_name: 'All of it', group_expanded: true, children: items }],
    },
  }
  const description =
    'About <b onclick="x()">this</b> <a href="https://example.org/">map</a><a href="javascript:x()">no</a><script>x()</script>'
  const id = await createResource(admin, {
    cls: 'webmap',
    parent,
    name: 'Test <map>',
    resource: { description },
    members: { webmap },
  })
  const hiddenId = await createResource(admin, { cls: 'webmap', name: 'Hidden', members: { webmap } })
  return {
    id,
    group: parent,
    hiddenId,
    squareLayer: squares.layer,
    squareStyle: squares.style,
    cityLayer: cities.layer,
    cityStyle: cities.style,
    secretStyle: secret,
  }
}

const layer = (name: string, style: number) => ({
  item_type: 'layer',
  display_name: name,
  layer_style_id: style,
})

/** Lets guests read the root, but not what is in it. */
export async function publishRoot(admin: Ask, guest: number): Promise<void> {
  const { resource } = await (await admin('GET', '/api/resource/0')).json<{
    resource: { permissions: object[] }
  }>()
  const rule = { ...allow(guest, 'resource', 'read'), propagate: false }
  await admin('PUT', '/api/resource/0', { resource: { permissions: [...resource.permissions, rule] } })
}

async function makeSquares(admin: Ask, parent: number) {
  const id = await createLayer(admin, {
    parent,
    name: 'Squares of the test',
    geometryType: 'POLYGON',
    fields: [
      { keyname: 'name', datatype: 'STRING', display_name: 'Name' },
      { keyname: 'kind', datatype: 'STRING', display_name: 'Kind' },
      { keyname: 'founded', datatype: 'DATE', display_name: 'Founded' },
      { keyname: 'size', datatype: 'REAL' },
      { keyname: 'site', datatype: 'STRING', display_name: 'Site' },
    ],
    members: { resmeta: { items: { source: '© Test <b>' } } },
  })
  const founded = { year: 2001, month: 2, day: 3 }
  await admin('PATCH', `/api/resource/${id}/feature/?srs=4326`, [
    { geom: square(-30, -10), fields: { name: evil, kind: 'blue', founded, size: 12.5 } },
    { geom: square(10, 30), fields: { name: 'East', kind: 'green', site: 'https://example.org/east' } },
  ])
  const style = await createResource(admin, {
    cls: 'mapsrv_style',
    parent: id,
    name: 'Style',
    members: { mapsrv_style: { xml: squareXml } },
  })
  return { layer: id, style }
}

async function makeCities(admin: Ask, parent: number) {
  const id = await createLayer(admin, { parent, name: 'Cities of the test', geometryType: 'POINT' })
  await admin('PATCH', `/api/resource/${id}/feature/?srs=4326`, [{ geom: 'POINT(20 0)', fields: {} }])
  const inner = '<color red="238" green="119" blue="17"/><size>20</size>'
  return { layer: id, style: await createStyle(admin, { parent: id, name: 'Style', inner }) }
}

async function makeSecret(admin: Ask, { parent, guest }: { parent: number; guest: number }): Promise<number> {
  const id = await createLayer(admin, {
    parent,
    name: 'Secret',
    geometryType: 'POINT',
    resource: { permissions: [{ ...allow(guest, 'data', 'read'), action: 'deny' }] },
  })
  return createStyle(admin, { parent: id, name: 'Style' })
}
