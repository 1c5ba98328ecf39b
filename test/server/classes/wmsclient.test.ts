import { expect, test } from 'vitest'
import { type Ask, describeServer } from '../../support/server.ts'
import { allow, createResource } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'
import { capabilities, type TestService, useService } from '../../support/wms.ts'

const startService = useService()

interface Connection {
  readonly url: string
  readonly username: string | null
  readonly version: string
  readonly capcache: { formats: string[]; layers: { id: string }[] } | null
}

const createConnection = (ask: Ask, name: string, connection: object) =>
  createResource(ask, {
    cls: 'wmsclient_connection',
    name,
    members: { wmsclient_connection: { version: '1.3.0', ...connection } },
  })

const readConnection = async (ask: Ask, id: number) =>
  (await (await ask('GET', `/api/resource/${id}`)).json<{ wmsclient_connection: Connection }>())
    .wmsclient_connection

const change = (ask: Ask, id: number, connection: object) =>
  ask('PUT', `/api/resource/${id}`, { wmsclient_connection: connection })

const createLayer = (ask: Ask, name: string, layer: object) =>
  createResource(ask, {
    cls: 'wmsclient_layer',
    name,
    members: {
      wmsclient_layer: { srs: { id: 3857 }, imgformat: 'image/png', wmslayers: 'roads', ...layer },
    },
  })

const readLayer = async (ask: Ask, id: number) =>
  (await (await ask('GET', `/api/resource/${id}`)).json<{ wmsclient_layer: object }>()).wmsclient_layer

/** The service of the file, answering with capabilities, and nothing seen yet. */
async function service(): Promise<TestService> {
  const found = await startService()
  found.requests.length = 0
  found.answer = (_, response) => response.end(capabilities)
  return found
}

const message = async (answer: { json<T>(): Promise<T> }) =>
  (await answer.json<{ message: string }>()).message

