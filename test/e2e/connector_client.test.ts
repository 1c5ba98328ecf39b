import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectorVersions, createConnector, type RoutingConnector } from '../support/connector.ts'
import { createGroup } from '../support/resources.ts'
import { describeServer, type TestServer } from '../support/server.ts'
import { createLayer, createStyle, styleXml } from '../support/tree.ts'
import { principalId, userPassword } from '../support/users.ts'

/**
 * Credentials without special characters, which the newer version escapes although the server does not unescape them.
 */
const auth = { login: 'mapper', password: userPassword }

describeServer('the connector from npm', (start) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start()
    const group = await principalId(server.database, 'administrators')
    const user = { keyname: auth.login, display_name: 'Mapper', password: auth.password, member_of: [group] }
    expect((await server.admin('POST', '/api/component/auth/user/', user)).status).toBe(200)
  })

  describe.each(connectorVersions)('version %i', (version) => {
    let connector: RoutingConnector
    let group = 0
    let count = 0
    beforeEach(async () => {
      connector = createConnector(version, { baseUrl: server.url, auth })
      count += 1
      group = await createGroup(server.admin, 0, { display_name: `${version} ${count}` })
    })

    const create = (resource: Record<string, unknown>, members = {}) =>
      connector.post<{ id: number; parent: { id: number } }>('resource.collection', {
        data: { resource: { cls: 'resource_group', parent: { id: group }, ...resource }, ...members },
      })

    test('logs in and reads the routes', async () => {
      const routes = await connector.connect()
      expect(connector.user).toMatchObject({ keyname: auth.login })
      expect(routes['resource.item']).toEqual(['/api/resource/{0}', 'id'])
      expect(routes['file_upload.upload']).toEqual(['/api/component/file_upload/upload'])
    })

    test('reports the message of the server for a wrong password', async () => {
      const guest = createConnector(version, { baseUrl: server.url })
      await expect(guest.login({ ...auth, password: 'wrong' })).rejects.toBe('Login or password is wrong.')
      expect(guest.user).toBeUndefined()
    })

    test('has the permissions of a guest without credentials', async () => {
      const guest = createConnector(version, { baseUrl: server.url })
      expect(await guest.connect()).toHaveProperty(['resource.search'])
      expect(await guest.getResourcesBy({ cls: 'resource_group' })).toEqual([])
      await expect(guest.get('resource.item', null, { id: group })).rejects.toMatch(/Insufficient 'read'/)
    })

    test('creates a resource, and reads it by id, by keyname and by properties', async () => {
      const keyname = `made_by_${version}`
      const { id, parent } = await create({ display_name: 'Created', keyname, description: '<i>d</i>' })
      expect(parent).toEqual({ id: group })
      expect((await connector.getResourceOrFail(id)).resource).toMatchObject({ display_name: 'Created' })
      expect(await connector.getResource(keyname)).toMatchObject({ resource: { id, parent: { id: group } } })
      expect(await connector.getResourceId({ keyname })).toBe(id)
      const like = { display_name: 'Created', parent: { id: group }, description: 'ignored' }
      expect(await connector.getResource(like)).toMatchObject({ resource: { id } })
    })

    test('finds resources by class, parent and owner', async () => {
      const one = await create({ display_name: 'One' })
      const two = await create({ cls: 'lookup_table', display_name: 'Two' })
      const ids = async (like: Record<string, unknown>) =>
        (await connector.getResourcesBy(like)).map(({ resource }) => resource.id)
      expect(await ids({ parent: { id: group } })).toEqual([one.id, two.id])
      expect(await ids({ parent: { id: group }, cls: 'lookup_table' })).toEqual([two.id])
      const owner_user = { id: connector.user?.id }
      expect(await ids({ parent: { id: group }, owner_user })).toEqual([one.id, two.id])
      const other = await principalId(server.database, 'administrator')
      expect(await ids({ parent: { id: group }, owner_user: { id: other } })).toEqual([])
    })

    test('lists children, also recursively, and finds a parent', async () => {
      const layer = await createLayer(server.admin, { name: 'Layer', parent: group, geometryType: 'POINT' })
      const style = await createStyle(server.admin, { parent: layer, name: 'Style' })
      const table = await create({ cls: 'lookup_table', display_name: 'Table' })
      const ids = async (recursive: boolean) =>
        (await connector.getResourceChildren(group, { recursive })).map(({ resource }) => resource.id).sort()
      expect(await ids(false)).toEqual([layer, table.id].sort())
      expect(await ids(true)).toEqual([layer, style, table.id].sort())
      expect(await connector.getResourceParent(style)).toMatchObject({
        resource: { id: layer, cls: 'vector_layer', children: true },
        feature_layer: { fields: [] },
      })
    })

    test('updates, moves and deletes a resource', async () => {
      const { id } = await create({ display_name: 'Before' })
      const target = await create({ display_name: 'Target' })
      const resource = { display_name: 'After', parent: { id: target.id } }
      const items = { source: 'survey', year: 2021 }
      expect(await connector.updateResource(id, { resource, resmeta: { items } })).toEqual({})
      const changed = await (await server.admin('GET', `/api/resource/${id}`)).json()
      expect(changed).toMatchObject({ resource, resmeta: { items } })
      await connector.deleteResource(id)
      expect((await server.admin('GET', `/api/resource/${id}`)).status).toBe(404)
    })

    test('uploads a file in chunks of unknown length, and creates a layer from it', async () => {
      const collection = { type: 'FeatureCollection', features: [feature('Łódź', 19.46, 51.77)] }
      const file = { file: Buffer.from(JSON.stringify(collection)), name: 'towns.geojson' }
      const sent = await connector.post<{ upload_meta: object[] }>('file_upload.upload', { file })
      const [source] = sent.upload_meta
      expect(source).toMatchObject({ name: 'towns.geojson', size: file.file.length })
      const { id } = await create(
        { cls: 'vector_layer', display_name: 'Towns' },
        { vector_layer: { srs: { id: 3857 }, source } },
      )
      expect(await connector.get('feature_layer.feature.count', null, { id })).toEqual({ total_count: 1 })
      const permissions = await connector.get('resource.permission', null, { id })
      expect(permissions).toMatchObject({ resource: { read: true }, data: { write: true } })
    })

    test('reports the message of a failed request', async () => {
      await create({ display_name: 'Taken' })
      await expect(create({ display_name: 'Taken' })).rejects.toMatch(/Display name is not unique/)
      await expect(connector.get('resource.item', null, { id: 999_999 })).rejects.toMatch(/999999/)
    })

    test('returns undefined for an unknown route', async () => {
      expect(await connector.get('resource.nonsense')).toBeUndefined()
    })
  })

  describe('requests of version 3 by route', () => {
    test('escape values, and report title, message and code of a failure', async () => {
      const connector = createConnector(3, { baseUrl: server.url, auth })
      const name = 'R&D = 100 % #1'
      const group = await createGroup(server.admin, 0, { display_name: name })
      const found = await connector
        .route('resource.search')
        .get<{ resource: { id: number } }[]>({ query: { display_name: name, serialization: 'full' } })
      expect(found).toMatchObject([{ resource: { id: group } }])
      const json = { resource: { cls: 'resource_group', parent: { id: group }, display_name: 'Child' } }
      const child = await connector.route('resource.collection').post<{ id: number }>({ json })
      const item = connector.route('resource.item', { id: child.id })
      expect(await item.put({ json: { resource: { description: 'x' } } })).toEqual({})
      expect(await item.get()).toMatchObject({ resource: { description: 'x' } })
      expect(await item.delete()).toEqual({})
      await expect(connector.route('resource.item', { id: child.id }).get()).rejects.toMatchObject({
        title: 'Resource not found',
        message: expect.stringContaining(String(child.id)),
        data: { status_code: 404, exception: 'nextgisweb.resource.exception.ResourceNotFound' },
      })
    })
  })
})

