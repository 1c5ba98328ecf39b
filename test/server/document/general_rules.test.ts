import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStyledLayer, type StyledLayer, uploadContent } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

let server: TestServer
let family: StyledLayer
beforeAll(async () => {
  server = await startTestServer('postgres')
  family = await createStyledLayer(server.admin)
})
afterAll(() => server.stop())

const createGroup = (name: string) =>
  createResource(server.admin, { cls: 'resource_group', parent: family.group, name })

describe('What the service does: general rules', () => {
  test('1. REST requests carry the header `Accept: */*`.', async () => {
    for (const accept of ['*/*', 'application/json', 'text/html']) {
      const answer = await server.admin('GET', `/api/resource/${family.group}`, undefined, { accept })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    }
  })

  test('2. Request and response bodies are JSON unless stated otherwise.', async () => {
    const id = await createGroup('As JSON')
    const path = `/api/resource/${id}`
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { resource: { description: 'x' } }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await server.admin(method, path, body)
      expect([method, answer.headers.get('content-type')]).toEqual([method, 'application/json'])
      expect(await answer.json()).toEqual(expect.any(Object))
    }
    const malformed = await server.admin('PUT', `/api/resource/${family.group}`, '{"resource":')
    expect(malformed.status).toBe(400)
  })

  test('3. Success on change requests is status 200.', async () => {
    const statusOf = async (...asked: Parameters<typeof server.admin>) =>
      (await server.admin(...asked)).status
    const resource = { cls: 'resource_group', parent: { id: family.group }, display_name: 'Changed' }
    const created = await server.admin('POST', '/api/resource/', { resource })
    const { id } = await created.json<{ id: number }>()
    expect(created.status).toBe(200)
    expect(await statusOf('PUT', `/api/resource/${id}`, { resmeta: { items: { a: 1 } } })).toBe(200)
    expect(await statusOf('DELETE', `/api/resource/${id}`)).toBe(200)
    const features = `/api/resource/${family.layer}/feature/`
    const made = await server.admin('POST', features, { geom: 'POINT (1 2)', fields: {} })
    const feature = await made.json<{ id: number }>()
    expect(made.status).toBe(200)
    expect(await statusOf('PUT', features + feature.id, { geom: 'POINT (3 4)' })).toBe(200)
    expect(await statusOf('PATCH', features, [{ geom: 'POINT (5 6)', fields: {} }])).toBe(200)
    expect(await statusOf('DELETE', features + feature.id)).toBe(200)
    expect(await statusOf('PUT', '/api/component/file_upload/', 'content')).toBe(200)
  })
})

describe('Errors', () => {
  test('1. Successful change requests return status 200, and others none below 400', async () => {
    const failed = await server.admin('PUT', `/api/resource/${family.group}`, { resource: { parent: 'x' } })
    expect(failed.status).toBe(422)
    expect(await failed.json()).toMatchObject({
      status_code: 422,
      title: expect.any(String),
      message: expect.stringContaining('$.resource.parent'),
      exception: expect.stringMatching(/^nextgisweb\./),
    })
  })
})

describe('Upload object', () => {
  test('{id (string), name (string), mime_type (string), size (integer)}', async () => {
    const form = new FormData()
    form.append('file', new Blob(['content'], { type: 'text/plain' }), 'a.txt')
    const answer = await server.admin('POST', '/api/component/file_upload/', form)
    expect(await answer.json()).toEqual({
      upload_meta: [{ id: expect.any(String), name: 'a.txt', mime_type: 'text/plain', size: 7 }],
    })
  })

  test('When used as the source of a vector layer it also carries encoding (string).', async () => {
    const point = {
      type: 'Feature',
      properties: { name: 'Łódź' },
      geometry: { type: 'Point', coordinates: [1, 2] },
    }
    const content = JSON.stringify({ type: 'FeatureCollection', features: [point] })
    const upload = await uploadContent(server.admin, content)
    const source = { ...upload, name: 'a.geojson', encoding: 'UTF-8' }
    const id = await createResource(server.admin, {
      cls: 'vector_layer',
      parent: family.group,
      name: 'Encoded',
      members: { vector_layer: { source, srs: { id: 3857 } } },
    })
    const features = await server.admin('GET', `/api/resource/${id}/feature/`)
    expect(await features.json()).toMatchObject([{ fields: { name: 'Łódź' } }])
  })
})