describeServer(
  'WMS connections and layers',
  (start) => {
    test('a connection is read back without its password, and does not contact the service', async () => {
      const { admin } = await start()
      const { url, requests } = await service()
      const id = await createConnection(admin, 'Read', { url, username: 'ann', password: 'sesame-1' })
      const text = await (await admin('GET', `/api/resource/${id}`)).text()
      expect(text).not.toContain('sesame-1')
      expect(JSON.parse(text).wmsclient_connection).toEqual({
        url,
        username: 'ann',
        version: '1.3.0',
        capcache: null,
      })
      expect(requests).toEqual([])
      const open = await createConnection(admin, 'Read without', { url })
      expect(await readConnection(admin, open)).toMatchObject({ username: null, password: null })
    })

    test('query reads the capabilities, clear deletes them, and nothing else changes them', async () => {
      const { admin } = await start()
      const { url, requests } = await service()
      const id = await createConnection(admin, 'Query', { url: `${url}/wms?map=a`, capcache: 'query' })
      const offered = (await readConnection(admin, id)).capcache
      expect(offered).toEqual({
        formats: ['image/png', 'image/jpeg'],
        layers: [
          { id: 'roads', title: 'Roads & paths', index: 1, bbox: [5.5, 47, 15, 55] },
          { id: 'rails', title: 'rails', index: 2 },
        ],
      })
      expect(requests).toEqual(['GET /wms?map=a&SERVICE=WMS&REQUEST=GetCapabilities&VERSION=1.3.0'])
      const whole = await readConnection(admin, id)
      expect((await change(admin, id, whole)).status).toBe(200)
      expect(await readConnection(admin, id)).toEqual(whole)
      expect((await change(admin, id, { capcache: 'clear' })).status).toBe(200)
      expect((await readConnection(admin, id)).capcache).toBeNull()
      expect((await change(admin, id, { capcache: 'query' })).status).toBe(200)
      expect((await readConnection(admin, id)).capcache).toEqual(offered)
      await change(admin, id, { version: '1.1.1' })
      expect((await readConnection(admin, id)).capcache).toBeNull()
      expect(requests).toHaveLength(2)
    })

    test('the password is encrypted in the database, and sent to its service', async () => {
      const { admin, database } = await start()
      const { url, requests } = await service()
      const login = { username: 'ann', password: 'sesame-2' }
      const id = await createConnection(admin, 'Sealed', { url, ...login })
      const kept = await database.query('select * from wmsclient_connection where resource_id = $1', [id])
      expect(JSON.stringify(kept)).not.toContain('sesame-2')
      await change(admin, id, { capcache: 'query' })
      expect(requests.at(-1)).toContain(`Basic ${btoa('ann:sesame-2')}`)
      await change(admin, id, { password: 'other', capcache: 'query' })
      expect(requests.at(-1)).toContain(`Basic ${btoa('ann:other')}`)
      await change(admin, id, { username: null, password: null, capcache: 'query' })
      expect(requests.at(-1)).not.toContain('Basic')
    })

    test('a password is not sent to another server after a change of the address', async () => {
      const { admin } = await start()
      const { url, requests } = await service()
      const login = { username: 'ann', password: 'sesame-3' }
      const id = await createConnection(admin, 'Thief', { url: 'https://maps.example.org/wms', ...login })
      for (const more of [{}, { capcache: 'query' }]) {
        const refused = await change(admin, id, { url, ...more })
        expect([refused.status, await message(refused)]).toEqual([
          422,
          expect.stringContaining(
            'url changes only together with the stored password - at $.wmsclient_connection.password',
          ),
        ])
      }
      expect(requests).toEqual([])
      // Even on the same server, a path may belong to somebody else.
      expect((await change(admin, id, { url: 'https://maps.example.org/other' })).status).toBe(422)
      expect((await change(admin, id, { url: 'HTTPS://maps.example.org:443/wms' })).status).toBe(200)
      expect((await change(admin, id, { url, password: 'new' })).status).toBe(200)
    })

    test.each([
      ['an address that is none', { url: 'maps.example.org' }, 'url'],
      ['an address of a file', { url: 'file:///etc/passwd' }, 'url'],
      ['an address with a login', { url: 'https://ann:sesame@maps.example.org/' }, 'url'],
      ['an unknown version', { url: 'https://a.example/', version: '1.0.0' }, 'version'],
      ['a password for nobody', { url: 'https://a.example/', password: 'sesame' }, 'username'],
      ['a word that is none', { url: 'https://a.example/', capcache: 'ask' }, 'capcache'],
    ])('%s is refused with the location and without the password', async (name, connection, field) => {
      const { admin } = await start()
      const answer = await admin('POST', '/api/resource/', {
        resource: { cls: 'wmsclient_connection', parent: { id: 0 }, display_name: name },
        wmsclient_connection: { version: '1.3.0', ...connection },
      })
      const text = await answer.text()
      expect([answer.status, JSON.parse(text).message]).toEqual([
        422,
        expect.stringMatching(new RegExp(`- at \\$\\.wmsclient_connection\\.${field}$`)),
      ])
      expect(text).not.toContain('sesame')
    })

    test.each<[string, (url: string) => string, RegExp]>([
      ['connection refused', () => 'http://127.0.0.1:9/', /connection refused/],
      [
        'another kind of service answers',
        (url) => `${url}/page`,
        /did not return WMS capabilities: its root element is <html>/,
      ],
      ['it refuses', (url) => `${url}/login`, /returned status 401/],
    ])('a query reports why it fails if %s, and leaves nothing behind', async (name, urlOf, why) => {
      const { admin } = await start()
      const other = await service()
      other.answer = ({ url }, response) => {
        response.writeHead(url?.startsWith('/login') ? 401 : 200).end('<html></html>')
      }
      const answer = await admin('POST', '/api/resource/', {
        resource: { cls: 'wmsclient_connection', parent: { id: 0 }, display_name: name },
        wmsclient_connection: { version: '1.3.0', url: urlOf(other.url), capcache: 'query' },
      })
      expect([answer.status, await message(answer)]).toEqual([503, expect.stringMatching(why)])
      expect(
        await (await admin('GET', `/api/resource/search/?display_name=${encodeURI(name)}`)).json(),
      ).toEqual([])
    })

    test('a layer is read back with its connection, and an update keeps absent fields', async () => {
      const { admin } = await start()
      const connection = { id: await createConnection(admin, 'For a layer', { url: 'https://a.example/' }) }
      const id = await createLayer(admin, 'Layer', { connection, vendor_params: { MAP: 'main' } })
      const whole = {
        connection,
        srs: { id: 3857 },
        wmslayers: 'roads',
        imgformat: 'image/png',
        vendor_params: { MAP: 'main' },
      }
      expect(await readLayer(admin, id)).toEqual(whole)
      const more = { srs: { id: 25832 }, vendor_params: {} }
      expect((await admin('PUT', `/api/resource/${id}`, { wmsclient_layer: more })).status).toBe(200)
      expect(await readLayer(admin, id)).toEqual({ ...whole, ...more })
      expect((await admin('PUT', `/api/resource/${id}`, { wmsclient_layer: {} })).status).toBe(200)
      const refused = await admin('DELETE', `/api/resource/${connection.id}`)
      expect([refused.status, await refused.json()]).toEqual([
        409,
        expect.objectContaining({ data: { count: 1, referrers: [{ id, target: connection }] } }),
      ])
    })

    test.each([
      ['a layer that the service does not have', { wmslayers: 'roads,rivers' }, 'wmslayers'],
      ['a kind of picture it does not give', { imgformat: 'image/webp' }, 'imgformat'],
      ['an empty name', { wmslayers: 'roads,,rails' }, 'wmslayers'],
      ['a reference system nobody knows', { srs: { id: 999_999 } }, 'srs.id'],
      ['a parameter that requests have', { vendor_params: { LAYERS: 'x' } }, 'vendor_params.LAYERS'],
      ['a parameter that is no text', { vendor_params: { a: 1 } }, 'vendor_params.a'],
      ['what is no connection', { connection: { id: 0 } }, 'connection'],
      ['a connection that is not there', { connection: { id: 2_000_000 } }, 'connection'],
    ])('%s is refused with the location', async (name, layer, field) => {
      const { admin } = await start()
      const { url } = await service()
      const connection = { id: await createConnection(admin, name, { url, capcache: 'query' }) }
      await expect(createLayer(admin, `Bad ${name}`, { connection, ...layer })).rejects.toThrow(
        new RegExp(`422 .*- at \\$\\.wmsclient_layer\\.${field}$`),
      )
      await createLayer(admin, `Good ${name}`, { connection, wmslayers: 'rails, roads' })
    })

    test('a connection requires connection.read for its address, and connection.connect for its capabilities', async () => {
      const { admin, as, database } = await start()
      const { url } = await service()
      const user = await createUser(database, 'reader')
      const reader = as('reader', userPassword)
      const id = await createConnection(admin, 'Guarded', { url, capcache: 'query' })
      const layer = await createLayer(admin, 'Guarded layer', { connection: { id } })
      const root = await (await admin('GET', '/api/resource/0')).json<{
        resource: { permissions: object[] }
      }>()
      const read = { ...allow(user, 'resource', 'read'), propagate: false }
      await admin('PUT', '/api/resource/0', {
        resource: { permissions: [...root.resource.permissions, read] },
      })
      const permit = (...permissions: string[]) =>
        admin('PUT', `/api/resource/${id}`, {
          resource: {
            permissions: [
              allow(user, 'resource'),
              ...permissions.map((name) => allow(user, 'connection', name)),
            ],
          },
        })
      await admin('PUT', `/api/resource/${layer}`, {
        resource: { permissions: ['resource', 'data'].map((scope) => allow(user, scope)) },
      })
      const view = async () => [
        Object.keys(await readConnection(reader, id)),
        (await (await reader('GET', `/api/resource/${layer}/permission`)).json<{ data: { read: boolean } }>())
          .data.read,
        (await change(reader, id, { version: '1.1.1' })).status,
      ]
      await permit()
      expect(await view()).toEqual([[], false, 403])
      await permit('read')
      expect(await view()).toEqual([['url', 'username', 'password', 'version'], false, 403])
      await permit('connect')
      expect(await view()).toEqual([['capcache'], true, 403])
      await permit('read', 'write')
      expect(await view()).toEqual([['url', 'username', 'password', 'version'], false, 200])
      const other = await createConnection(admin, 'Open', { url })
      await admin('PUT', `/api/resource/${other}`, {
        resource: { permissions: ['resource', 'connection'].map((scope) => allow(user, scope)) },
      })
      await admin('PUT', `/api/resource/${layer}`, { wmsclient_layer: { connection: { id: other } } })
      expect((await view())[1]).toBe(true)
    })
  },
  { allowPrivateAddresses: true },
)

describeServer('a server without access to private networks', (start) => {
  test.each(['http://127.0.0.1/', 'http://localhost/', 'http://[::1]/', 'http://169.254.169.254/latest'])(
    'refuses to contact %s, and keeps connections that it does not contact',
    async (url) => {
      const { admin } = await start()
      await expect(createConnection(admin, url, { url, capcache: 'query' })).rejects.toThrow(
        `422 Cannot fetch from ${new URL(url).host}: it is in a private network`,
      )
      await createConnection(admin, url, { url })
    },
  )
})