describeServer(
  'the connector from npm, with a server in the NextGIS dialect',
  (start) => {
    test.each(connectorVersions)(
      'version %i creates, reads and finds a style by its NextGIS class name',
      async (version) => {
        const server = await start()
        const layer = await createLayer(server.admin, { name: `L ${version}`, geometryType: 'POINT' })
        const [login, password] = [`nextgis${version}`, userPassword]
        const member_of = [await principalId(server.database, 'administrators')]
        await server.admin('POST', '/api/component/auth/user/', { keyname: login, password, member_of })
        const connector = createConnector(version, { baseUrl: server.url, auth: { login, password } })
        const xml = styleXml('<width>2</width>')
        const resource = { cls: 'mapserver_style', parent: { id: layer }, display_name: 'Style' }
        const data = { resource, mapserver_style: { xml } }
        const { id } = await connector.post<{ id: number }>('resource.collection', { data })
        expect(await connector.getResource(id)).toMatchObject({
          resource: { cls: 'mapserver_style' },
          mapserver_style: { xml },
        })
        const [child] = await connector.getResourceChildren(layer)
        expect(child?.resource).toMatchObject({ id, cls: 'mapserver_style' })
        const found = await connector.getResourcesBy({ cls: 'mapserver_style', parent: { id: layer } })
        expect(found.map((one) => one.resource.id)).toEqual([id])
      },
    )
  },
  { dialect: 'nextgis' },
)

const feature = (name: string, ...coordinates: readonly number[]) => ({
  type: 'Feature',
  properties: { name },
  geometry: { type: 'Point', coordinates },
})
