import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer('postgres')
})
afterAll(() => server.stop())

interface Schema {
  readonly scopes: Record<
    string,
    { label: string; identity: string; permissions: Record<string, { label: string }> }
  >
  readonly resources: Record<string, { scopes: string[]; identity: string; label: string }>
}

const readSchema = async () => (await server.guest('GET', '/resource/schema')).json<Schema>()

describe('Instance information', () => {
  test('GET /api/component/core/pkg_version: object mapping component name to version string', async () => {
    const answer = await server.guest('GET', '/api/component/core/pkg_version')
    expect(answer.status).toBe(200)
    const versions = Object.entries(await answer.json<Record<string, string>>())
    expect(versions.length).toBeGreaterThan(0)
    for (const [name, version] of versions)
      expect([name, version]).toEqual([
        expect.stringMatching(/^\w+$/),
        expect.stringMatching(/^\d+\.\d+\.\d+/),
      ])
  })

  test('GET /api/component/core/route: object mapping route name to an array: URL template with positional placeholders ({0}, {1}), then the names of the placeholders', async () => {
    const answer = await server.guest('GET', '/api/component/core/route')
    expect(answer.status).toBe(200)
    const routes = await answer.json<Record<string, string[]>>()
    expect(routes['resource.item']).toEqual(['/api/resource/{0}', 'id'])
    expect(routes['feature_layer.feature.item']).toEqual(['/api/resource/{0}/feature/{1}', 'id', 'fid'])
    for (const [name, [template = '', ...names]] of Object.entries(routes)) {
      const places = [...template.matchAll(/\{(.*?)\}/g)].map(([, place]) => place)
      expect([name, places]).toEqual([name, names.map((_, at) => String(at))])
    }
  })

  test('GET /resource/schema: {scopes: {<scope>: {label, identity, permissions: {<perm>: {label}}}}, resources: {<class>: {scopes: [..], identity, label}}}', async () => {
    const { scopes, resources, ...rest } = await readSchema()
    expect(rest).toEqual({})
    for (const [name, { label, identity, permissions, ...more }] of Object.entries(scopes)) {
      expect([identity, typeof label, more]).toEqual([name, 'string', {}])
      for (const permission of Object.values(permissions))
        expect(permission).toEqual({ label: expect.stringMatching(/./) })
    }
    for (const [name, resource] of Object.entries(resources))
      expect(resource).toEqual({
        identity: name,
        label: expect.stringMatching(/./),
        scopes: expect.any(Array),
      })
  })
})

describe('Scopes and permissions (from the schema endpoint)', () => {
  test.each([
    ['resource', ['manage_children', 'change_permissions', 'read', 'create', 'update', 'delete']],
    ['service', ['connect', 'configure']],
    ['datastruct', ['write', 'read']],
    ['connection', ['write', 'read', 'connect']],
    ['webmap', ['display']],
    ['data', ['write', 'read']],
    ['metadata', ['write', 'read']],
  ])('scope %s has the permissions %j', async (scope, permissions) => {
    const { scopes } = await readSchema()
    expect(Object.keys(scopes[scope]?.permissions ?? {}).sort()).toEqual([...permissions].sort())
  })

  test('Each scope and each class has a label string as well as an identity', async () => {
    const { scopes, resources } = await readSchema()
    const labels = [...Object.values(scopes), ...Object.values(resources)].map(({ label }) => label)
    expect(labels.every((label) => label.length > 0)).toBe(true)
    expect(Object.keys(scopes)).toHaveLength(7)
  })

  test('the classes of the document are there, with the identities resource (the base class) and basemap_layer, and no others', async () => {
    const { resources } = await readSchema()
    const named = `resource_group, geodb_layer, wmsserver_service, baselayers, geodb_connection, webmap,
      wfsserver_service, vector_layer, raster_layer, mapsrv_style, desk_vector_style, raster_style, file_bucket,
      lookup_table, wmsclient_layer, wmsclient_connection, formbuilder_form, trackers_group, tracker,
      collector_project, resource, basemap_layer`
    expect(Object.keys(resources).sort()).toEqual(named.split(/,\s+/).sort())
  })

  // Those that the table of the document leaves out hold data.
  test.each([
    [
      ['file_bucket', 'tracker', 'trackers_group', 'formbuilder_form', 'collector_project', 'baselayers'],
      ['resource', 'data', 'metadata'],
    ],
    [
      ['resource', 'resource_group'],
      ['resource', 'metadata'],
    ],
    [
      ['raster_style', 'mapsrv_style', 'desk_vector_style', 'lookup_table', 'basemap_layer'],
      ['resource', 'data', 'metadata'],
    ],
    [
      ['geodb_connection', 'wmsclient_connection'],
      ['connection', 'resource', 'metadata'],
    ],
    [
      ['vector_layer', 'wmsclient_layer', 'geodb_layer', 'raster_layer'],
      ['resource', 'datastruct', 'data', 'metadata'],
    ],
    [
      ['wfsserver_service', 'wmsserver_service'],
      ['resource', 'service', 'metadata'],
    ],
    [['webmap'], ['resource', 'webmap', 'metadata']],
  ])('the classes %j have the scopes %j', async (classes, scopes) => {
    const { resources } = await readSchema()
    for (const name of classes)
      expect([name, [...(resources[name]?.scopes ?? [])].sort()]).toEqual([name, [...scopes].sort()])
  })
})
