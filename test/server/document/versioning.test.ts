import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStyledLayer, type StyledLayer } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createLayer, createResource } from '../../support/tree.ts'

let server: TestServer
let family: StyledLayer
let map: number
let desk: number
beforeAll(async () => {
  server = await startTestServer('postgres')
  family = await createStyledLayer(server.admin)
  map = await createResource(server.admin, { cls: 'webmap', name: 'Map' })
  desk = await createResource(server.admin, { cls: 'desk_vector_style', parent: family.layer, name: 'Desk' })
})
afterAll(() => server.stop())

const statusOf = async (path: string) => (await server.admin('GET', path)).status

describe('Versioning', () => {
  test('1. GET /api/component/core/pkg_version returns the version of each installed component.', async () => {
    const answer = await server.guest('GET', '/api/component/core/pkg_version')
    const versions = Object.values(await answer.json<Record<string, string>>())
    expect(versions.length).toBeGreaterThan(0)
    for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+/)
  })

  test('2. The version is at least that of everything the document offers: 3.1', async () => {
    const answer = await server.guest('GET', '/api/component/core/pkg_version')
    const { nextgisweb = '' } = await answer.json<Record<string, string>>()
    const [major = 0, minor = 0] = nextgisweb.split('.').map(Number)
    expect(major > 3 || (major === 3 && minor >= 1)).toBe(true)
  })

  test.each([
    ['version request: from 3.0', () => '/api/component/core/pkg_version'],
    ['route list: from 3.0', () => '/api/component/core/route'],
    ['schema: from 3.0', () => '/resource/schema'],
    ['display interface: from 3.0', () => `/resource/${map}/display`],
    ['GeoJSON file: from 3.0', () => `/api/resource/${family.layer}/geojson`],
    ['style file request: from 3.0.1', () => `/api/resource/${desk}/qml`],
    ['vector tile request: from 3.0.4', () => tile(family.layer)],
    [
      'path-style vector tile request: deprecated from 3.0.4',
      () => `/api/resource/${family.layer}/0/0/0.mvt`,
    ],
  ])('2. Availability by version: %s', async (_, path) => {
    expect([200, 204]).toContain(await statusOf(path()))
  })

  test('2. Availability by version: feature list filters: from 3.1', async () => {
    const fields = [{ keyname: 'name', datatype: 'STRING' }]
    const id = await createLayer(server.admin, { name: 'Filtered', geometryType: 'POINT', fields })
    const features = `/api/resource/${id}/feature/`
    const named = ['Alps', 'Andes', 'Urals'].map((name) => ({ geom: 'POINT (0 0)', fields: { name } }))
    expect((await server.admin('PATCH', features, named)).status).toBe(200)
    const found = await (await server.admin('GET', `${features}?fld_name__like=A%25`)).json<typeof named>()
    expect(found.map(({ fields: { name } }) => name)).toEqual(['Alps', 'Andes'])
  })
})

const tile = (layer: number) => `/api/component/feature_layer/mvt?x=0&y=0&z=0&resource=${layer}`
