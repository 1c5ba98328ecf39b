import { beforeAll, describe, expect, test } from 'vitest'
import { type RawRequest, type RawResponse, sendRawRequest as send } from '../support/raw_request.ts'
import { createGroup } from '../support/resources.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'
import { createLayer, createStyle, styleXml } from '../support/tree.ts'

const basic = `Basic ${Buffer.from(`administrator:${adminPassword}`).toString('base64')}`

describeServer('recorded requests of real clients', (start) => {
  let server: TestServer
  let group = 0
  let layer = 0
  let style = 0
  beforeAll(async () => {
    server = await start()
    group = await createGroup(server.admin, 0, { display_name: 'Wild', keyname: 'wild' })
    const fields = [{ keyname: 'name', datatype: 'STRING', display_name: 'Name' }]
    layer = await createLayer(server.admin, { name: 'Towns', parent: group, geometryType: 'POINT', fields })
    style = await createStyle(server.admin, { parent: layer, name: 'Dots' })
  })

  const request = (raw: RawRequest) =>
    send(server.url, { ...raw, headers: { authorization: basic, ...raw.headers } })
  const post = (resource: object, members: object = {}) =>
    request({
      method: 'POST',
      path: '/api/resource/',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resource, ...members }),
    })
  const idOf = ({ json }: RawResponse) => (json as { id: number }).id

  describe('GDAL', () => {
    const headers = {
      accept: '*/*',
      'accept-encoding': 'gzip',
      'content-type': 'application/x-www-form-urlencoded',
    }

    test('sends JSON as a form: creates, reads, renames and deletes a layer', async () => {
      const vector_layer = {
        srs: { id: 3857 },
        geometry_type: 'MULTIPOLYGONZ',
        fields: [{ keyname: 'area', datatype: 'REAL', display_name: 'Area' }],
      }
      const resource = { cls: 'vector_layer', parent: { id: group }, display_name: 'From GDAL' }
      const complete = { resource, resmeta: { items: {} }, vector_layer }
      const created = await request({
        method: 'POST',
        path: '/api/resource/',
        headers,
        body: JSON.stringify(complete),
      })
      expect(created).toMatchObject({ status: 200, json: { parent: { id: group } } })
      const path = `/api/resource/${idOf(created)}`
      expect((await request({ method: 'GET', path, headers })).json).toMatchObject({
        resource: { cls: 'vector_layer', children: false, parent: { id: group } },
        vector_layer: { geometry_type: 'MULTIPOLYGONZ', srs: { id: 3857 } },
        feature_layer: {
          fields: [
            {
              id: expect.any(Number),
              keyname: 'area',
              datatype: 'REAL',
              display_name: 'Area',
              label_field: false,
              grid_visibility: true,
            },
          ],
        },
      })
      const body = JSON.stringify({ ...complete, resource: { ...resource, display_name: 'Renamed' } })
      expect(await request({ method: 'PUT', path, headers, body })).toMatchObject({ status: 200 })
      expect((await request({ method: 'GET', path })).json).toMatchObject({
        resource: { display_name: 'Renamed' },
      })
      expect(await request({ method: 'DELETE', path, headers })).toMatchObject({ status: 200, json: {} })
    })

    test('accepts versions from 3.1', async () => {
      const { json } = await send(server.url, { method: 'GET', path: '/api/component/pyramid/pkg_version' })
      const [major = 0, minor = 0, patch = 0] = (json as { nextgisweb: string }).nextgisweb
        .split('.')
        .map(Number)
      expect(major >= 3 && minor >= 1 && patch >= 0).toBe(true)
    })

    test('reads its permissions before writing', async () => {
      const { json } = await request({ method: 'GET', path: `/api/resource/${layer}/permission` })
      const all = (...names: string[]) => Object.fromEntries(names.map((name) => [name, true]))
      expect(json).toMatchObject({
        resource: all('read', 'create', 'update', 'delete'),
        datastruct: all('read', 'write'),
        data: all('read', 'write'),
        metadata: all('read', 'write'),
      })
    })

    test('distinguishes numbers and strings in metadata', async () => {
      const path = `/api/resource/${group}`
      const items = { 'n.d': 12, 'f.f': 1.5, text: '12' }
      await request({ method: 'PUT', path, headers, body: JSON.stringify({ resmeta: { items } }) })
      expect((await request({ method: 'GET', path })).json).toMatchObject({ resmeta: { items } })
    })

    test('searches for lookup tables before it opens a group', async () => {
      const created = await post(
        { cls: 'lookup_table', parent: { id: group }, display_name: 'Codes' },
        { lookup_table: { items: { a: 'A' } } },
      )
      const path = '/api/resource/search/?cls=lookup_table&serialization=full'
      expect((await request({ method: 'GET', path })).json).toMatchObject([
        { resource: { id: idOf(created), cls: 'lookup_table' }, lookup_table: { items: { a: 'A' } } },
      ])
    })

    test('defines fields under feature_layer, adds a field and drops one', async () => {
      const field = (keyname: string) => ({
        keyname,
        datatype: 'STRING',
        display_name: keyname,
        lookup_table: null,
      })
      const resource = { cls: 'vector_layer', parent: { id: group }, display_name: 'Newer' }
      const vector_layer = { srs: { id: 3857 }, geometry_type: 'POINT' }
      const created = await post(resource, {
        vector_layer,
        feature_layer: { fields: [field('one'), field('two')] },
      })
      const path = `/api/resource/${idOf(created)}`
      const fields = async () => {
        const { json } = await request({ method: 'GET', path })
        return (json as { feature_layer: { fields: { id: number; keyname: string }[] } }).feature_layer.fields
      }
      const [one, two] = await fields()
      const changed = [{ id: one?.id, delete: true }, { id: two?.id, ...field('two') }, field('three')]
      const body = JSON.stringify({ resource, vector_layer, feature_layer: { fields: changed } })
      expect((await request({ method: 'PUT', path, headers, body })).status).toBe(200)
      expect((await fields()).map(({ keyname }) => keyname)).toEqual(['two', 'three'])
      expect((await fields())[0]?.id).toBe(two?.id)
    })
  })

  describe('pyngw', () => {
    test('lists the resources of a group', async () => {
      const { status, json } = await request({ method: 'GET', path: `/api/resource/?parent=${group}` })
      expect(status).toBe(200)
      expect(json).toContainEqual(
        expect.objectContaining({
          resource: expect.objectContaining({
            id: layer,
            cls: 'vector_layer',
            display_name: 'Towns',
            parent: { id: group, parent: { id: 0 } },
          }),
        }),
      )
    })

    test('uploads without credentials and content type, and creates a file bucket from the upload', async () => {
      const upload = async (body: string) => {
        const path = '/api/component/file_upload/upload'
        const sent = await send(server.url, { method: 'PUT', path, body })
        expect(sent).toMatchObject({
          status: 200,
          json: { id: expect.any(String), size: Buffer.byteLength(body) },
        })
        return sent.json as object
      }
      const files = [{ ...(await upload('one')), name: 'one.txt' }]
      const bucket = await post(
        { cls: 'file_bucket', parent: { id: group }, display_name: 'Bucket' },
        { file_bucket: { files } },
      )
      expect(bucket.status).toBe(200)
      const got = await request({ method: 'GET', path: `/api/resource/${idOf(bucket)}/file/one.txt` })
      expect(got.text).toBe('one')
    })

    test('creates groups, styles, services, web maps and connections with NextGIS class names', async () => {
      const parent = { id: group }
      const create = (cls: string, member: object = {}, at: object = parent) =>
        post({ cls, parent: at, display_name: cls, description: null, keyname: null }, { [cls]: member })
      expect((await create('resource_group')).status).toBe(200)
      const below = { id: layer }
      const xml = styleXml('<color red="1" green="2" blue="3"/>')
      expect(await create('mapserver_style', { xml }, below)).toMatchObject({
        status: 200,
        json: { parent: below },
      })
      const layers = [
        { keyname: 'a', display_name: 'A', resource_id: style, min_scale_denom: null, max_scale_denom: null },
      ]
      expect((await create('wmsserver_service', { layers })).status).toBe(200)
      const published = [{ keyname: 'a', display_name: 'A', resource_id: layer, maxfeatures: 1000 }]
      expect((await create('wfsserver_service', { layers: published })).status).toBe(200)
      const root_item = {
        item_type: 'root',
        children: [
          {
            item_type: 'layer',
            display_name: 'Dots',
            layer_style_id: style,
            style_parent_id: layer,
            layer_enabled: true,
            layer_adapter: 'tile',
            layer_transparency: null,
            layer_min_scale_denom: null,
            layer_max_scale_denom: null,
            draw_order_position: null,
            payload: null,
          },
        ],
      }
      expect((await create('webmap', { root_item, draw_order_enabled: null })).status).toBe(200)
      const connection = await create('wmsclient_connection', {
        url: 'https://maps.example/wms',
        username: null,
        password: null,
        version: '1.1.1',
      })
      expect(connection.status).toBe(200)
      const wms = {
        connection: { id: idOf(connection) },
        srs: { id: 3857 },
        wmslayers: 'a,b',
        imgformat: 'image/png',
        vendor_params: {},
      }
      expect((await create('wmsclient_layer', wms)).status).toBe(200)
    })
  })

  describe('NextGIS Connect', () => {
    test('tests a connection: current user, root and version', async () => {
      expect((await request({ method: 'GET', path: '/api/component/auth/current_user' })).json).toMatchObject(
        {
          id: expect.any(Number),
          keyname: 'administrator',
          display_name: expect.any(String),
          language: expect.any(String),
        },
      )
      expect((await request({ method: 'GET', path: '/api/resource/0' })).json).toMatchObject({
        resource: { id: 0, cls: 'resource_group', parent: null },
      })
      const wrong = await send(server.url, {
        method: 'GET',
        path: '/api/component/auth/current_user',
        headers: { authorization: `Basic ${Buffer.from('administrator:nope').toString('base64')}` },
      })
      expect(wrong).toMatchObject({
        status: 401,
        json: {
          status_code: 401,
          title: expect.any(String),
          message: expect.any(String),
          exception: expect.stringContaining('nextgisweb.'),
        },
      })
    })

    test('expects the exact content type application/json', async () => {
      for (const path of ['/api/resource/0', '/api/resource/?parent=0', '/api/resource/999999'])
        expect((await request({ method: 'GET', path })).headers['content-type'], path).toBe(
          'application/json',
        )
    })

    test('reads the tree with the interfaces of each resource', async () => {
      const { json } = await request({ method: 'GET', path: `/api/resource/?parent=${group}` })
      const found = (json as { resource: { id: number } }[]).find(({ resource }) => resource.id === layer)
      expect(found).toMatchObject({
        resource: {
          id: layer,
          cls: 'vector_layer',
          parent: { id: group, parent: { id: 0 } },
          owner_user: { id: expect.any(Number) },
          display_name: 'Towns',
          description: null,
          children: true,
          interfaces: expect.arrayContaining(['IFeatureLayer']),
        },
        resmeta: { items: {} },
        vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } },
        feature_layer: {
          fields: [{ id: expect.any(Number), datatype: 'STRING', keyname: 'name', text_search: true }],
        },
      })
    })

    test('searches by part of a name, by owner and by metadata', async () => {
      const { json: me } = await request({ method: 'GET', path: '/api/component/auth/current_user' })
      const put = { resmeta: { items: { source: 'Survey of 2021' } } }
      await request({ method: 'PUT', path: `/api/resource/${layer}`, body: JSON.stringify(put) })
      const search = async (query: string) => {
        const path = `/api/resource/search/?${query}`
        const { json } = await request({ method: 'GET', path })
        return (json as { resource: { id: number; parent: { id: number } } }[]).map(({ resource }) => [
          resource.id,
          resource.parent?.id,
        ])
      }
      expect(await search('display_name__ilike=tow%25&serialization=resource')).toEqual([[layer, group]])
      expect(await search(`owner_user__id=${(me as { id: number }).id}&display_name=Towns`)).toEqual([
        [layer, group],
      ])
      expect(await search('resmeta__ilike[source]=%25survey%25')).toEqual([[layer, group]])
    })

    test('renames a resource and its fields without waiting for a long-running request', async () => {
      const { json } = await request({ method: 'GET', path: `/api/resource/${layer}` })
      const [field] = (json as { feature_layer: { fields: { id: number }[] } }).feature_layer.fields
      const fields = [{ id: field?.id, keyname: 'name', display_name: 'Title' }]
      const sent = { resource: { display_name: 'Towns' }, feature_layer: { fields } }
      const changed = await request({
        method: 'PUT',
        path: `/api/resource/${layer}`,
        headers: { 'content-type': 'application/json', 'x-lunkwill': 'suggest' },
        body: JSON.stringify(sent),
      })
      expect(changed).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
      const after = await request({ method: 'GET', path: `/api/resource/${layer}` })
      expect(after.json).toMatchObject({ feature_layer: { fields: [{ display_name: 'Title' }] } })
    })

    test('distinguishes 403 and 404 by status, and reads the message of the body', async () => {
      const body = { status_code: 403, title: expect.any(String), message: expect.any(String) }
      const denied = await send(server.url, { method: 'GET', path: `/api/resource/${layer}` })
      expect(denied).toMatchObject({
        status: 403,
        json: { ...body, exception: 'nextgisweb.core.exception.InsufficientPermissions' },
      })
      const missing = await request({ method: 'GET', path: '/api/resource/999999' })
      expect(missing).toMatchObject({
        status: 404,
        json: { status_code: 404, exception: 'nextgisweb.resource.exception.ResourceNotFound' },
      })
      const invalid = await post({ cls: 'nonsense', parent: { id: group }, display_name: 'X' })
      expect(invalid).toMatchObject({
        status: 422,
        json: { status_code: 422, exception: 'nextgisweb.core.exception.ValidationError' },
      })
    })
  })

  describe('NextGIS Mobile', () => {
    test('logs in with JSON and continues with the cookie', async () => {
      const entered = await send(server.url, {
        method: 'POST',
        path: '/api/component/auth/login',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ login: 'administrator', password: adminPassword }),
      })
      expect(entered.status).toBe(200)
      const [cookie = ''] = entered.headers['set-cookie'] ?? []
      const listed = await send(server.url, {
        method: 'GET',
        path: `/api/resource/?parent=${group}`,
        headers: { cookie: cookie.split(';', 1)[0] ?? '' },
      })
      expect((listed.json as object[]).length).toBeGreaterThan(0)
    })

    test('reads the classes of the server', async () => {
      const { json } = await send(server.url, { method: 'GET', path: '/resource/schema' })
      expect(Object.keys((json as { resources: object }).resources)).toEqual(
        expect.arrayContaining(['resource_group', 'vector_layer', 'webmap', 'lookup_table']),
      )
    })

    test('reads the tree with additional query parameters', async () => {
      const path = `/api/resource/${layer}?source=app&ngid=1&deviceid=2`
      expect((await request({ method: 'GET', path })).json).toMatchObject({
        resource: {
          children: true,
          description: null,
          display_name: 'Towns',
          id: layer,
          cls: 'vector_layer',
          keyname: null,
          owner_user: { id: expect.any(Number) },
        },
        vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } },
        feature_layer: { fields: [{ datatype: 'STRING', keyname: 'name' }] },
      })
    })
  })
})
