import { beforeAll, expect, test } from 'vitest'
import { createApi } from '../../../src/api/api.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { type Block, manifestOf, tell } from '../../reconcile/support/literals.ts'
import { adminPassword, describeServer, type TestServer } from '../../support/server.ts'

const config = { plain: true, dialect: 'nextgis' } as const

describeServer(
  'a plain server in the NextGIS dialect',
  (start) => {
    let server: TestServer
    beforeAll(async () => {
      server = await start()
    })
    let made = 0
    const post = (more: object = {}, members: object = {}) => {
      made += 1
      const resource = { cls: 'resource_group', parent: { id: 0 }, display_name: `Plain ${made}`, ...more }
      return server.admin('POST', '/api/resource/', { resource, ...members })
    }
    const idOf = async (answer: Awaited<ReturnType<typeof post>>) => (await answer.json<{ id: number }>()).id

    test('lists files without their digests', async () => {
      const upload = await server.admin('PUT', '/api/component/file_upload/upload', 'content')
      const { id } = await upload.json<{ id: string }>()
      const files = [{ id, name: 'a.txt' }]
      const created = await post({ cls: 'file_bucket' }, { file_bucket: { files } })
      const answer = await server.admin('GET', `/api/resource/${await idOf(created)}`)
      const { file_bucket: bucket } = await answer.json<{ file_bucket: unknown }>()
      expect(bucket).toEqual({ files: [{ name: 'a.txt', mime_type: 'text/plain;charset=UTF-8', size: 7 }] })
    })

    test('returns 201 for creations, and null for updates', async () => {
      const created = await post()
      expect(created.status).toBe(201)
      const body = await created.json<{ id: number }>()
      expect(body).toEqual({ id: expect.any(Number), parent: { id: 0 } })
      const path = `/api/resource/${body.id}`
      const changed = await server.admin('PUT', path, { resource: { description: 'x' } })
      expect([changed.status, await changed.json()]).toEqual([200, null])
      const deleted = await server.admin('DELETE', path)
      expect([deleted.status, await deleted.json()]).toEqual([200, null])
      const raw = await server.admin('PUT', '/api/component/file_upload/upload', 'content')
      expect(raw.status).toBe(201)
      const form = new FormData()
      form.append('file', new Blob(['content']), 'a.txt')
      expect((await server.admin('POST', '/api/component/file_upload/upload', form)).status).toBe(200)
    })

    test('returns only the id after a new password', async () => {
      const user = { keyname: 'plain', password: 'a good password' }
      const { id } = await (await server.admin('POST', '/api/component/auth/user/', user)).json<{
        id: number
      }>()
      const changed = await server.admin('PUT', `/api/component/auth/user/${id}`, { password: 'another one' })
      expect([changed.status, await changed.json()]).toEqual([200, { id }])
      const body = { password: 'the last one', old_password: 'another one' }
      const own = await server.as('plain', 'another one')('PUT', '/api/component/auth/profile', body)
      expect([own.status, await own.json()]).toEqual([200, {}])
    })

    test('replaces metadata', async () => {
      const id = await idOf(await post({}, { resmeta: { items: { a: 1, b: 2 } } }))
      await server.admin('PUT', `/api/resource/${id}`, { resmeta: { items: { b: 3, c: 4 } } })
      const read = await server.admin('GET', `/api/resource/${id}`)
      expect(await read.json()).toMatchObject({ resmeta: { items: { b: 3, c: 4 } } })
      await server.admin('PUT', `/api/resource/${id}`, { resource: { description: 'leaves them' } })
      const again = await (await server.admin('GET', `/api/resource/${id}`)).json<{ resmeta: object }>()
      expect(again.resmeta).toEqual({ items: { b: 3, c: 4 } })
      await server.admin('PUT', `/api/resource/${id}`, { resmeta: { items: {} } })
      const empty = await (await server.admin('GET', `/api/resource/${id}`)).json<{ resmeta: object }>()
      expect(empty.resmeta).toEqual({ items: {} })
    })

    test('has no members, headers or routes of landform', async () => {
      const fields = [{ keyname: 'a', datatype: 'STRING' }]
      const own = { srs: { id: 3857 }, geometry_type: 'POINT', fields }
      const id = await idOf(await post({ cls: 'vector_layer' }, { vector_layer: own }))
      const answer = await server.admin('GET', `/api/resource/${id}`)
      const body = await answer.json<{ resource: object; vector_layer: object }>()
      expect(body.resource).not.toHaveProperty('version')
      expect(body.vector_layer).toEqual({ srs: { id: 3857 }, geometry_type: 'POINT' })
      expect(answer.headers.get('etag')).toBeNull()
      const search = await server.admin('GET', '/api/resource/search/?serialization=full')
      expect(search.headers.get('x-total-count')).toBeNull()
      expect(JSON.stringify(await search.json())).not.toContain('"version"')
      const versions = await server.guest('GET', '/api/component/pyramid/pkg_version')
      expect(await versions.json()).toEqual({ nextgisweb: expect.any(String) })
      const routes = await (await server.guest('GET', '/api/component/pyramid/route')).json<object>()
      expect(Object.keys(routes).filter((name) => name.startsWith('landform'))).toEqual([])
      expect(routes).toHaveProperty(['resource.item'])
      const batch = await server.admin('POST', '/api/component/landform/batch', { operations: [] })
      expect(batch.status).toBe(404)
      const failed = await server.admin('GET', '/api/resource/999999')
      const fault = await failed.json<object>()
      expect(fault).toMatchObject({
        status_code: 404,
        exception: expect.stringContaining('ResourceNotFound'),
      })
      expect(fault).not.toHaveProperty('code')
      // The same failure has a hint where the server speaks in its own way: the class is not spelled like that.
      const misspelt = await (await post({ cls: 'resource_grup' })).json<object>()
      expect(misspelt).toMatchObject({ message: expect.stringContaining('resource_grup') })
      expect(misspelt).not.toHaveProperty('hint')
    })

    test('ignores conditional headers and idempotency keys', async () => {
      const id = await idOf(await post())
      const change = { resource: { description: 'x' } }
      const answer = await server.admin('PUT', `/api/resource/${id}`, change, { 'if-match': '"99"' })
      expect(answer.status).toBe(200)
      const headers = { 'idempotency-key': 'a' }
      const upload = async () =>
        idOf(await server.admin('PUT', '/api/component/file_upload/', 'content', headers))
      expect(await upload()).not.toBe(await upload())
    })

    test('uses the NextGIS dialect, also in errors, and reads both', async () => {
      const own = { srs: { id: 3857 }, geometry_type: 'POINT', fields: [] }
      const layer = await idOf(await post({ cls: 'vector_layer' }, { vector_layer: own }))
      for (const cls of ['mapsrv_style', 'mapserver_style']) {
        const id = await idOf(await post({ cls, parent: { id: layer } }))
        const read = await server.admin('GET', `/api/resource/${id}`)
        expect(await read.json()).toMatchObject({
          resource: { cls: 'mapserver_style' },
          mapserver_style: { xml: expect.any(String) },
        })
        const failed = await post({ cls, parent: { id: layer } }, { [cls]: { xml: 5 } })
        expect(await failed.json()).toMatchObject({
          status_code: 422,
          message: expect.stringContaining('$.mapserver_style.xml'),
          data: { location: ['body', '/mapserver_style/xml'] },
        })
      }
      const misplaced = await post({ cls: 'mapsrv_style' })
      expect(await misplaced.json()).toMatchObject({
        status_code: 422,
        data: { cls: 'mapserver_style', parent_cls: 'resource_group' },
      })
      const tables = await server.admin('GET', '/api/resource/search/?cls=mapserver_style')
      expect(await tables.json<object[]>()).toHaveLength(2)
    })

    test('is treated by the toolkit as NextGIS Web: applies a manifest, and then plans no changes', async () => {
      const api = createApi({
        url: server.url,
        credentials: { login: 'administrator', password: adminPassword },
      })
      try {
        const manifest = manifestOf(blocks, 'plain')
        const plan = await planManifest({ api, manifest })
        const report = await applyPlan({ api, plan, atomic: false })
        expect(report.outcomes.map(({ outcome, problem }) => problem?.message ?? outcome)).toEqual(
          Object.keys(blocks).map(() => 'created'),
        )
        expect(api.dialect).toBe('nextgis')
        expect(tell(await planManifest({ api, manifest }))).toEqual([])
        const changed = manifestOf(
          { ...blocks, plain: { ...blocks.plain, resmeta: { note: 'new' } } },
          'plain',
        )
        await applyPlan({ api, plan: await planManifest({ api, manifest: changed }), atomic: false })
        expect(tell(await planManifest({ api, manifest: changed }))).toEqual([])
      } finally {
        await api.close()
      }
    })
  },
  config,
)

const blocks: Readonly<Record<string, Block>> = {
  plain: { displayName: 'Plain', resmeta: { note: 'kept', other: 1 } },
  'plain.layer': {
    cls: 'vector_layer',
    parent: 'plain',
    displayName: 'Layer',
    members: {
      vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' },
      feature_layer: { fields: [{ keyname: 'x', datatype: 'STRING' }] },
    },
  },
  'plain.style': {
    cls: 'mapsrv_style',
    parent: 'plain.layer',
    displayName: 'Style',
    members: { mapsrv_style: { xml: '<map><layer/></map>' } },
  },
}
