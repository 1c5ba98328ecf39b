import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Upload } from '../../../src/contract/bodies/resource.ts'
import { openAttachments } from '../../support/attachments.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createLayer, createResource } from '../../support/tree.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer('postgres')
})
afterAll(() => server.stop())

const path = '/api/component/file_upload/'
const send = async (parts: readonly (readonly [name: string, value: string | Blob, fileName?: string])[]) => {
  const form = new FormData()
  for (const [name, value, fileName] of parts)
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, fileName)
  const answer = await server.admin('POST', path, form)
  expect(answer.status).toBe(200)
  return answer.json<{ upload_meta: Upload[] }>()
}
const file = (text: string, type = '') => new Blob([text], { type })

describe('Upload object', () => {
  test('{id (string), name (string), mime_type (string), size (integer)}', async () => {
    const sent = await send([['file', file('a,b', 'text/csv'), 'table.csv']])
    expect(sent.upload_meta).toEqual([
      { id: expect.any(String), name: 'table.csv', mime_type: 'text/csv', size: 3 },
    ])
  })

  test('When used as the source of a vector layer it also carries encoding (string)', async () => {
    const point = { type: 'Feature', properties: { a: 1 }, geometry: { type: 'Point', coordinates: [1, 2] } }
    const { upload_meta } = await send([['file', file(JSON.stringify(point)), 'point.geojson']])
    const source = { ...upload_meta[0], encoding: 'UTF-8' }
    const members = { vector_layer: { source, srs: { id: 3857 } } }
    const id = await createResource(server.admin, { cls: 'vector_layer', name: 'Encoded', members })
    const answer = await server.admin('GET', `/api/resource/${id}/feature_count`)
    expect(await answer.json()).toEqual({ total_count: 1 })
  })
})

describe('File upload', () => {
  test('POST /api/component/file_upload/ | multipart form with file (data) and name; response {upload_meta: [upload object]}', async () => {
    const sent = await send([
      ['file', file('text'), 'sent.txt'],
      ['name', 'told.txt'],
    ])
    expect(sent).toEqual({ upload_meta: [expect.objectContaining({ name: 'told.txt', size: 4 })] })
  })

  test('POST /api/component/file_upload/ | several files: form part name files[], the file name and path in the part; response {upload_meta: [upload objects]}', async () => {
    const { upload_meta } = await send([
      ['files[]', file('one'), 'maps/north/one.txt'],
      ['files[]', file('three'), 'three.txt'],
    ])
    expect(upload_meta.map(({ name, size }) => [name, size])).toEqual([
      ['maps/north/one.txt', 3],
      ['three.txt', 5],
    ])
    const members = { file_bucket: { files: upload_meta } }
    const id = await createResource(server.admin, { cls: 'file_bucket', name: 'Maps', members })
    const answer = await server.admin('GET', `/api/resource/${id}/file/maps/north/one.txt`)
    expect(await answer.text()).toBe('one')
  })

  test('PUT /api/component/file_upload/ | raw body; no file name needed; response is an upload object {id, mime_type, size}', async () => {
    const content = randomBytes(1000)
    const answer = await server.admin('PUT', path, content)
    expect(answer.status).toBe(200)
    const upload = await answer.json<Upload>()
    expect(upload).toEqual({ id: expect.any(String), mime_type: 'application/octet-stream', size: 1000 })
    const layer = await createLayer(server.admin, { name: 'Raw', geometryType: 'POINT' })
    await server.admin('POST', `/api/resource/${layer}/feature/`, { geom: 'POINT(1 2)' })
    const attachments = openAttachments(server.admin, layer, 1).path
    const body = { name: 'raw', file_upload: upload }
    const { id } = await (await server.admin('POST', attachments, body)).json<{ id: number }>()
    const whole = await server.admin('GET', `${attachments}${id}/download`)
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(content)
  })
})
