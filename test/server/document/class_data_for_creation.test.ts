import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useForeign } from '../../support/geodb.ts'
import { createStyledLayer, readMember, type StyledLayer, uploadContent } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createLayer, createResource, styleXml } from '../../support/tree.ts'
import { capabilities, useService } from '../../support/wms.ts'

const startService = useService()
const openForeign = useForeign()
let server: TestServer
let family: StyledLayer
beforeAll(async () => {
  server = await startTestServer('postgres', { allowPrivateAddresses: true })
  family = await createStyledLayer(server.admin)
})
afterAll(() => server.stop())

let made = 0
/** Makes a resource of a class in the group of the family, unless told another parent. */
const create = (cls: string, member?: object, parent = family.group) => {
  made += 1
  const members = member === undefined ? {} : { [cls]: member }
  return createResource(server.admin, { cls, parent, name: `${cls} ${made}`, members })
}

const read = (id: number, member: string) => readMember(server.admin, id, member)

const refusal = (...asked: Parameters<typeof create>) =>
  create(...asked).catch((error: Error) => error.message)

describe('Class data for creation', () => {
  test('resource_group | none', async () => {
    expect(await read(await create('resource_group'), 'resource_group')).toBeUndefined()
  })

  test('geodb_connection | database (string), hostname (string), port (string), username (string), password (string)', async () => {
    const { connection } = await openForeign()
    const { password, ...shown } = { ...connection, port: String(connection.port) }
    const id = await create('geodb_connection', { ...shown, password })
    expect(await read(id, 'geodb_connection')).toEqual({ ...shown, sslmode: null })
    for (const name of ['database', 'hostname', 'username', 'password']) {
      const lacking = Object.fromEntries(Object.entries(connection).filter(([one]) => one !== name))
      expect(await refusal('geodb_connection', lacking)).toContain(`missing field "${name}"`)
    }
  })

  test('geodb_layer | column_geom (string, geometry column name), column_id (string, primary key column), connection ({id}), fields (string: update to reread fields from the database, or unset), geometry_type (string or null; null means read from the table), schema (string), srs ({id}, EPSG code), table (string)', async () => {
    const { connection: there, execute } = await openForeign()
    const columns = 'gid serial primary key, way geometry(LineString, 4326), name text'
    await execute(`create schema gis create table roads (${columns})`)
    const connection = { id: await create('geodb_connection', there) }
    const place = { schema: 'gis', table: 'roads', column_id: 'gid', column_geom: 'way', connection }
    const layer = { ...place, geometry_type: 'LINESTRING', srs: { id: 4326 } }
    expect(await read(await create('geodb_layer', layer), 'geodb_layer')).toEqual(layer)
    const id = await create('geodb_layer', { ...layer, geometry_type: null, fields: 'update' })
    expect(await read(id, 'geodb_layer')).toEqual(layer)
    expect(await read(await create('geodb_layer', place), 'geodb_layer')).toEqual(layer)
    for (const name of Object.keys(place)) {
      const lacking = Object.fromEntries(Object.entries(place).filter(([one]) => one !== name))
      expect(await refusal('geodb_layer', lacking)).toContain(`missing field "${name}"`)
    }
    await execute('alter table gis.roads add lanes integer')
    const reread = await server.admin('PUT', `/api/resource/${id}`, { geodb_layer: { fields: 'update' } })
    expect(reread.status).toBe(200)
    expect(await read(id, 'feature_layer')).toMatchObject({
      fields: [{ keyname: 'name' }, { keyname: 'lanes' }],
    })
    const tile = await server.admin('GET', `/api/component/feature_layer/mvt?x=0&y=0&z=0&resource=${id}`)
    expect(tile.status).toBe(204)
  })

  test('vector_layer, empty | srs ({id}), geometry_type (string), fields (array of {keyname, datatype, display_name (optional)})', async () => {
    const fields = [
      { keyname: 'depth', datatype: 'REAL', display_name: 'Depth' },
      { keyname: 'name', datatype: 'STRING' },
    ]
    const id = await create('vector_layer', { srs: { id: 3857 }, geometry_type: 'MULTIPOLYGON', fields })
    expect(await read(id, 'vector_layer')).toMatchObject({ srs: { id: 3857 }, geometry_type: 'MULTIPOLYGON' })
    expect(await read(id, 'feature_layer')).toMatchObject({
      fields: [
        { keyname: 'depth', datatype: 'REAL', display_name: 'Depth' },
        { keyname: 'name', datatype: 'STRING', display_name: 'name' },
      ],
    })
  })

  test('file_bucket | files (array of upload objects)', async () => {
    const { admin } = server
    const form = new FormData()
    form.append('file', new Blob(['one']), 'one.txt')
    const answer = await admin('POST', '/api/component/file_upload/', form)
    const { upload_meta } = await answer.json<{ upload_meta: object[] }>()
    const id = await create('file_bucket', { files: upload_meta })
    expect(await read(id, 'file_bucket')).toMatchObject({ files: [{ name: 'one.txt', size: 3 }] })
  })

  test('mapsrv_style | xml (string, map-rendering style XML)', async () => {
    const xml = styleXml('<width>2</width>')
    expect(await read(await create('mapsrv_style', { xml }, family.layer), 'mapsrv_style')).toEqual({ xml })
  })

  test('desk_vector_style | file_upload ({id, mime_type, size} of the uploaded style file); the parent is the layer', async () => {
    const upload = await uploadContent(server.admin, '<qgis/>')
    const file_upload = { id: upload.id, mime_type: upload.mime_type, size: upload.size }
    const id = await create('desk_vector_style', { file_upload }, family.layer)
    expect(await (await server.admin('GET', `/api/resource/${id}/qml`)).text()).toBe('<qgis/>')
    expect(await refusal('desk_vector_style', { file_upload })).toContain('cannot be a child')
  })

  test('lookup_table | items (object key to value)', async () => {
    const items = { f: 'Forest', m: 'Meadow' }
    expect(await read(await create('lookup_table', { items }), 'lookup_table')).toMatchObject({ items })
  })

  test('webmap | root_item (see the web map fields)', async () => {
    const children = [{ item_type: 'layer', display_name: 'L', layer_style_id: family.style }]
    const id = await create('webmap', { root_item: { item_type: 'root', children } })
    expect(await read(id, 'webmap')).toMatchObject({ root_item: { item_type: 'root', children } })
  })

  test('wmsserver_service | layers (required array of {keyname (ASCII, no spaces, required), display_name (required), resource_id (required; a vector layer style, raster style or WMS layer), min_scale_denom (string 1 : 100000), max_scale_denom (same form)})', async () => {
    const connection = {
      id: await create('wmsclient_connection', { url: 'https://a.example/', version: '1.3.0' }),
    }
    const wms = { connection, srs: { id: 3857 }, imgformat: 'image/png', wmslayers: 'a' }
    const entry = { keyname: 'points', display_name: 'Points', resource_id: family.style }
    const layers = [
      { ...entry, min_scale_denom: '1 : 100000', max_scale_denom: '1 : 5000' },
      { ...entry, keyname: 'wms', resource_id: await create('wmsclient_layer', wms) },
    ]
    const id = await create('wmsserver_service', { layers })
    expect(await read(id, 'wmsserver_service')).toMatchObject({ layers })
    expect(await refusal('wmsserver_service', {})).toContain('missing field "layers"')
    for (const name of Object.keys(entry)) {
      const lacking = Object.fromEntries(Object.entries(entry).filter(([one]) => one !== name))
      expect(await refusal('wmsserver_service', { layers: [lacking] })).toContain(`missing field "${name}"`)
    }
    for (const keyname of ['two words', 'Füße'])
      expect(await refusal('wmsserver_service', { layers: [{ ...entry, keyname }] })).toContain(
        'layers.0.keyname',
      )
    const layer = { ...entry, resource_id: family.layer }
    expect(await refusal('wmsserver_service', { layers: [layer] })).toContain('is a vector_layer, not one of')
  })

  test('wmsclient_connection | url (string), username (string or null), password (string or null), version (string), capcache (string; query means query capabilities from the service)', async () => {
    const service = await startService()
    service.answer = (_, response) => response.end(capabilities)
    const { url } = service
    const open = await create('wmsclient_connection', {
      url,
      username: null,
      password: null,
      version: '1.1.1',
    })
    expect(await read(open, 'wmsclient_connection')).toMatchObject({ url, version: '1.1.1', capcache: null })
    const login = { username: 'ann', password: 'sesame' }
    const closed = await create('wmsclient_connection', {
      url,
      ...login,
      version: '1.3.0',
      capcache: 'query',
    })
    const member = await read(closed, 'wmsclient_connection')
    expect(member).toMatchObject({
      username: 'ann',
      capcache: { layers: [{ id: 'roads' }, { id: 'rails' }] },
    })
    expect(member).not.toHaveProperty('password')
  })

  test('wmsclient_layer | connection ({id}), srs ({id}), imgformat (string, available values fetched from the connection), wmslayers (string of layer identifiers separated by commas), vendor_params (object of extra parameters added to each request)', async () => {
    const service = await startService()
    service.answer = (_, response) => response.end(capabilities)
    const own = { url: service.url, version: '1.3.0', capcache: 'query' }
    const connection = { id: await create('wmsclient_connection', own) }
    const { capcache } = await readMember<{ capcache: { formats: string[] } }>(
      server.admin,
      connection.id,
      'wmsclient_connection',
    )
    const layer = {
      connection,
      srs: { id: 3857 },
      imgformat: capcache.formats[1],
      wmslayers: 'roads,rails',
      vendor_params: { map: 'main' },
    }
    expect(await read(await create('wmsclient_layer', layer), 'wmsclient_layer')).toEqual(layer)
    expect(await refusal('wmsclient_layer', { ...layer, imgformat: 'image/bmp' })).toContain('imgformat')
  })

  test('tracker | unique_id (string), description (string), device_type (string; only svc_mobile is supported), consumption_lpkm (number, fuel per 100 km), is_registered (string, accepted)', async () => {
    const group = await create('trackers_group')
    const tracker = {
      unique_id: 'van-1',
      description: 'The blue one',
      device_type: 'svc_mobile',
      consumption_lpkm: 8.5,
      is_registered: 'yes',
    }
    expect(await read(await create('tracker', tracker, group), 'tracker')).toEqual(tracker)
    expect(await refusal('tracker', { ...tracker, device_type: 'other' }, group)).toContain('device_type')
  })
})

describe('Class-specific fields not shown', () => {
  test.each(['trackers_group', 'collector_project', 'baselayers'])('%s is made of nothing', async (cls) => {
    const id = await create(cls)
    expect(await read(id, 'resource')).toMatchObject({ cls, scopes: ['resource', 'data', 'metadata'] })
  })

  test('formbuilder_form stands under a layer of features', async () => {
    const id = await create('formbuilder_form', undefined, family.layer)
    expect(await read(id, 'resource')).toMatchObject({ cls: 'formbuilder_form' })
    expect(await refusal('formbuilder_form')).toContain('cannot be a child')
  })

  test('basemap_layer says where its tiles are', async () => {
    const url = 'https://tiles.example.org/{z}/{x}/{y}.png'
    expect(await read(await create('basemap_layer', { url }), 'basemap_layer')).toMatchObject({ url })
  })
})

test('vector_layer, from data: only EPSG 3857 is supported as srs', async () => {
  const source = await uploadContent(server.admin, '{"type":"FeatureCollection","features":[]}')
  expect(await refusal('vector_layer', { source, srs: { id: 4326 } })).toContain('EPSG:3857')
  await createLayer(server.admin, { name: 'Empty', parent: family.group, geometryType: 'POINT' })
})
